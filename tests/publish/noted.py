"""Notes as the analysis writes them: of small runs made in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from jevbias.analysis.analyse import analyse
from jevbias.analysis.dataset import ProbeRecord
from jevbias.analysis.facts import ProbeOutcome
from jevbias.report.run_report import RunReport
from tests.analysis.runs import Design, make_dataset, make_probes


@cache
def analysed(kind: str) -> RunReport:
    """The report of a small run: `varied` lacks nothing, `exact` never varies, `brief` is a
    smoke run: one base, one scenario and so one variant, with too few repeats for any null.
    """
    if kind == "brief":
        design = Design(
            bases=1, scenarios={"hiring": 3}, conditions=("full",), replicate_subjects=0, anchor_replicates=5
        )
    else:
        design = Design(bases=3, scenarios={"hiring": 3, "triage": 2, "lending": 2}, replicate_subjects=12)
    probes = make_probes(design, noise=0.0 if kind == "exact" else 0.0085)
    return analyse(make_dataset(design, [_timed(probe, place) for place, probe in enumerate(probes)]))


def _timed(probe: ProbeRecord, place: int) -> ProbeRecord:
    """The same probe with a time at which it was answered, so that a drift can be told."""
    return replace(probe, outcome=ProbeOutcome(latency_ms=300.0, answered_at=1_790_000_000.0 + place))
