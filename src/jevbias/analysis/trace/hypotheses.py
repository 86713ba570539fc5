"""A frozen hypothesis of a report, with the comparison that it is about."""

from __future__ import annotations

from dataclasses import replace

from jevbias.analysis.hypotheses import judge_hypotheses
from jevbias.analysis.trace.comparisons import trace_comparison
from jevbias.analysis.trace.evidence import Trace
from jevbias.analysis.trace.traced_run import TracedRun


def trace_hypothesis(run: TracedRun, identifier: str) -> Trace | None:
    """How the hypothesis ended, and the pairs of its comparison; None where the run froze no such one."""
    judged = judge_hypotheses(run.dataset, run.pairs, run.pooled, run.rows(None).comparisons)
    row = next((row for row in judged.rows if row.id == identifier), None) if judged is not None else None
    if row is None:
        return None
    says = f"{row.outcome}; frozen as {row.direction}. {row.reason}"
    compared = trace_comparison(run, row.comparison)
    if compared is None:
        return Trace(identifier, run.run.name, says, row.model_dump(), ())
    return replace(compared, id=identifier, says=f"{says} {compared.says}", row=row.model_dump())
