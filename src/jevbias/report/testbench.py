"""What the test bench found out about a server: one part per command, None where it was not asked.

Names are stable: add, never rename. Probabilities and confidences are on [0, 1], latencies in milliseconds,
costs in US dollars. Intervals are 95%. What could not be estimated is None and has its sentence in `notes`.
"""

from __future__ import annotations

from pydantic import Field

from jevbias.report.base import Figure, ReportModel
from jevbias.report.testbench_answers import Determinism, Semantics
from jevbias.report.testbench_limits import BurstRow, ContextCeiling, LatencyRow

TESTBENCH_VERSION = 1


class TestbenchRun(ReportModel):
    """Who was asked, and what it took. `sends` counts calls sent again after a process died; of
    `possibly_billed` sends no answer is known.
    """

    __test__ = False  # the name is no test's

    name: str
    parts: list[str]
    driver: str
    model: str
    models_answered: list[str]
    base_url: str
    seed: int
    status: str
    calls: int
    failed: int
    sends: int
    possibly_billed: int
    input_tokens: int | None
    output_tokens: int | None
    cost: Figure | None
    started_at: float | None
    finished_at: float | None
    jevbias_version: str


class TestbenchReport(ReportModel):
    """Everything that a run of the test bench found out."""

    __test__ = False

    version: int = TESTBENCH_VERSION
    run: TestbenchRun
    determinism: Determinism | None = None
    latency: list[LatencyRow] | None = None
    context: ContextCeiling | None = None
    semantics: Semantics | None = None
    concurrency: list[BurstRow] | None = None
    notes: list[str] = Field(default_factory=list)
