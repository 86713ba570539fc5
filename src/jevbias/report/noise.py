"""The noise floor in a report: how far identical requests differ, and whether the null may be believed."""

from __future__ import annotations

from pydantic import Field

from jevbias.report.base import Difference, Figure, Interval, Question, ReportModel, Share, Size


class NoisePool(ReportModel):
    """Repeats of identical asks, pooled: pooled SD, mean within-cell SD, cells, degrees of freedom.

    `sd` is what the tests use; `measured_sd` is the pooled SD before it is raised to what rounding makes.
    """

    id: str
    sd: Size | None
    mean_sd: Size | None
    cells: int
    degrees_of_freedom: int
    measured_sd: Size | None = None


class ConditionRatio(ReportModel):
    """Is the model as noisy under one condition as under another? The measured noise of a probe's mean under
    `condition` over that under `against`, the richest; the interval excludes 1 where it is not.
    """

    id: str
    condition: str
    against: str
    ratio: Size
    interval: Interval


class NoiseRatio(ReportModel):
    """Is the model noisier about a swapped person than about a repeated anchor? The null assumes that it is
    not. `ratio` is the SD of swaps' repeats over that of anchors' repeats of the same scenarios under
    `condition`; the interval excludes 1 where the assumption is in doubt.
    """

    id: str
    condition: str
    ratio: Size | None
    interval: Interval | None
    swap_cells: int
    anchor_cells: int


class Drift(ReportModel):
    """Did the model move while it was asked? From anchors' repeats against the time they were sent at (a
    factorial run has no anchors and gives everybody's).

    `repeats` counts the probes that this rests on. `total` is the change in favourability over the run's
    `hours`, with its interval and p; None where it could not be estimated, or where no repeat differs.
    """

    id: str
    hours: Size | None
    repeats: int
    total: Figure | None
    interval: Interval | None
    p: Share | None


class ModelShift(ReportModel):
    """How far the answers of one model lie from those of the others to the same asks, where several answered.

    `shift` is in favourability, over anchors' cells that the model and others answered; None without such.
    """

    id: str
    model: str
    probes: int
    shift: Difference | None
    interval: Interval | None


class NoiseFloor(ReportModel):
    """How far identical requests differ. `exact`: every repeat of the whole run agreed.

    `answer_sd` and `probe_sd` join the pools of `by_question` and `by_scenario`; `mean_sd` is the mean
    within-cell SD of single answers. `cells` counts the cells answered more than once, controls apart, and
    `degrees_of_freedom` their repeats. Where answers lie on a decimal grid, SDs are raised to what rounding
    makes of them; `measured_answer_sd` and `measured_probe_sd` are not. `grid_step` is the step of the
    numbers that the model sends, told from all its yes/no answers; a question's own may differ.
    """

    answer_sd: Size | None
    probe_sd: Size | None
    mean_sd: Size | None
    cells: int
    degrees_of_freedom: int
    exact: bool
    grid_step: Size | None
    by_question: dict[Question, NoisePool]
    """Keys are `scenario.question`."""
    by_scenario: dict[str, NoisePool]
    """Noise of a probe's mean over the scenario's ok questions, less those that hardly ever came back."""
    measured_answer_sd: Size | None = None
    measured_probe_sd: Size | None = None
    by_condition: dict[str, NoisePool] = Field(default_factory=dict)
    """Noise of a probe's mean within one condition, over all scenarios; the tests join the conditions."""
    condition_ratios: list[ConditionRatio] = Field(default_factory=list)
    """One row per condition but the richest, where both vary enough to be compared."""
    swapped_against_anchor: NoiseRatio | None = None
    drift: Drift | None = None
    models: list[ModelShift] = Field(default_factory=list)
    """One row per model that answered, where more than one did."""
