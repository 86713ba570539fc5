"""What a user sees of a drain."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import time
from dataclasses import replace

import pytest

from jevbias.drain.options import DrainOptions
from jevbias.drain.progress import DrainState, LineView, choose_view, described, duration
from jevbias.drain.rich_view import RichView
from jevbias.drain.summary import DrainSummary, shown_cost, shown_tokens
from jevbias.drain.tally import Tally
from jevbias.store.outcomes import Lease
from jevbias.store.progress import RunProgress
from tests.store.small import completed

STATE = DrainState("jev-pilot", 388, 97, 95, 2, 8, 12.0, rate=8.0, eta_seconds=36.4, cost=0.0123)


def test_the_state_in_one_line() -> None:
    assert described(STATE) == "97/388 · 2 failed · 8.0/s · ETA 36.4 s · $0.0123"
    waiting = replace(STATE, failed=0, rate=None, eta_seconds=None, cost=None, waiting="backing off 12 s")
    assert described(waiting) == "97/388 · rate n/a · ETA n/a · cost n/a · backing off 12 s"
    held = replace(waiting, held="3.8 of 8 at once after HTTP 429")
    assert described(held).endswith(" · 3.8 of 8 at once after HTTP 429 · backing off 12 s")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0.0 s"), (8.44, "8.4 s"), (200.0, "3 min 20 s"), (59.99, "1 min 0 s"), (7_500.0, "2 h 5 min")],
)
def test_durations_are_said_as_people_say_them(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_a_log_gets_a_line_at_the_start_now_and_then_and_at_the_end() -> None:
    stream = io.StringIO()
    view = choose_view(stream)
    assert isinstance(view, LineView)
    view.start(replace(STATE, done=0))
    for _ in range(100):
        view.update(STATE)
    view.note("the server asks to wait")
    view.stop(replace(STATE, done=388))
    assert stream.getvalue().splitlines() == [
        "jev-pilot: 0 of 388 done, 388 to go",
        "the server asks to wait",
        "jev-pilot: 388 of 388 done in 12.0 s",
    ]
    stream.truncate(0)
    often = LineView(stream, every=0.0)
    often.start(STATE)
    often.update(STATE)
    assert f"jev-pilot: {described(STATE)}" in stream.getvalue()


def test_a_terminal_gets_a_bar_and_text_that_looks_like_markup_stays_text() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        view = choose_view(terminal)
        assert isinstance(view, RichView)
        held, waiting = "3.8 of 8 at once [/b]", "backing off 12 s after HTTP 429 [/b]"
        view.start(replace(STATE, run="[he/him] [/b]", held=held, waiting=waiting))
        view.note("a line [/b] that stays")
        time.sleep(0.3)
        view.stop(STATE)
    shown = ""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:
            break
        if not part:
            break
        shown += part.decode()
    os.close(ours)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "[he/him] [/b]" in plain
    assert "a line [/b] that stays" in plain
    assert "3.8 of 8 at once [/b] · backing off 12 s after HTTP 429 [/b]" in plain
    assert "25%" in plain


SUMMARY = DrainSummary(
    run="jev-pilot", answered=380, refused=1, malformed=2, failed=3, pending=2, sends=390, possible_sends=4,
    sent_now=394, input_tokens=123_456, output_tokens=None, cost=0.0051, uncosted=2, seconds=75.0,
    stopped="no credit", failures={"http_500": 3, "no_answers": 2, "refusal": 1},
)  # fmt: skip


def test_the_summary_adds_up_and_says_why_it_stopped_and_how_to_go_on() -> None:
    assert SUMMARY.lines() == [
        "jev-pilot: answered 380 of 388, refused 1, malformed 2, failed 3, pending 2",
        "without an answer: http_500 3, no_answers 2, refusal 1",
        "390 sends and 4 possible; tokens 123,456 in, n/a out; cost $0.0051 without 2 unpriced; 1 min 15 s",
        "stopped: no credit",
        "2 pending; `jevbias run --resume jev-pilot` goes on",
        "to send the 3 failed, 2 malformed again: `jevbias reset --failed --run jev-pilot`, "
        "then `jevbias run --resume jev-pilot`",
    ]


def test_the_commands_that_go_on_name_the_database_that_was_named() -> None:
    lines = SUMMARY.lines(" --db other.db")
    assert lines[-2] == "2 pending; `jevbias run --resume jev-pilot --db other.db` goes on"
    assert lines[-1].endswith(
        "`jevbias reset --failed --run jev-pilot --db other.db`, "
        "then `jevbias run --resume jev-pilot --db other.db`"
    )


def test_a_run_that_is_through_says_no_more_than_its_figures() -> None:
    nothing = dict.fromkeys(("refused", "malformed", "failed", "pending", "possible_sends"), 0)
    unsaid = dict.fromkeys(("stopped", "cost", "input_tokens"))
    done = replace(SUMMARY, answered=388, sends=1, failures={}, **nothing, **unsaid)  # type: ignore[arg-type]
    assert done.lines() == [
        "jev-pilot: answered 388 of 388",
        "1 send; tokens n/a; cost n/a; 1 min 15 s",
    ]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"failed": 0, "stopped": None, "pending": 0}, 0),
        ({"failed": 0, "stopped": None, "pending": 0, "refused": 9, "malformed": 9}, 0),
        ({"failed": 1, "stopped": None, "pending": 0}, 1),
        ({"failed": 0, "stopped": "no credit"}, 1),
        ({"failed": 1, "stopped": None, "interrupted": True}, 130),
        ({"failed": 0, "stopped": None, "pending": 0, "answered": 0, "malformed": 9}, 1),
        ({"failed": 0, "stopped": None, "pending": 0, "answered": 0, "malformed": 0}, 1),
        ({"failed": 0, "stopped": None, "pending": 9, "answered": 0, "malformed": 0, "refused": 0}, 0),
    ],
)
def test_the_summary_owns_the_exit_code(changes: dict[str, object], code: int) -> None:
    assert replace(SUMMARY, **changes).exit_code == code  # type: ignore[arg-type]


def _progress(done: int) -> RunProgress:
    return RunProgress(
        run_id=1, name="r", status="running", probes=100, failures={}, incomplete=0, answers=0, sends=done,
        by_status={"pending": 100 - done, "running": 0, "answered": done, "refused": 0, "malformed": 0,
                   "failed": 0},
        possible_sends=0, input_tokens=None, output_tokens=None, cost=None, uncosted=0, parked=0,
        next_at=None, abandoned=0, started_at=None, finished_at=None, last_activity=None, rate=None,
        eta_seconds=None,
    )  # fmt: skip


def test_what_is_completed_during_a_look_at_the_database_is_not_forgotten() -> None:
    tally = Tally.begin(_progress(10))
    tally.completed(completed(Lease(1, 1)))
    assert tally.done == 11

    async def look() -> RunProgress:
        tally.completed(completed(Lease(2, 1)))
        return _progress(14)  # As it was when the look began.

    asyncio.run(tally.refresh(look()))
    assert (tally.done, tally.answered, tally.cost) == (15, 15, 0.25)
    tally.completed(completed(Lease(3, 1)))
    assert tally.done == 16


def test_the_rate_and_the_eta_come_from_the_last_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("jevbias.drain.tally.time.monotonic", lambda: now)
    tally = Tally.begin(_progress(10))
    assert (tally.state().rate, tally.state().eta_seconds) == (None, None)
    for _ in range(20):  # One in two seconds at first …
        now += 2.0
        tally.done += 1
        state = tally.state()
    assert state.rate == pytest.approx(0.5)
    assert state.eta_seconds == pytest.approx(70 / 0.5)
    for _ in range(20):  # … and then one a second.
        now += 2.0
        tally.done += 2
        state = tally.state()
    assert state.rate == pytest.approx(1.0)
    assert state.eta_seconds == pytest.approx(30 / 1.0)
    now += 40
    assert tally.state().rate is None, "nothing has moved for half a minute"


def test_the_longest_wait_is_shown_with_how_many_wait() -> None:
    tally = Tally.begin(_progress(0))
    tally.idle("waiting for 2 parked")
    assert tally.state().waiting == "waiting for 2 parked"
    with tally.waiting(3.0, "HTTP 500"):
        assert tally.state().waiting == "backing off 3 s after HTTP 500"
        with tally.waiting(12.0, "HTTP 429"):
            assert tally.state().waiting == "2 workers backing off 12 s after HTTP 429"
    tally.idle(None)
    assert tally.state().waiting is None


def test_defaults_are_those_of_the_settings() -> None:
    options = DrainOptions()
    assert (options.workers, options.max_attempts, options.timeout, options.rate) == (8, 3, 30.0, None)


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        ((1_000_000, 840_000, 50_000), "1,000,000 in (840,000 cached), 50,000 out"),
        ((1_000, 0, 50), "1,000 in, 50 out"),
        ((1_000, None, None), "1,000 in, n/a out"),
        ((None, None, None), "n/a"),
    ],
)
def test_cached_tokens_are_named_where_there_are_any(
    tokens: tuple[int | None, int | None, int | None], shown: str
) -> None:
    assert shown_tokens(*tokens) == shown


@pytest.mark.parametrize(
    ("cost", "costed", "shown"),
    [
        (8.0213, 3_000, "$8.0213 ($0.0027 a call)"),
        (0.0125, 388, "$0.0125"),
        (0.0026, 1, "$0.0026"),
        (None, 0, "n/a"),
    ],
)
def test_what_a_call_costs_is_named_where_it_can_be_seen(cost: float | None, costed: int, shown: str) -> None:
    assert shown_cost(cost, costed) == shown
