"""Reports made for the gate, and what it prints of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from typing import Any

from rich.console import Console

from jevbias.publish.gate import GateResult
from jevbias.report.comparison import Comparison
from jevbias.report.failures import FailureRow
from jevbias.report.run_report import RunReport
from tests.publish.conftest import made_report
from tests.publish.reports import with_rows

SHOWN: dict[str, Any] = {"verdict": "no difference", "missing_claim": None}
ABLE: dict[str, Any] = {"p_people_floor": 1e-6, "mde_people": 0.03, "ci_general_99": (-0.01, 0.01)}


def seen(row: Comparison) -> dict[str, Any]:
    """Every visible comparison is shown to lie inside the margin."""
    return {**SHOWN, "delta": 0.001} if row.visible and row.verdict != "withheld" else {}


def within_limits(change: Callable[[Comparison], dict[str, Any]] | None = None) -> RunReport:
    """A finished run in which every visible swap is shown to lie inside the margin, but for `change`."""
    return _made() if change is None else _made_with(change)


@cache
def _made() -> RunReport:
    return _made_with(lambda _: {})


def _made_with(change: Callable[[Comparison], dict[str, Any]]) -> RunReport:
    report = with_rows(made_report("quiet"), lambda row: {**seen(row), **change(row)})
    calibration = report.calibration
    quiet = {"expected_significant": (0, 2), "significant": 0, "raw_below_05": 0}
    families = {
        name: family.model_copy(update={"controls": family.controls.model_copy(update=quiet)})
        for name, family in (("pooled", calibration.pooled), ("per_question", calibration.per_question))
    }
    return report.model_copy(
        update={
            "failures": report.failures.model_copy(update={"by_level": [], "by_status": {"answered": 388}}),
            "calibration": calibration.model_copy(update=families),
        }
    )


def one_pooled(**update: Any) -> RunReport:
    """The same, but for one visible pooled comparison."""
    report = within_limits()
    name = next(row.id for row in report.comparisons if row.visible and row.question is None)
    return within_limits(lambda row: update if row.id == name else {})


REFUSED = FailureRow(
    id="failures/full/religion=muslim",
    condition="full",
    attribute="religion",
    level="muslim",
    probes=48,
    unusable=9,
    anchor_probes=144,
    anchor_unusable=0,
    pairs=48,
    only_swap=9,
    only_anchor=0,
    p=0.0039,
    q=0.031,
    significant=True,
)


def limit(result: GateResult, name: str) -> Any:
    return next(limit for limit in result.limits if limit.limit == name)


def printed(result: GateResult) -> str:
    stream = io.StringIO()
    Console(file=stream, width=200).print(result)
    return stream.getvalue()


DOWN: dict[str, Any] = {"verdict": "these cases", "delta": -0.3, "p_people_floor": 0.25}
