"""The report of one run: the only thing that terminal, page, comparison and gate read.

The conventions that every part keeps stand in `report.base`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jevbias.report.base import Figure, ReportModel
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
    threshold: float = 0.5
    """Favourability from which a yes/no question counts as decided for the person."""
    started_at: str | None
    finished_at: str | None
    """ISO 8601, UTC."""
    jevbias_version: str


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
