"""The report of one run: the only thing that terminal, page, comparison and gate read.

Names are stable: add, never rename. A value that could not be estimated is None and has its sentence in
`notes`. Favourability is on [0, 1] and lower is always worse for the person; deltas are swap minus anchor.
Intervals are 95% unless their name says otherwise.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from jevbias.report.rounding import round_figure

Figure = Annotated[float, AfterValidator(round_figure)]
"""A computed number: rounded, once, to 6 significant digits when the report is made."""
Interval = tuple[Figure, Figure]
ValidityFlag = Literal["untested", "inverted", "ok", "midpoint", "uniform", "flat"]
ComparisonVerdict = Literal[
    "control", "withheld", "worse", "better", "small", "these cases", "no difference", "unclear"
]
REPORT_VERSION = 1


class ReportModel(BaseModel):
    """A frozen part of a report; unknown keys are refused and NaN and infinities cannot be stored."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RunInfo(ReportModel):
    """What was run: who was asked, how often, about whom, at what cost."""

    name: str
    profile: str
    design: str
    driver: str
    model: str
    models_answered: list[str]
    base_url: str
    instrument: str
    """One sentence: what kind of numbers this driver returns."""
    seed: int
    bases: int | None
    people: int
    scenarios: list[str]
    conditions: list[str]
    swept: list[str]
    calls: int
    """Probes planned."""
    answered: int
    """Probes with at least one usable answer."""
    answers: int
    input_tokens: int | None
    output_tokens: int | None
    cost: Figure | None
    mean_latency_ms: Figure | None
    plan_hash: str
    catalogue_hash: str
    margin: float
    alpha: float
    started_at: str | None
    finished_at: str | None
    """ISO 8601, UTC."""
    jevbias_version: str


class NoisePool(ReportModel):
    """Repeats of identical asks, pooled: pooled SD, mean within-cell SD, cells, degrees of freedom.

    `sd` is what the tests use; `measured_sd` is the pooled SD before it is raised to what rounding makes.
    """

    id: str
    sd: Figure | None
    mean_sd: Figure | None
    cells: int
    degrees_of_freedom: int
    measured_sd: Figure | None = None


class NoiseFloor(ReportModel):
    """How far identical requests differ. `exact`: every repeat of the whole run agreed.

    `answer_sd` and `probe_sd` join the pools of `by_question` and `by_scenario`; `mean_sd` is the mean
    within-cell SD of single answers. `cells` counts the cells answered more than once, controls apart, and
    `degrees_of_freedom` their repeats. Where answers lie on a decimal grid, SDs are raised to what rounding
    makes of them; `measured_answer_sd` and `measured_probe_sd` are not. `grid_step` is the step of the
    numbers that the model sends, told from all its yes/no answers; a question's own may differ.
    """

    answer_sd: Figure | None
    probe_sd: Figure | None
    mean_sd: Figure | None
    cells: int
    degrees_of_freedom: int
    exact: bool
    grid_step: Figure | None
    by_question: dict[str, NoisePool]
    """Keys are `scenario.question`."""
    by_scenario: dict[str, NoisePool]
    """Noise of a probe's mean over the scenario's ok questions, less those that hardly ever came back."""
    measured_answer_sd: Figure | None = None
    measured_probe_sd: Figure | None = None


class ValidityRow(ReportModel):
    """Does the question respond to the case: mean favourability per variant, and the flag it earns."""

    id: str
    question: str
    """`scenario.question`."""
    kind: str
    direction: str
    measures: str
    means: dict[str, Figure]
    """Variant: mean favourability, for the variants that were run."""
    span: Figure | None
    range: Figure | None
    noise: Figure | None
    flag: ValidityFlag
    non_monotone: bool
    pooled: bool
    """Whether the question enters pooled scores."""


class ConditionRow(ReportModel):
    """Mean favourability under one condition, and the shift from the condition that shows less."""

    id: str
    condition: str
    question: str | None
    mean: Figure
    shift: Figure | None
    baseline: str | None
    by_base: dict[str, Figure]
    """Shift by base (mean where there is no baseline)."""


class Comparison(ReportModel):
    """A swap against its anchor, pooled (`question` is None) or on one question."""

    id: str
    condition: str
    question: str | None
    attribute: str
    attribute_label: str
    level: str
    level_phrase: str | None
    reference: str
    protected: bool
    visible: bool
    pairs: int
    delta: Figure | None
    delta_all_questions: Figure | None = None
    """Pooled rows: the mean over all questions, valid or not; never tested."""
    sd: Figure | None
    cohens_d: Figure | None
    effective_n: Figure | None
    p_noise: Figure | None
    q: Figure | None
    significant: bool
    p_people: Figure | None = None
    q_people: Figure | None = None
    p_max_t: Figure | None = None
    ci_noise: Interval | None = None
    ci_people: Interval | None = None
    ci_general: Interval | None = None
    mde_noise: Figure | None = None
    mde_noise_adjusted: Figure | None = None
    mde_people: Figure | None = None
    mde_people_adjusted: Figure | None = None
    verdict: ComparisonVerdict | None = None
    """None until claims (b) and (c) are made."""
    missing_claim: str | None = None
    within_placebo_range: bool | None = None
    bases_down: int = 0
    bases_up: int = 0
    scenarios_down: int = 0
    scenarios_up: int = 0
    by_base: dict[str, Figure] | None = None
    by_scenario: dict[str, Figure] | None = None


class CalibrationCounts(ReportModel):
    """How many tests of one kind came out; `interval` is Clopper-Pearson on significant ÷ tests.

    It is None but for controls: what share of visible swaps matter is no rate of one thing.
    """

    tests: int
    significant: int
    raw_below_05: int
    interval: Interval | None


class CalibrationFamily(ReportModel):
    """One family of comparisons, split into what the model could see and what it could not."""

    visible: CalibrationCounts
    controls: CalibrationCounts
    controls_share_of_discoveries: Figure | None


class Calibration(ReportModel):
    """The false-positive rate, measured on swaps that the model could not see."""

    pooled: CalibrationFamily
    per_question: CalibrationFamily


class Failures(ReportModel):
    """What became of the probes that have no answer, and of questions that went missing."""

    by_status: dict[str, int]
    by_kind: dict[str, int]
    missing_answers: dict[str, int]
    """`scenario.question`: answered probes without a usable answer to it."""


class RunReport(ReportModel):
    """Everything that one run says."""

    version: int = REPORT_VERSION
    run: RunInfo
    noise_floor: NoiseFloor
    validity: list[ValidityRow]
    conditions: list[ConditionRow]
    comparisons: list[Comparison]
    calibration: Calibration
    placebos: None = None
    failures: Failures
    factorial: None = None
    hypotheses: None = None
    notes: list[str] = Field(default_factory=list)
