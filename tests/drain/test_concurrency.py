"""The control law: slow start, additive increase, multiplicative decrease, and where it settles."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drain.concurrency import FIRST, REGAINED, USUALLY, Concurrency
from jevbias.drain.options import LONGEST_WAIT
from tests.drain.limited import AtOnce, Limit, PerSecond
from tests.drain.simulated import simulate


def steady(seconds: float) -> Callable[[random.Random], float]:
    return lambda drawn: seconds


def uneven(seconds: float) -> Callable[[random.Random], float]:
    """Latencies with a mean of so many seconds; one in twenty takes twice as long or more."""
    return lambda drawn: seconds * math.exp(drawn.gauss(-0.125, 0.5))


def law(workers: int = 16) -> Concurrency:
    return Concurrency(workers, 0.5, random.Random(7).random)


def settled(workers: int = 16) -> Concurrency:
    """One that has met a limit between 7 and 8, and knows a latency of 0.1 s."""
    found = law(workers)
    for _ in range(4):
        found.answered(0.0, 0.1)
    found.refuse(0.2, 0.2, None)
    return found


@pytest.mark.parametrize("hint", [None, 0.0, 1.0])
@pytest.mark.parametrize(
    ("rate", "burst", "latency"),
    [
        (20, 2, steady(0.005)),
        (20, 5, steady(0.05)),
        (30, 5, steady(0.05)),
        (100, 5, steady(0.05)),
        (20, 5, uneven(0.3)),
        (105, 10, uneven(0.05)),
        (2, 2, uneven(0.3)),
    ],
)
def test_throughput_settles_within_a_tenth_of_a_limit_of_requests_a_second(
    rate: float, burst: float, latency: Callable[[random.Random], float], hint: float | None
) -> None:
    found = simulate(law(), PerSecond(rate, burst), latency, 100, hint=hint)
    assert 0.88 * rate <= found.throughput(20, 100) <= 1.02 * rate
    assert found.worst <= 6
    assert len(found.refused) < 0.15 * len(found.taken) + 60


@pytest.mark.parametrize("hint", [None, 0.0, 1.0])
@pytest.mark.parametrize(
    ("places", "seconds"), [(1, 0.05), (2, 0.05), (4, 0.3), (7, 0.05), (15, 0.3), (1, 5.0), (6, 20.0)]
)
def test_throughput_settles_within_a_tenth_of_a_limit_of_requests_at_once(
    places: int, seconds: float, hint: float | None
) -> None:
    lasts = max(100.0, 60 * seconds)
    found = simulate(law(), AtOnce(places, seconds), steady(seconds), lasts, hint=hint)
    assert found.throughput(lasts / 5, lasts) >= 0.9 * places / seconds
    assert found.worst <= 6


@dataclass
class Changing:
    """One limit until some moment, another from then on."""

    before: Limit
    after: Limit
    moment: float

    def admits(self, now: float) -> bool:
        return (self.before if now < self.moment else self.after).admits(now)


def test_a_limit_that_rises_or_falls_is_followed() -> None:
    risen = simulate(law(), Changing(AtOnce(2, 0.1), AtOnce(12, 0.1), 30), steady(0.1), 90)
    assert risen.throughput(70, 90) >= 0.9 * 120
    fallen = simulate(law(), Changing(AtOnce(12, 0.1), AtOnce(2, 0.1), 30), steady(0.1), 90)
    assert fallen.throughput(50, 90) >= 0.9 * 20
    assert sum(at > 50 for at in fallen.refused) < 40


def test_without_a_refusal_every_worker_is_at_work_after_two_round_trips() -> None:
    started = law(16)
    assert started.at_once == FIRST == 4
    for _ in range(4):
        started.answered(0.0, 1.0)
    assert (started.at_once, started.is_open) == (8, False)
    for _ in range(8):
        started.answered(1.0, 2.0)
    assert (started.at_once, started.is_open) == (16, True)
    assert started.wait(15, 2.0) == 0.0


def test_the_first_refusal_halves_and_the_next_ones_take_little() -> None:
    found = settled()
    assert found.level == 4.0
    found.answered(5.0, 5.3)
    before = found.level
    found.refuse(6.0, 6.1, None)
    assert found.level == pytest.approx(USUALLY * before)


def test_refusals_of_one_round_count_once() -> None:
    found = settled()
    level = found.level
    for _ in range(6):
        found.refuse(0.19, 0.25, None)  # Sent before the level fell.
    assert (found.level, found.refused_rounds) == (level, 1)


def test_the_increase_is_additive_and_quickens_only_where_no_refusal_comes() -> None:
    found = settled(workers=100)
    levels = [found.level]
    for tenth in range(1, int(30 * REGAINED)):
        found.answered(0.2 + tenth / 10 - 0.1, 0.2 + tenth / 10)
        levels.append(found.level)
    steps = [after - before for before, after in pairwise(levels)]
    first, second = steps[2 : int(9 * REGAINED)], steps[int(11 * REGAINED) : int(19 * REGAINED)]
    assert first == pytest.approx([first[0]] * len(first))
    assert second == pytest.approx([2 * first[0]] * len(second))
    assert levels[int(10 * REGAINED)] == pytest.approx(8.0, abs=0.3), "back where the refusal came"


def test_nothing_is_sent_while_the_servers_hint_lasts() -> None:
    found = settled()
    found.refuse(1.0, 1.1, 7.0)
    assert found.wait(0, 1.1) == pytest.approx(7.0)
    assert found.wait(0, 8.2) == 0.0


def test_pauses_double_while_nothing_but_refusals_comes_back_and_an_answer_ends_them() -> None:
    found = settled()
    now, pauses = 0.3, []
    for _ in range(9):
        found.refuse(now, now + 0.1, None)
        now += 0.1
        pauses.append(found.held_until - now)
        now = found.held_until
    for place, pause in enumerate(pauses):
        low, high = min(LONGEST_WAIT, 0.5 * 2**place), min(LONGEST_WAIT, 1.0 * 2**place)
        assert low - 1e-6 <= pause <= high + 1e-6
    assert found.refused_rounds == 10
    found.answered(now, now + 0.1)
    assert found.refused_rounds == 0


@given(
    workers=st.integers(1, 200),
    steps=st.lists(
        st.tuples(
            st.sampled_from(["sent", "answered", "refused"]),
            st.floats(0, 100),
            st.none() | st.floats(0, 1e9),
        ),
        max_size=80,
    ),
)
@settings(derandomize=True, deadline=None, max_examples=80)
def test_whatever_comes_back_something_may_be_sent_within_a_minute_and_no_more_than_by_all_workers(
    workers: int, steps: list[tuple[str, float, float | None]]
) -> None:
    found, now = law(workers), 0.0
    for what, after, hint in steps:
        sent_at, now = now, now + after
        if what == "sent":
            found.sent(now)
        elif what == "answered":
            found.answered(sent_at, now)
        else:
            found.refuse(sent_at, now, hint)
        assert 0 < found.level <= workers
        assert 1 <= found.at_once <= workers
        assert found.wait(workers, now) == math.inf
        assert found.wait(0, now) <= LONGEST_WAIT + 1e-6
