"""What servers do to a drain, over HTTP and through the System One driver."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest
from sqlalchemy import Engine

from jevbias.drain.drain import drain
from jevbias.drain.summary import DrainSummary
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.store.tables import Run
from tests.drain.conftest import PlanRun
from tests.drain.draining import Recorder, answers, attempts, options, probes, statuses
from tests.drivers.loopback import Loopback, Reaction, http_reply, loopback, open_transport

ANSWER = json.dumps(
    {
        "model": "jev-1.13.0",
        "answers": {key: {"type": "noul", "noul": 0.7} for key in ("advance", "trust")},
        "usage": {"input_tokens": 100, "output_tokens": 4},
    }
).encode()
GOOD = http_reply(200, ANSWER)
PAST = "Wed, 21 Oct 2015 07:28:00 GMT"


def put(
    engine: Engine, run: Run, *replies: bytes | Reaction, view: Recorder | None = None, **given: float
) -> tuple[DrainSummary, Loopback, float]:
    """Drain a run with one worker; returns what came of it, the server, and the seconds it took."""
    chosen = options(**{"workers": 1, "timeout": 2.0, **given})

    async def run_it() -> tuple[DrainSummary, Loopback, float]:
        async with loopback(*replies) as server:
            driver = SystemOneDriver("jev", "jev-1.13.0", open_transport(server.url, timeout=chosen.timeout))
            begun = time.monotonic()
            try:
                return await drain(engine, run, driver, chosen, view), server, time.monotonic() - begun
            finally:
                await driver.aclose()

    return asyncio.run(run_it())


@pytest.mark.parametrize("code", [429, "429"])
def test_a_success_that_carries_a_refusal_is_one(engine: Engine, planned: PlanRun, code: object) -> None:
    busy = json.dumps({"choices": None, "error": {"code": code, "message": "busy"}}).encode()
    summary, server, _ = put(engine, planned(2), http_reply(200, busy), GOOD, max_attempts=1)
    assert (summary.answered, summary.sends) == (2, 3)
    assert len(server.requests) == 3
    assert [(row.outcome, row.http_status) for row in attempts(engine)] == [
        ("http_429", 200), ("answered", 200), ("answered", 200)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "headers",
    [
        [f"Retry-After: {PAST}"],
        ["Retry-After: 0"],
        ["Retry-After: -5"],
        ["Retry-After: nan"],
        ["Retry-After: inf"],
        ["Retry-After: soon", "retry-after-ms: later"],
        ["retry-after-ms: 0", "Retry-After: 3600"],
        ["retry-after-ms: -1"],
        [],
    ],
)
@pytest.mark.parametrize("code", [429, 503])
def test_a_hint_that_says_now_or_nothing_costs_no_time(
    engine: Engine, planned: PlanRun, code: int, headers: list[str]
) -> None:
    summary, _, seconds = put(engine, planned(1), http_reply(code, b"busy", *headers), GOOD)
    assert (summary.answered, summary.sends, summary.stopped) == (1, 2, None)
    assert seconds < 20


@pytest.mark.parametrize(
    "header",
    [
        lambda: ["Retry-After: 1"],
        lambda: ["retry-after-ms: 1000", "Retry-After: 3600"],
        lambda: ["retry-after-ms: later", "Retry-After: 1"],
        lambda: [f"Retry-After: {formatdate(time.time() + 2, usegmt=True)}"],
    ],
)
@pytest.mark.parametrize("code", [429, 503])
def test_a_hint_is_waited_for_whatever_its_form(
    engine: Engine, planned: PlanRun, code: int, header: Callable[[], list[str]]
) -> None:
    summary, _, seconds = put(engine, planned(1), http_reply(code, b"busy", *header()), GOOD)
    assert (summary.answered, summary.sends) == (1, 2)
    assert 0.9 <= seconds < 20


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        (["Retry-After: 61"], 61),
        (["retry-after-ms: 90000", "Retry-After: 1"], 90),
        (["Retry-After: 86400"], 86_400),
        (["Retry-After: 99999999999"], 7 * 86_400),
        (["Retry-After: 1e300"], 7 * 86_400),
        (["Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"], 7 * 86_400),
    ],
)
def test_a_hint_beyond_a_minute_parks_the_probe_and_the_user_is_told(
    engine: Engine, planned: PlanRun, headers: list[str], wait: float
) -> None:
    view = Recorder()
    summary, server, seconds = put(engine, planned(2), http_reply(429, b"busy", *headers), GOOD, view=view)
    assert seconds < 30
    assert len(server.requests) == 2
    assert (summary.answered, summary.pending, summary.failed, summary.exit_code) == (1, 1, 0, 1)
    (parked,) = (probe for probe in probes(engine) if probe.status == "pending")
    assert parked.not_before == pytest.approx(time.time() + wait, abs=30, rel=1e-9)
    assert len(view.notes) == 1
    assert "the server asks to wait" in view.notes[0]
    assert summary.stopped is not None
    assert "parked until" in summary.stopped


def test_a_timeout_is_possibly_billed_and_every_attempt_counts(engine: Engine, planned: PlanRun) -> None:
    async def sleep(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1.5)

    summary, server, _ = put(engine, planned(1), sleep, GOOD, timeout=0.75)
    assert (summary.answered, summary.sends, summary.possible_sends) == (1, 1, 1)
    assert len(server.requests) == 2
    first, second = attempts(engine)
    assert (first.outcome, first.http_status, first.possibly_billed) == ("timeout", None, True)
    assert first.duration_ms >= 700
    assert (second.outcome, second.possibly_billed) == ("answered", False)


def test_a_server_that_always_sleeps_is_sent_no_more_than_the_attempts_allow(
    engine: Engine, planned: PlanRun
) -> None:
    async def sleep(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1.0)

    summary, server, _ = put(engine, planned(1), sleep, timeout=0.3, max_attempts=2)
    assert (summary.failed, summary.sends, summary.possible_sends) == (1, 0, 2)
    assert len(server.requests) == len(attempts(engine)) == 2


STOPPING = [
    http_reply(401, b'{"detail": "bad key"}'),
    http_reply(402, b'{"error": {"code": 402, "message": "no credit"}}'),
    http_reply(403, b'{"detail": {"error_type": "forbidden"}}'),
    http_reply(404, b"<html>nothing here</html>"),
    http_reply(200, b'{"error": {"code": "402", "message": "no credit"}}'),
    http_reply(200, b"<html>a page</html>", "Content-Type: text/html"),
    http_reply(200, b"hello"),
    http_reply(200, b"[1, 2]"),
    http_reply(301, b"", "Location: http://127.0.0.1:1/elsewhere"),
]


@pytest.mark.parametrize("reply", STOPPING)
def test_what_holds_for_every_probe_stops_in_one_line_and_a_resume_goes_on(
    engine: Engine, planned: PlanRun, reply: bytes
) -> None:
    run = planned(10)
    summary, server, _ = put(engine, run, GOOD, GOOD, GOOD, reply)
    assert summary.stopped is not None
    assert "\n" not in summary.stopped
    assert server.url in summary.stopped
    assert len(server.requests) == 4
    assert (summary.answered, summary.pending, summary.failed, summary.exit_code) == (3, 7, 0, 1)
    assert statuses(engine) == {"answered": 3, "pending": 7}
    assert {probe.attempts for probe in probes(engine) if probe.status == "pending"} == {0}
    resumed, again, _ = put(engine, run, GOOD)
    assert (resumed.answered, resumed.pending, resumed.exit_code) == (10, 0, 0)
    assert len(again.requests) == 7
    assert resumed.sends == 11


def test_a_413_is_not_sent_again_and_says_why(engine: Engine, planned: PlanRun) -> None:
    summary, server, _ = put(engine, planned(3), http_reply(413, b"<html>413</html>"), GOOD)
    assert (summary.answered, summary.failed, summary.stopped) == (2, 1, None)
    assert len(server.requests) == 3
    (failed,) = (probe for probe in probes(engine) if probe.status == "failed")
    assert failed.error_kind == "http_413"
    assert "413" in failed.error


PACKED = gzip.compress(ANSWER, mtime=0)


@pytest.mark.parametrize("body", [PACKED[:-8], PACKED[:-1], PACKED[: len(PACKED) // 2]])
def test_a_body_cut_short_inside_its_compression_is_no_answer(
    engine: Engine, planned: PlanRun, body: bytes
) -> None:
    whole = http_reply(200, PACKED, "Content-Encoding: gzip")
    summary, server, _ = put(engine, planned(1), http_reply(200, body, "Content-Encoding: gzip"), whole)
    assert (summary.answered, summary.malformed) == (1, 0)
    assert len(server.requests) == 2
    first, second = attempts(engine)
    assert (first.outcome, first.possibly_billed) == ("truncated", True)
    assert second.outcome == "answered"
    assert {answer.value for answer in answers(engine)} == {0.7}


@pytest.mark.parametrize("body", [b"", ANSWER[:-1], ANSWER[:20]])
def test_a_success_that_ends_too_early_may_have_been_billed(
    engine: Engine, planned: PlanRun, body: bytes
) -> None:
    until_closed = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + body
    summary, _, _ = put(engine, planned(1), until_closed, http_reply(200, ANSWER))
    assert summary.answered == 1
    first, second = attempts(engine)
    assert (first.outcome, first.possibly_billed, second.possibly_billed) == ("truncated", True, False)


def test_five_identical_permanent_errors_stop_and_everything_unanswered_is_pending(
    engine: Engine, planned: PlanRun
) -> None:
    refusal = http_reply(400, b'{"detail": {"error_type": "max_tokens_exceeded"}}')
    summary, server, _ = put(engine, planned(20), GOOD, refusal)
    assert len(server.requests) == 6
    assert summary.stopped is not None
    assert "5 probes in a row failed for the same reason" in summary.stopped
    assert "max_tokens_exceeded" in summary.stopped
    assert (summary.answered, summary.failed, summary.pending) == (1, 0, 19)
