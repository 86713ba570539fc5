"""A run that was interrupted goes on, and ends as one that was not."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import BudgetSpent, ModelError
from jevbias.mock.fault_plan import FaultPlan
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.mock.serve import running_mock
from jevbias.store.runs import find_run
from jevbias.testbench.options import (
    BenchOptions,
    ConcurrencyOptions,
    ContextOptions,
    DeterminismOptions,
    LatencyOptions,
    SemanticsOptions,
)
from jevbias.testbench.run import report_testbench
from tests.drain.commands import Command, wait_for
from tests.testbench.benches import FACTS, calls_of, planned, put

SMALL = BenchOptions(
    determinism=DeterminismOptions(repeats=6, minutes=0.002, at_once=3),
    latency=LatencyOptions(repeats=3, words=(12, 200)),
    context=ContextOptions(largest=3_000),
    semantics=SemanticsOptions(cases=3),
    concurrency=ConcurrencyOptions(bursts=(1, 4), pause=0),
)


def known(catalogue: Catalogue) -> KnownModel:
    properties = {"context": {"tokens": 2_000}, "facts": FACTS}
    return KnownModel(catalogue, KnownProperties.model_validate(properties), noise=0.0)


def test_a_killed_run_goes_on_and_ends_as_one_that_was_not(
    engine: Engine, db: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    context = ContextOptions(largest=3_000, precision=0.05)
    whole = planned(engine, catalogue, BenchOptions(parts=("context",), context=context), "whole")
    with running_mock(known(catalogue), latency_ms=2) as mock:
        put(engine, whole, mock.base_url)
        settings = {"JEVBIAS_DB": db, "TYPESAFE_BASE_URL": mock.base_url}
        named = ["--driver", "jev", "--model", "mock", "--name", "killed"]
        options = [*named, "--largest", 3000, "--precision", 0.05]

        def asked() -> int:
            return len(httpx.get(f"{mock.base_url}/ledger", timeout=60).json())

        before = asked()
        command = Command(tmp_path, "testbench", "context", *options, settings=settings)
        wait_for(lambda: asked() >= before + 12)
        command.kill()
        assert find_run(engine, "killed").status == "running"
        again = Command(tmp_path, "testbench", "context", "--resume", "killed", settings=settings)
        assert again.ended() == 0
        extra = asked() - 2 * before
    first, second = (report_testbench(engine, find_run(engine, name)) for name in ("whole", "killed"))
    assert first.context is not None
    assert (second.context, second.notes) == (first.context, first.notes)
    assert second.run.calls == first.run.calls
    assert second.run.sends == first.run.sends + second.run.possibly_billed
    assert extra <= second.run.possibly_billed <= 1, "what was in flight at the kill"


def test_a_report_of_what_was_done_so_far_says_what_is_missing(engine: Engine, catalogue: Catalogue) -> None:
    run = planned(engine, catalogue, SMALL)
    faults = FaultPlan.model_validate(
        {"faults": [{"when": {"face": "systemone", "nth": 25}, "reply": {"status": 401}}]}
    )
    with running_mock(known(catalogue), faults=faults) as mock:
        with pytest.raises(ModelError, match="401"):
            put(engine, run, mock.base_url)
        stopped = find_run(engine, run.name)
        assert stopped.status == "stopped"
        assert "401" in (stopped.stop_reason or "")
        partial = report_testbench(engine, stopped)
        assert partial.determinism is not None
        assert partial.determinism.answers == 12
        assert partial.context is not None
        assert partial.context.ended == "unfinished"
        assert partial.semantics is not None
        assert partial.semantics.calls == 0
        assert partial.concurrency == []
        assert any("--resume" in note for note in partial.notes)


def test_nothing_is_sent_past_a_limit_on_cost_and_a_higher_one_goes_on(
    engine: Engine, catalogue: Catalogue
) -> None:
    options = BenchOptions(parts=("latency",), latency=LatencyOptions(repeats=5, words=(12, 200)))
    run = planned(engine, catalogue, options)
    with running_mock(known(catalogue)) as mock:
        with pytest.raises(BudgetSpent, match="a higher limit goes on"):
            put(engine, run, mock.base_url, max_cost=0.05, expected_cost=lambda _body: 0.01)
        assert len(calls_of(engine)) == 5
        put(engine, run, mock.base_url, max_cost=1.0, expected_cost=lambda _body: 0.01)
    assert len(calls_of(engine)) == 11
    assert find_run(engine, run.name).status == "finished"


def test_a_failure_that_passes_is_asked_again_and_one_that_does_not_is_counted(
    engine: Engine, catalogue: Catalogue
) -> None:
    options = BenchOptions(
        parts=("determinism",), determinism=DeterminismOptions(repeats=6, minutes=0, at_once=3)
    )
    faults = [
        {
            "when": {"face": "systemone", "nth": 2},
            "reply": {"status": 503, "headers": {"retry-after-ms": "1"}},
        },
        {"when": {"face": "systemone", "nth": 6}, "reply": {"status": 422}},
    ]
    run = planned(engine, catalogue, options)
    plan = FaultPlan.model_validate({"faults": faults})
    with running_mock(known(catalogue), faults=plan) as mock:
        put(engine, run, mock.base_url)
    report = report_testbench(engine, find_run(engine, run.name))
    assert report.determinism is not None
    assert (report.determinism.asked, report.determinism.answers) == (6, 5)
    assert (report.run.calls, report.run.failed) == (7, 2)
    assert report.notes[0] == "determinism: 1 of 6 requests have no answer"
