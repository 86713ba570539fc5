"""A limit on what a run may cost is never passed by what can be foreseen, and nothing fits when it stops."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from jevbias.drain.budget import HEADROOM, Budget
from jevbias.drain.halt import Halt, Halted
from jevbias.drain.money import money
from jevbias.drain.sending import Outcome
from jevbias.drivers.base import Reading, Reply
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.runs import create_run, find_run
from jevbias.store.spent import Spent, spent_on
from tests.drain.conftest import PlanRun
from tests.drain.draining import attempts, drained, statuses
from tests.drain.models import MemoryDriver, ok, status, timed_out
from tests.store.small import RUN_SETTINGS, small_plan

CLOSE = 1e-9
COSTS = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40)
ALIKE = st.lists(st.floats(0.5, 1.0), min_size=1, max_size=40)
LIMITS = st.floats(0.05, 12.0)
WORKERS = st.integers(1, 9)
PAUSES = st.lists(st.integers(0, 4), min_size=1, max_size=9)


def answered(cost: float | None) -> Outcome:
    return Outcome(Reply(200, b"", 1.0), Reading("answered", cost=cost), 0.0, "")


def lost() -> Outcome:
    return Outcome(timed_out(), Reading("retry"), 0.0, "")


def busy() -> Outcome:
    """A success by its status that says in its body that the server has no time."""
    return Outcome(status(200), Reading("retry", error_kind="http_429"), 0.0, "")


def cut_off() -> Outcome:
    return Outcome(status(200), Reading("retry", error_kind="truncated"), 0.0, "")


def failed() -> Outcome:
    return Outcome(status(500), Reading("retry"), 0.0, "")


@dataclass
class Market:
    """Workers that send under one budget until all is sent or the drain stops, and what the sends cost."""

    limit: float
    costs: list[float]
    expected: float | None = None
    processes: int = 1
    total: float = 0.0
    dearest: float | None = None
    first: float | None = None
    excess: float = 0.0
    """By how much the sends cost more, in all, than twice what was known when they waited for room."""
    sent: int = 0
    most_at_once: int = 0
    halt: Halt = field(default_factory=Halt)
    _now: int = 0
    _asked: int = 0

    async def _look(self) -> Spent:
        spent = Spent(self.total, self.dearest)
        if self.processes == 1:
            await asyncio.sleep(0)
        return spent

    def _time(self) -> float:
        """Where there are several processes, every look is too old for the next send."""
        return time.monotonic() if self.processes == 1 else 60.0 * self._asked

    def run(self, workers: int, pauses: list[int]) -> Market:
        async def work(budget: Budget, pause: int) -> None:
            while self.costs:
                try:
                    known = self.dearest
                    self._asked += 1
                    async with budget.room() as settle:
                        if self.costs:
                            settle(await self._send(known, pause))
                except Halted:
                    return

        async def all_work() -> None:
            halts = [self.halt, *(Halt() for _ in range(self.processes - 1))]
            budgets = [
                Budget(self.limit, self._look, halt, expected=self.expected, clock=self._time)
                for halt in halts
            ]
            waits = [pauses[i % len(pauses)] for i in range(workers)]
            await asyncio.gather(*(work(budget, pause) for budget in budgets for pause in waits))

        asyncio.run(all_work())
        return self

    async def _send(self, known: float | None, pause: int) -> Outcome:
        room = self.limit if self.first is None else HEADROOM * (self.first if known is None else known)
        cost = self.costs.pop(0)
        self.sent += 1
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        for _ in range(pause):
            await asyncio.sleep(0)
        self._now -= 1
        self.total += cost
        self.first = cost if self.first is None else self.first
        self.dearest = max(self.dearest or 0.0, cost)
        self.excess += max(0.0, cost - room)
        return answered(cost)


@given(LIMITS, ALIKE, WORKERS, PAUSES)
def test_the_limit_is_never_passed_where_no_reply_costs_twice_the_dearest_before_it(
    limit: float, costs: list[float], workers: int, pauses: list[int]
) -> None:
    market = Market(limit, [min(cost, limit) for cost in costs]).run(workers, pauses)
    assert market.total <= limit + CLOSE


@given(LIMITS, COSTS, WORKERS, PAUSES)
def test_whatever_the_costs_the_limit_is_passed_by_no_more_than_they_exceed_the_room_kept_for_them(
    limit: float, costs: list[float], workers: int, pauses: list[int]
) -> None:
    market = Market(limit, costs).run(workers, pauses)
    assert market.total <= limit + market.excess + CLOSE


@given(LIMITS, ALIKE, WORKERS, PAUSES)
def test_processes_that_look_before_each_send_pass_the_limit_by_no_more_than_the_others_have_on_their_way(
    limit: float, costs: list[float], workers: int, pauses: list[int]
) -> None:
    dearest = max(costs)
    market = Market(limit, [min(cost, limit) for cost in costs], processes=2)
    market.run(workers, pauses)
    assert market.total <= limit + workers * dearest + CLOSE


@given(LIMITS, COSTS, WORKERS, PAUSES)
def test_a_drain_only_stops_where_the_next_send_might_not_fit(
    limit: float, costs: list[float], workers: int, pauses: list[int]
) -> None:
    number = len(costs)
    market = Market(limit, costs).run(workers, pauses)
    if market.halt.reason is None:
        assert market.sent == number
    else:
        assert market.total + HEADROOM * (market.dearest or 0.0) > limit - CLOSE


def test_until_a_cost_is_known_one_send_is_made_at_a_time() -> None:
    halt, at_once = Halt(), []

    async def run() -> None:
        budget = Budget(1.0, nothing_spent, halt)
        here = 0

        async def send() -> None:
            nonlocal here
            async with budget.room():
                here += 1
                at_once.append(here)
                await asyncio.sleep(0)
                here -= 1

        await asyncio.gather(*(send() for _ in range(5)))

    asyncio.run(run())
    assert at_once == [1] * 5


def test_replies_that_were_free_say_nothing_of_what_the_next_costs() -> None:
    market = Market(0.25, [0.0, *[0.1] * 30]).run(9, [3])
    assert market.total <= 0.25
    assert Market(0.25, [0.0] * 30).run(9, [3]).halt.reason is None


def test_an_expected_cost_lets_the_first_sends_go_together_as_far_as_they_fit() -> None:
    market = Market(1.0, [0.1] * 30, expected=0.25).run(9, [3])
    assert market.most_at_once == 4
    assert market.total <= 1.0


async def nothing_spent() -> Spent:
    return Spent()


def after(budget_of: Spent, *outcomes: Outcome, limit: float = 1.0) -> tuple[Budget, Halt]:
    """A budget after these outcomes."""
    halt = Halt()

    async def look() -> Spent:
        return budget_of

    async def run() -> Budget:
        budget = Budget(limit, look, halt)
        for outcome in outcomes:
            async with budget.room() as count:
                count(outcome)
        return budget

    return asyncio.run(run()), halt


def test_a_send_that_may_have_been_billed_counts_as_the_dearest() -> None:
    budget, halt = after(Spent(), answered(0.1), answered(0.2), lost(), failed())
    assert budget.total == pytest.approx(0.5)
    assert halt.reason is None


def test_a_reply_that_ends_too_early_was_worked_for_and_an_error_was_not() -> None:
    budget, halt = after(Spent(), busy(), failed(), answered(0.1), busy(), cut_off())
    assert budget.total == pytest.approx(0.2)
    assert halt.reason is None


def test_a_reply_of_unknown_cost_counts_as_the_dearest_where_one_is_known() -> None:
    budget, halt = after(Spent(), answered(0.1), answered(None))
    assert budget.total == pytest.approx(0.2)
    assert halt.reason is None


def test_the_first_reply_of_unknown_cost_stops_the_drain_where_no_cost_is_known() -> None:
    _, halt = after(Spent(), answered(None))
    assert halt.reason == (
        "--max-cost $1.00 cannot be kept: a reply names no cost, and the price table has none for the model "
        "that answered"
    )


def test_what_other_processes_and_earlier_drains_spent_counts() -> None:
    with pytest.raises(Halted):
        after(Spent(cost=0.9, dearest=0.06), answered(0.01))
    budget, _ = after(Spent(cost=0.8, dearest=0.05, unknown=1), answered(0.01))
    assert budget.total == pytest.approx(0.86)


@pytest.mark.parametrize(("limit", "found"), [(0.55, 0.2), (0.55, 0.3)], ids=["added", "counted twice"])
def test_an_outcome_that_comes_during_a_look_counts_until_the_next_look_says_better(
    limit: float, found: float
) -> None:
    """What the second look finds may hold the outcome that came meanwhile: before the drain stops for want of
    money, a third look says so.
    """
    halt, times = Halt(), [0.0]

    async def run() -> list[float]:
        looking, go_on = asyncio.Event(), asyncio.Event()
        looks = []

        async def look() -> Spent:
            looks.append(times[0])
            if len(looks) == 2:
                looking.set()
                await go_on.wait()
            return Spent(cost=0.2 if len(looks) == 1 else found, dearest=0.1)

        budget = Budget(limit, look, halt, clock=lambda: times[0])
        async with budget.room() as count:
            times[0] = 60.0
            second = asyncio.create_task(_held(budget))
            await looking.wait()
            count(answered(0.1))
            go_on.set()
            await asyncio.sleep(0)
        await second
        return [budget.total, len(looks)]

    total, looks = asyncio.run(run())
    assert halt.reason is None
    assert total == pytest.approx(0.3)
    assert looks == (2 if found == 0.2 else 3)


async def _held(budget: Budget) -> None:
    async with budget.room():
        pass


def replies(cost: float | None) -> MemoryDriver:
    body = json.dumps({"p": 0.5, **({} if cost is None else {"cost": cost})}).encode()
    return MemoryDriver(lambda place, times: replace(ok(), body=body))


@pytest.mark.parametrize("workers", [1, 4])
def test_a_drain_stops_before_the_limit_and_the_rest_stays_pending(
    engine: Engine, planned: PlanRun, workers: int
) -> None:
    driver = replies(0.25)
    summary = drained(engine, planned(8), driver, workers=workers, max_cost=1.1)
    assert (summary.exit_code, summary.cost, len(driver.bodies)) == (1, 0.75, 3)
    assert statuses(engine) == {"answered": 3, "pending": 5}
    assert len(attempts(engine)) == 3
    assert summary.stopped == (
        "--max-cost $1.10: $0.75 is spent and the next call may cost $0.50; a higher limit goes on"
    )


@settings(max_examples=6, deadline=None)
@given(st.floats(0.5, 5.0), ALIKE, WORKERS)
def test_whatever_a_server_says_its_replies_cost_a_drain_keeps_to_the_limit(
    limit: float, costs: list[float], workers: int
) -> None:
    shares = [min(cost, limit) for cost in costs]
    bodies = [json.dumps({"p": 0.5, "cost": cost}).encode() for cost in shares]
    driver = MemoryDriver(lambda place, times: replace(ok(), body=bodies[place % len(bodies)]))
    with TemporaryDirectory() as folder:
        engine = open_store(f"{folder}/jevbias.db")
        create_run(engine, small_plan(12), name="small", **RUN_SETTINGS)
        summary = drained(engine, find_run(engine, "small"), driver, workers=workers, max_cost=limit)
        engine.dispose()
    assert (summary.cost or 0.0) <= limit + CLOSE
    assert (summary.stopped is None) == (summary.pending == 0)


def test_a_limit_holds_for_all_drains_of_a_run_together(engine: Engine, planned: PlanRun) -> None:
    run = planned(8)
    assert drained(engine, run, replies(0.25), max_cost=1.1).sent_now == 3
    assert drained(engine, run, replies(0.25), max_cost=1.1).sent_now == 0
    raised = drained(engine, run, replies(0.25), max_cost=1.6)
    assert (raised.sent_now, raised.cost) == (2, 1.25)
    assert drained(engine, run, replies(0.25)).exit_code == 0


def test_a_server_that_names_no_cost_is_asked_once(engine: Engine, planned: PlanRun) -> None:
    driver = replies(None)
    summary = drained(engine, planned(8), driver, max_cost=1.0)
    assert (summary.exit_code, len(driver.bodies)) == (1, 1)
    assert "names no cost" in (summary.stopped or "")
    assert statuses(engine) == {"answered": 1, "pending": 7}


def test_timeouts_are_paid_for_as_far_as_the_limit_knows(engine: Engine, planned: PlanRun) -> None:
    body = json.dumps({"p": 0.5, "cost": 0.25}).encode()
    driver = MemoryDriver(lambda place, times: replace(ok(), body=body) if place == 0 else timed_out())
    summary = drained(engine, planned(8), driver, workers=1, max_cost=1.3, max_attempts=9)
    assert len(driver.bodies) == 4
    assert "$1.00 is spent if 3 sends of unknown cost took as much as the dearest" in (summary.stopped or "")


def test_what_is_spent_is_the_ended_sends_of_this_run(engine: Engine, planned: PlanRun) -> None:
    run = planned(8)
    bodies = {0: {"p": 0.5, "cost": 0.25}, 1: {"p": 0.5}, 2: {"p": 0.5, "cost": 0.5}}

    def script(place: int, times: int) -> Reply:
        if place in bodies:
            return replace(ok(), body=json.dumps(bodies[place]).encode())
        return timed_out() if place == 3 else status(422)

    drained(engine, run, MemoryDriver(script), workers=1, max_attempts=1)
    with reading(engine) as connection:
        assert spent_on(connection, run.id or 0) == Spent(0.75, 0.5, 2)
        assert spent_on(connection, (run.id or 0) + 1) == Spent(0.0, None, 0)


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (0.0, "$0.00"),
        (1234.5, "$1,234.50"),
        (0.4949, "$0.49"),
        (0.0951, "$0.10"),
        (0.042, "$0.042"),
        (0.0026, "$0.0026"),
        (0.00094, "$0.00094"),
        (0.0000213, "$2.1e-05"),
    ],
)
def test_money_shows_cents_or_two_digits(dollars: float, shown: str) -> None:
    assert money(dollars) == shown
