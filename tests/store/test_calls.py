"""The call ledger: what it keeps of every call, and what it refuses."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from jevbias.errors import UsageError
from jevbias.store.bench_runs import begin_work, create_bench_run, end_work
from jevbias.store.call_tables import CALL
from jevbias.store.calls import (
    CallResult,
    NewCall,
    count_calls,
    find_calls,
    finish_calls,
    list_calls,
    spent_on_calls,
    start_calls,
)
from jevbias.store.connections import reading, writing
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run, delete_run, find_run, list_runs
from jevbias.store.spent import Spent
from jevbias.store.tables import RUN, Run
from tests.store.small import RUN_SETTINGS, small_plan

A, B = NewCall("one/1", b'{"state": 1}'), NewCall("one_2", b'{"state": 2}')


def bench(engine: Engine, name: str = "bench") -> Run:
    return create_bench_run(
        engine,
        kind="testbench",
        name=name,
        driver="jev",
        model="m",
        base_url="http://127.0.0.1:1",
        seed=3,
        settings={"repeats": 30},
    )


@pytest.fixture
def bench_id(engine: Engine) -> int:
    run_id = bench(engine).id
    assert run_id is not None
    return run_id


def result(key: str, **given: object) -> CallResult:
    fields = {
        "http_status": 200,
        "response": b"{}",
        "latency_ms": 1.5,
        "sent_at": 7.0,
        "done_at": 7.5,
        **given,
    }
    return CallResult(key=key, **fields)  # type: ignore[arg-type]


def test_a_call_comes_back_from_the_ledger_as_it_went_in(engine: Engine, bench_id: int) -> None:
    came = result(
        A.key,
        response=b"\x00\xff",
        request_id="r",
        retry_after=1.5,
        location="/x",
        model_answered="m-1",
        input_tokens=5,
        output_tokens=2,
        cost=0.25,
    )
    failed = result(
        B.key, http_status=None, response=None, fault="timeout", error="late", possibly_billed=True
    )
    with writing(engine) as connection:
        start_calls(connection, bench_id, [A, B], 6.0)
        assert find_calls(connection, bench_id, [A, B]) == [None, None]
        finish_calls(connection, bench_id, [came, failed])
    with reading(engine) as connection:
        found = list_calls(connection, bench_id)
        assert [call.result for call in found] == [came, failed]
        assert [(call.body, call.sends, call.possibly_billed) for call in found] == [
            (A.body, 1, 0),
            (B.body, 1, 1),
        ]
        assert find_calls(connection, bench_id, [B, A]) == [found[1], found[0]]
        assert [call.key for call in list_calls(connection, bench_id, "one_")] == ["one_2"]
        counts = count_calls(connection, bench_id)
        assert (counts.done, counts.failed, counts.open, counts.sends) == (2, 1, 0, 2)
        assert (counts.possibly_billed, counts.input_tokens, counts.output_tokens) == (1, 5, 2)
        assert spent_on_calls(connection, bench_id) == Spent(0.25, 0.25, 1)


def test_what_is_done_is_kept_and_another_body_under_its_key_is_refused(
    engine: Engine, bench_id: int
) -> None:
    with writing(engine) as connection:
        start_calls(connection, bench_id, [A], 6.0)
        finish_calls(connection, bench_id, [result(A.key)])
        finish_calls(connection, bench_id, [result(A.key, http_status=500)])
        start_calls(connection, bench_id, [A], 9.0)
    with reading(engine) as connection:
        (call,) = list_calls(connection, bench_id)
        assert (call.result, call.sends) == (result(A.key), 1)
        with pytest.raises(UsageError, match=r"call one/1 is stored with another request"):
            find_calls(connection, bench_id, [NewCall(A.key, B.body)])


def test_a_call_without_an_answer_counts_as_paid_for_when_it_is_sent_again(
    engine: Engine, bench_id: int
) -> None:
    with writing(engine) as connection:
        start_calls(connection, bench_id, [A], 6.0)
        assert spent_on_calls(connection, bench_id).unknown == 1
        start_calls(connection, bench_id, [A, B], 8.0)
        finish_calls(connection, bench_id, [result(A.key, cost=0.5, sent_at=8.0)])
    with reading(engine) as connection:
        first, second = list_calls(connection, bench_id)
        assert (first.sends, first.possibly_billed, first.sent_at) == (2, 1, 8.0)
        assert first.result is not None
        assert not first.result.possibly_billed, "of two sends one is lost and the other answered"
        assert (second.sends, second.result) == (1, None)
        assert spent_on_calls(connection, bench_id) == Spent(0.5, 0.5, 2)


def test_a_run_of_calls_is_one_of_the_runs_and_goes_with_its_calls(engine: Engine, bench_id: int) -> None:
    create_run(engine, small_plan(3), name="plan", **RUN_SETTINGS)
    with writing(engine) as connection:
        start_calls(connection, bench_id, [A, B], 6.0)
        finish_calls(connection, bench_id, [result(A.key)])
    listed = {run.name: run for run in list_runs(engine)}
    shown = listed["bench"]
    assert (shown.kind, shown.probes, shown.finished, shown.answered, shown.failed) == (
        "testbench",
        2,
        1,
        1,
        0,
    )
    assert (listed["plan"].probes, listed["plan"].finished) == (3, 0)
    assert find_run(engine, "bench", "testbench").settings == {"repeats": 30}
    delete_run(engine, "bench")
    with reading(engine) as connection:
        assert connection.execute(CALL.select()).all() == []
    with writing(engine) as connection, pytest.raises(UsageError, match="deleted"):
        start_calls(connection, bench_id, [A], 6.0)


def test_a_name_is_taken_once_and_a_run_has_one_worker(engine: Engine, dead: ProbeQueue) -> None:
    run = bench(engine)
    with pytest.raises(UsageError, match="or go on with it by `jevbias testbench all --resume bench`"):
        bench(engine)
    begin_work(engine, run)
    with pytest.raises(UsageError, match="stop that first"):
        delete_run(engine, "bench")
    with writing(engine) as connection:
        connection.execute(RUN.update().where(RUN.c.id == run.id).values(planned_by="elsewhere@1/6/123"))
    with pytest.raises(UsageError, match="worked on by process 6 on elsewhere"):
        begin_work(engine, run)
    with writing(engine) as connection:
        connection.execute(RUN.update().where(RUN.c.id == run.id).values(planned_by=dead.owner))
    begin_work(engine, run)
    end_work(engine, run, stopped="interrupted")
    assert (find_run(engine, "bench").status, find_run(engine, "bench").stop_reason) == (
        "stopped",
        "interrupted",
    )
    begin_work(engine, run)
    end_work(engine, run)
    ended = find_run(engine, "bench")
    assert (ended.status, ended.stop_reason, ended.planned_by) == ("finished", None, None)
