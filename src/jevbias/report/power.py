"""The spreads that power rests on, in a report: measured on its run, used to plan the next one."""

from __future__ import annotations

from jevbias.report.base import ReportModel, Size


class PowerBasis(ReportModel):
    """SDs in favourability; None where the run cannot tell.

    `answer_sd` and `probe_sd` are the noise floor's. `base_sd` is the SD over bases of a swap's true effect,
    `rest_sd` that of what is left per base and scenario, noise taken out of both: moment estimates from
    the mean squares of the visible pooled comparisons, 0 where noise explains them.
    """

    answer_sd: Size | None
    probe_sd: Size | None
    base_sd: Size | None
    rest_sd: Size | None
    rows: int
    """The comparisons behind `base_sd` and `rest_sd`."""
