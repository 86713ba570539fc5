"""What every part of a report is made of.

Names are stable: add, never rename. A value that could not be estimated is None and has its sentence in the
report's `notes`. Favourability is on [0, 1] and lower is always worse for the person; deltas are swap minus
anchor. Intervals are 95% unless their name says otherwise.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from jevbias.report.rounding import round_figure

Figure = Annotated[float, AfterValidator(round_figure)]
"""A computed number: rounded, once, to 6 significant digits when the report is made."""
Rounded = float
"""The same for rows that come by the thousand: rounded column by column before they are made."""
Interval = tuple[Figure, Figure]
RoundedInterval = tuple[Rounded, Rounded]


class ReportModel(BaseModel):
    """A frozen part of a report; unknown keys are refused and NaN and infinities cannot be stored."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
