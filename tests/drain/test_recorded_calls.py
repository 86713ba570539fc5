"""Calls that are written down: none is lost, none that is answered is sent again, limits hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from jevbias.drain.call_budget import CallBudget
from jevbias.drain.halt import Halted
from jevbias.drain.recorded_calls import RecordedCalls, RecordedReply
from jevbias.drivers.base import Reply
from jevbias.drivers.paid import NOTHING_SAID, Paid, paid_of_reply
from jevbias.errors import BudgetSpent, UsageError
from jevbias.store.bench_runs import create_bench_run
from jevbias.store.calls import NewCall, count_calls, list_calls, spent_on_calls
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.runs import find_run
from jevbias.store.writer import StoreWriter
from tests.postgres.databases import Databases
from tests.store.processes import Child

BODY = b'{"n": 1}'


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "jevbias.db")
    postgres: Databases = request.getfixturevalue("postgres")
    return postgres.empty()


@pytest.fixture
def run_id(engine: Engine) -> int:
    run = create_bench_run(
        engine, kind="collab", name="b", driver="jev", model="m", base_url="x", seed=1, settings={}
    )
    assert run.id is not None
    return run.id


class Server:
    """Answers with what it was sent, and remembers it."""

    def __init__(self, **reply: Any):
        self.seen: list[bytes] = []
        self._reply = reply

    async def __call__(self, body: bytes) -> Reply:
        self.seen.append(body)
        await asyncio.sleep(0)
        return Reply(**{"status": 200, "body": body, "latency_ms": 3.0, **self._reply})


def used(engine: Engine, run_id: int, use: Any, **given: Any) -> Any:
    async def within() -> Any:
        async with StoreWriter(engine) as writer:
            return await use(RecordedCalls(writer, run_id, **given))

    return asyncio.run(within())


def test_what_is_answered_is_replayed_as_it_came_and_never_sent_again(engine: Engine, run_id: int) -> None:
    server = Server(request_id="r-1", retry_after=0.5, location="/there")

    async def use(calls: RecordedCalls) -> list[RecordedReply]:
        return [
            await calls.send("a", BODY, server),
            *await calls.send_together([NewCall("a", BODY), NewCall("b", b"2")], server),
        ]

    first, again, other = used(engine, run_id, use)
    assert server.seen == [BODY, b"2"]
    assert (first.replayed, again.replayed, other.replayed) == (False, True, False)
    assert (again.reply, again.sent_at, again.paid) == (first.reply, first.sent_at, first.paid)
    with pytest.raises(UsageError, match="call a is stored with another request"):
        used(engine, run_id, lambda calls: calls.send("a", b"other", server))
    assert len(server.seen) == 2


def test_a_call_is_in_the_ledger_before_it_leaves(engine: Engine, run_id: int) -> None:
    async def look(body: bytes) -> Reply:
        with reading(engine) as connection:
            (call,) = list_calls(connection, run_id)
        return Reply(200, call.body, 1.0) if call.result is None else Reply(500, b"", 1.0)

    assert used(engine, run_id, lambda calls: calls.send("a", BODY, look)).reply.body == BODY


def send_until_killed(pipe: Any, db: str) -> None:
    """Answer one call, then hang in the second."""
    engine = open_store(db)
    run_id = find_run(engine, "b").id
    assert run_id is not None

    async def hang(_body: bytes) -> Reply:
        pipe.send("on its way")
        await asyncio.sleep(600)
        raise AssertionError

    async def use(calls: RecordedCalls) -> None:
        await calls.send("a", BODY, Server())
        await calls.send("b", BODY, hang)

    used(engine, run_id, use)


def test_a_killed_process_leaves_nothing_unknown(engine: Engine, db: str, run_id: int) -> None:
    child = Child(send_until_killed, db)
    assert child.wait_for_line() == "on its way"
    child.kill()
    with reading(engine) as connection:
        counts = count_calls(connection, run_id)
    assert (counts.done, counts.open, counts.sends) == (1, 1, 2)
    server = Server()

    async def use(calls: RecordedCalls) -> list[RecordedReply]:
        return [await calls.send("a", BODY, server), await calls.send("b", BODY, server)]

    assert [reply.replayed for reply in used(engine, run_id, use)] == [True, False]
    assert server.seen == [BODY]
    with reading(engine) as connection:
        counts = count_calls(connection, run_id)
        _, second = list_calls(connection, run_id)
    assert (counts.done, counts.open, counts.sends, counts.possibly_billed) == (2, 0, 3, 1)
    assert (second.sends, second.possibly_billed) == (2, 1)
    assert second.result is not None
    assert not second.result.possibly_billed


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_nothing_is_sent_that_could_pass_the_limit(engine: Engine, run_id: int) -> None:
    server = Server()

    def meter(_reply: Reply) -> Paid:
        return Paid("m", 10, 1, None, 0.25)

    async def use(calls: RecordedCalls) -> None:
        for number in range(10):
            await calls.send(str(number), BODY, server)

    def within_a_dollar() -> dict[str, Any]:
        with reading(engine) as connection:
            spent = spent_on_calls(connection, run_id)
        return {"meter": meter, "budget": CallBudget(1.0, spent, lambda _body: 0.25)}

    for _ in range(2):
        with pytest.raises(
            BudgetSpent, match=r"--max-cost \$1.00: \$1.00 is spent and the next call may cost"
        ):
            used(engine, run_id, use, **within_a_dollar())
        assert len(server.seen) == 4
        with reading(engine) as connection:
            assert count_calls(connection, run_id).sends == 4, "a call that was not made is not in the ledger"


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_a_limit_that_nobody_can_keep_stops_after_the_first_reply_without_a_cost(
    engine: Engine, run_id: int
) -> None:
    async def use(calls: RecordedCalls) -> None:
        await calls.send("a", BODY, Server())
        await calls.send("b", BODY, Server())

    with pytest.raises(BudgetSpent, match="cannot be kept"):
        used(engine, run_id, use, budget=CallBudget(1.0))
    with reading(engine) as connection:
        assert [call.key for call in list_calls(connection, run_id)] == ["a"]


def test_what_a_reply_took_is_read_from_it_whatever_it_is() -> None:
    told = Reply(200, b'{"model": "m-2", "usage": {"input_tokens": 7, "output_tokens": 1}}', 1.0)
    assert paid_of_reply(told, "jev", "m", None) == Paid("m-2", 7, 1, None, None)
    for body in (b"", b"[]", b"<html>", b'{"usage": 3}'):
        assert paid_of_reply(Reply(200, body, 1.0), "jev", "m", None) == NOTHING_SAID


def test_a_call_whose_wait_is_given_up_is_in_no_ledger(engine: Engine, run_id: int) -> None:
    async def given_up(_body: bytes) -> None:
        raise Halted

    async def within() -> None:
        server = Server()
        async with StoreWriter(engine) as writer:
            with pytest.raises(Halted):
                await RecordedCalls(writer, run_id).send("a", BODY, server, wait=given_up)
        assert server.seen == []

    asyncio.run(within())
    with reading(engine) as connection:
        assert list_calls(connection, run_id) == []


def test_what_a_send_raises_comes_as_it_is(engine: Engine, run_id: int) -> None:
    async def failing(_body: bytes) -> Reply:
        raise Halted

    async def within() -> None:
        async with StoreWriter(engine) as writer:
            with pytest.raises(Halted):
                await RecordedCalls(writer, run_id).send("a", BODY, failing)

    asyncio.run(within())


@pytest.mark.parametrize("broken_off_by", ["a send that raises", "the caller who gives up"])
def test_of_calls_that_are_broken_off_those_that_were_answered_are_kept(
    engine: Engine, run_id: int, broken_off_by: str
) -> None:
    calls_to_make = [NewCall("slow", b"0"), NewCall("a", b"1"), NewCall("b", b"2")]

    async def use(calls: RecordedCalls) -> None:
        seen = asyncio.Event()

        async def send(body: bytes) -> Reply:
            if body != b"0":
                return Reply(200, body, 1.0)
            seen.set()
            if broken_off_by == "a send that raises":
                raise UsageError("no more")
            await asyncio.sleep(600)
            raise AssertionError

        task = asyncio.create_task(calls.send_together(calls_to_make, send))
        await seen.wait()
        await asyncio.sleep(0)
        if broken_off_by == "the caller who gives up":
            await asyncio.sleep(0)
            task.cancel()
        await task

    with pytest.raises((UsageError, asyncio.CancelledError)) as caught:
        used(engine, run_id, use)
    assert isinstance(caught.value, UsageError) == (broken_off_by == "a send that raises")
    with reading(engine) as connection:
        stored = {call.key: call.result for call in list_calls(connection, run_id)}
    assert {key: result and result.response for key, result in stored.items()} == {
        "slow": None,
        "a": b"1",
        "b": b"2",
    }
