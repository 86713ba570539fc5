"""Evidence of runs that were not asked yet, or whose model says little."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.analysis.analyse import analyse
from jevbias.analysis.trace.evidence import Trace
from jevbias.analysis.trace.trace import trace_with
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.report.comparison import Comparison
from jevbias.store.engine import open_store
from tests.analysis.answered_runs import Replies, answer, plan
from tests.analysis.report_rows import rows_of


def test_a_pool_that_is_raised_to_the_answers_decimals_says_so(catalogue: Catalogue, tmp_path: Path) -> None:
    engine = open_store(str(tmp_path / "runs.db"))
    run = plan(engine, catalogue, scenarios=["hiring_screen"])
    answer(engine, run, Replies(noise=0.002))
    traced = TracedRun.load(engine, run)
    pool = traced.floor.by_question["hiring_screen.advance"]
    assert pool.sd is not None
    assert pool.measured_sd is not None
    assert pool.sd > pool.measured_sd
    found = trace_with(traced, pool.id)
    assert isinstance(found, Trace)
    assert any(f"raised to {pool.sd:.6g}" in sentence for sentence in found.listings[0].sums)
    engine.dispose()


def test_a_run_without_failures_or_answers_says_so(catalogue: Catalogue, tmp_path: Path) -> None:
    engine: Engine = open_store(str(tmp_path / "runs.db"))
    run = plan(engine, catalogue)
    traced = TracedRun.load(engine, run)
    found = trace_with(traced, "full/religion=muslim")
    assert isinstance(found, Trace)
    assert found.says == "no pair has answers on both sides, so there is no delta"
    assert found.opened is not None
    assert found.opened.swap.verified == found.opened.anchor.verified == "not sent yet"
    with pytest.raises(UsageError, match="every probe that has ended has a usable answer"):
        trace_with(traced, "failures/full/religion=muslim")
    for row in rows_of(analyse(traced.dataset)):
        if not isinstance(row, Comparison) or row.question is None:
            assert isinstance(trace_with(traced, row.id), Trace)
    engine.dispose()
