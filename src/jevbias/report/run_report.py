"""The report of one run: the only thing that terminal, page, comparison and gate read.

The conventions that every part keeps stand in `report.base`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from jevbias.report.base import Declared, Difference, Moment, Question, ReportModel, Share, Size, Within
from jevbias.report.calibration import Calibration
from jevbias.report.comparison import Comparison
from jevbias.report.factorial import Factorial
from jevbias.report.failures import Failures
from jevbias.report.generalisation import Generalisation
from jevbias.report.hypotheses import Hypotheses
from jevbias.report.noise import NoiseFloor
from jevbias.report.placebos import Placebos
from jevbias.report.power import PowerBasis

ValidityFlag = Literal["untested", "inverted", "ok", "midpoint", "uniform", "flat"]
REPORT_VERSION = 1


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
    seed: Annotated[int, Within(-(2**63), 2**63 - 1, "a seed of 64 bits")]
    bases: Annotated[int, Within(1, 2**53, "1 or more")] | None
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
    cost: Size | None
    mean_latency_ms: Size | None
    plan_hash: str
    catalogue_hash: str
    margin: Declared
    alpha: Declared
    threshold: Declared = 0.5
    """Favourability from which a yes/no question counts as decided for the person."""
    started_at: Moment | None
    finished_at: Moment | None
    """ISO 8601, UTC."""
    jevbias_version: str


class ValidityRow(ReportModel):
    """Does the question respond to the case: mean favourability per variant, and the flag it earns."""

    id: str
    question: Question
    """`scenario.question`."""
    kind: str
    direction: str
    measures: str
    means: dict[str, Share]
    """Variant: mean favourability, for the variants that were run."""
    span: Difference | None
    range: Share | None
    noise: Size | None
    flag: ValidityFlag
    non_monotone: bool
    pooled: bool
    """Whether the question enters pooled scores."""
    bases: dict[str, int] = Field(default_factory=dict)
    """Variant: how many bases it was asked about. No flag depends on this and the next two."""
    base_sd: Size | None = None
    """SD between bases that met the same variant; None where no variant met two."""
    base_reach: Size | None = None
    """How far from 0 the span may lie, 95%, because its two variants met different bases."""

    @property
    def mixes_bases(self) -> bool:
        """Whether the variants that make the span were met by different mixes of bases."""
        return self.span is not None and bool(self.bases) and self.base_reach != 0

    @property
    def within_bases(self) -> bool:
        """Whether the span is no larger than whom its variants were asked about may make it."""
        return bool(self.base_reach) and self.span is not None and abs(self.span) <= (self.base_reach or 0.0)


class ConditionRow(ReportModel):
    """Mean favourability under one condition, and the shift from the condition that shows less."""

    id: str
    condition: str
    question: Question | None
    mean: Share
    shift: Difference | None
    baseline: str | None
    by_base: dict[str, Difference]
    """Shift by base (mean where there is no baseline)."""


class RunReport(ReportModel):
    """Everything that one run says."""

    version: int = REPORT_VERSION
    run: RunInfo
    noise_floor: NoiseFloor
    validity: list[ValidityRow]
    conditions: list[ConditionRow]
    comparisons: list[Comparison]
    calibration: Calibration
    generalisation: Generalisation | None = None
    """None without comparisons."""
    power: PowerBasis | None = None
    placebos: Placebos | None = None
    failures: Failures
    factorial: Factorial | None = None
    hypotheses: Hypotheses | None = None
    notes: list[str] = Field(default_factory=list)
