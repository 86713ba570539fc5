"""Faults at work: which request they befall, what it gets, and that they befall no other."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.fault_plan import Above, FaultPlan, FaultReply, FaultRule, When
from jevbias.mock.faults import Faults
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.mock.http import NO_CERTIFICATES, get, post
from tests.mock.payloads import chat_payload, payload

SYSTEM_ONE = "/v1/systemone"
FAIL = FaultReply(status=500)


@contextmanager
def faulty(catalogue: Catalogue, reply: FaultReply, **when: Any) -> Iterator[RunningMock]:
    plan = FaultPlan(faults=[FaultRule(when=When(**when), reply=reply)])
    with running_mock(MockModel(catalogue), faults=plan) as running:
        yield running


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def struck(when: When, bodies: list[bytes], seed: int = 1) -> list[bool]:
    """Which of these System One requests, one after the other, a rule is for."""
    faults = Faults(FaultPlan(seed=seed, faults=[FaultRule(when=when, reply=FAIL)]))
    found = []
    for body in bodies:
        with faults.during("systemone", SYSTEM_ONE, body) as fault:
            found.append(fault is not None)
    return found


# Without faults


def test_without_faults_system_one_answers_what_the_model_says_byte_for_byte(catalogue: Catalogue) -> None:
    bodies = [payload(catalogue, key) for key in catalogue.scenarios]
    served = []
    for plan in (None, FaultPlan()):
        with running_mock(MockModel(catalogue, seed=3), faults=plan) as mock:
            served.append([post(mock, SYSTEM_ONE, body).raw for body in bodies * 2])
    model = MockModel(catalogue, seed=3)
    assert served[0] == served[1] == [canonical_json(model.answer(body)) for body in bodies * 2]


# Which requests


def test_a_rule_is_for_its_face_its_path_and_its_text_alone() -> None:
    faults = Faults(FaultPlan(faults=[FaultRule(when=When(face="chat", contains="Ọlá"), reply=FAIL)]))

    def hit(faults: Faults, face: Any, path: str, text: str) -> bool:
        with faults.during(face, path, text.encode()) as fault:
            return fault is not None

    assert hit(faults, "chat", "/v1/chat/completions", "to Ọlá from")
    assert not hit(faults, "chat", "/v1/chat/completions", "to Ola from")
    assert not hit(faults, "systemone", SYSTEM_ONE, "to Ọlá from")
    routed = "/api/v1/chat/completions"
    by_path = Faults(FaultPlan(faults=[FaultRule(when=When(path=routed), reply=FAIL)]))
    assert hit(by_path, "chat", routed, "")
    assert not hit(by_path, "chat", "/v1/chat/completions", "")


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.integers(1, 12), st.integers(1, 12))
def test_requests_are_counted_from_one_as_they_come(number: int, step: int) -> None:
    bodies = [b"body"] * 12
    places = range(1, 13)
    assert struck(When(nth=number), bodies) == [place == number for place in places]
    assert struck(When(every=step), bodies) == [place % step == 0 for place in places]
    assert struck(When(first=number), bodies) == [place >= number for place in places]
    assert struck(When(last=number), bodies) == [place <= number for place in places]
    assert struck(When(times=number), bodies) == [place <= number for place in places]


def test_times_are_counted_for_each_body() -> None:
    assert struck(When(times=1), [b"a", b"b", b"a", b"c", b"b"]) == [True, True, False, True, False]


def test_a_share_is_the_same_bodies_every_time_and_others_under_another_seed() -> None:
    bodies = [f"body {n}".encode() for n in range(2000)]
    first = struck(When(share=0.2), bodies)
    assert 340 < sum(first) < 460
    assert struck(When(share=0.2), bodies[::-1])[::-1] == first
    assert struck(When(share=0.2), bodies, seed=2) != first
    assert sum(struck(When(share=0), bodies)) == 0
    assert sum(struck(When(share=1), bodies)) == 2000


def test_the_first_rule_that_fits_decides_and_every_rule_counts() -> None:
    rules = [
        FaultRule(when=When(nth=2), reply=FaultReply(status=401)),
        FaultRule(when=When(every=2), reply=FaultReply(status=402)),
    ]
    faults, statuses = Faults(FaultPlan(faults=rules)), []
    for _ in range(4):
        with faults.during("systemone", SYSTEM_ONE, b"") as fault:
            statuses.append(fault.status if fault else None)
    assert statuses == [None, 401, None, 402]


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.floats(0.5, 200), st.integers(1, 50), st.lists(st.floats(0, 0.5), min_size=1, max_size=60))
def test_a_hidden_rate_lets_through_its_burst_and_its_rate_and_no_more(
    rate: float, burst: int, pauses: list[float]
) -> None:
    clock = Clock()
    above = Above(per_second=rate, burst=burst)
    faults = Faults(FaultPlan(faults=[FaultRule(when=When(above=above), reply=FAIL)]), clock)
    passed = 0
    for pause in pauses:
        clock.now += pause
        with faults.during("systemone", SYSTEM_ONE, b"") as fault:
            passed += fault is None
    assert passed <= burst + rate * clock.now + 1e-6
    assert passed >= min(len(pauses), burst)


def test_what_a_rate_refuses_takes_nothing_from_it() -> None:
    clock = Clock()
    rule = FaultRule(when=When(above=Above(per_second=10, burst=1)), reply=FAIL)
    faults, passed = Faults(FaultPlan(faults=[rule]), clock), 0
    for _ in range(1001):
        with faults.during("systemone", SYSTEM_ONE, b"") as fault:
            passed += fault is None
        clock.now += 0.01
    assert passed == pytest.approx(101, abs=1)


def test_a_hidden_concurrency_refuses_what_comes_while_so_many_are_in_flight() -> None:
    faults = Faults(FaultPlan(faults=[FaultRule(when=When(above=Above(concurrent=2)), reply=FAIL)]))
    request = ("systemone", SYSTEM_ONE, b"")
    with faults.during(*request) as first:  # type: ignore[arg-type]
        with faults.during(*request) as second, faults.during(*request) as third:  # type: ignore[arg-type]
            assert (first, second, third) == (None, None, FAIL)
        with faults.during(*request) as fourth:  # type: ignore[arg-type]
            assert fourth is None


# What they get


def test_a_status_has_its_headers_and_the_faces_own_words(catalogue: Catalogue) -> None:
    reply = FaultReply(status=429, headers={"Retry-After": "7", "retry-after-ms": "50"})
    with faulty(catalogue, reply) as mock:
        direct = post(mock, SYSTEM_ONE, payload(catalogue))
        assert (direct.status, direct.content) == (429, {"detail": "Too Many Requests"})
        assert (direct.headers["retry-after"], direct.headers["retry-after-ms"]) == ("7", "50")
        chat = post(mock, "/v1/chat/completions", chat_payload(catalogue))
        assert chat.content["error"] == {
            "code": 429,
            "message": "Too Many Requests",
            "type": "invalid_request_error",
        }
        assert get(mock, "/api/v1/models").status == 429
        assert [row["status"] for row in get(mock, "/ledger").content] == [429, 429]
        assert mock.model.times_asked(get(mock, "/ledger").content[0]["sha256"]) == 0


@pytest.mark.parametrize("status", [200, 204, 301, 304, 400, 413, 500, 529, 599])
def test_every_status_can_be_given(catalogue: Catalogue, status: int) -> None:
    with faulty(catalogue, FaultReply(status=status)) as mock:
        assert post(mock, SYSTEM_ONE, b"{}").status == status


def test_a_body_is_sent_as_it_is_with_a_type_of_ones_choice(catalogue: Catalogue) -> None:
    with faulty(catalogue, FaultReply(body="<html>no</html>", headers={"content-type": "text/html"})) as mock:
        reply = post(mock, SYSTEM_ONE, b"{}")
        assert (reply.status, reply.raw, reply.headers["content-type"]) == (
            200,
            b"<html>no</html>",
            "text/html",
        )
    error = {"choices": None, "error": {"code": "429", "message": "busy"}}
    with faulty(catalogue, FaultReply(json=error)) as mock:
        reply = post(mock, "/v1/chat/completions", b"{}")
        assert (reply.status, reply.content) == (200, error)


def test_a_delay_alone_keeps_the_answer(catalogue: Catalogue) -> None:
    with faulty(catalogue, FaultReply(delay_ms=200), nth=1) as mock:
        started = time.monotonic()
        reply = post(mock, SYSTEM_ONE, payload(catalogue))
        assert time.monotonic() - started >= 0.2
        assert reply.content["model"] == "jevbias-mock-1"


def test_a_closed_connection_has_no_reply_and_the_next_one_is_whole(
    catalogue: Catalogue, capfd: pytest.CaptureFixture[str]
) -> None:
    with (
        faulty(catalogue, FaultReply(cut="close"), nth=1) as mock,
        httpx.Client(verify=NO_CERTIFICATES, trust_env=False) as client,
    ):
        url = mock.base_url + SYSTEM_ONE
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            client.post(url, content=payload(catalogue))
        assert client.post(url, content=payload(catalogue)).status_code == 200
        assert [row["status"] for row in get(mock, "/ledger").content] == [None, 200]
        assert [row["n"] for row in get(mock, "/ledger").content] == [1, 2]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("reply", [FaultReply(cut="half_body"), FaultReply(cut="half_body", body="x" * 999)])
def test_half_a_body_is_announced_whole_and_breaks_off(catalogue: Catalogue, reply: FaultReply) -> None:
    with (
        faulty(catalogue, reply) as mock,
        httpx.Client(verify=NO_CERTIFICATES, trust_env=False) as client,
        client.stream("POST", mock.base_url + SYSTEM_ONE, content=payload(catalogue)) as response,
    ):
        assert response.status_code == 200
        arrived = bytearray()
        with pytest.raises(httpx.RemoteProtocolError, match="complete message body"):
            receive(response, arrived)
        assert len(arrived) == int(response.headers["content-length"]) // 2 > 0


def receive(response: httpx.Response, arrived: bytearray) -> None:
    for part in response.iter_raw():
        arrived.extend(part)


def test_a_truncated_gzip_lacks_its_last_eight_bytes(catalogue: Catalogue) -> None:
    with (
        faulty(catalogue, FaultReply(cut="truncate_gzip", body="x" * 999)) as mock,
        httpx.Client(verify=NO_CERTIFICATES, trust_env=False) as client,
        client.stream("POST", mock.base_url + SYSTEM_ONE, content=b"{}") as response,
    ):
        assert response.headers["content-encoding"] == "gzip"
        packed = b"".join(response.iter_raw())
        assert packed == gzip.compress(b"x" * 999, mtime=0)[:-8]
        with pytest.raises(EOFError):
            gzip.decompress(packed)


def test_a_hidden_concurrency_holds_over_http(catalogue: Catalogue) -> None:
    plan = FaultPlan(faults=[FaultRule(when=When(above=Above(concurrent=3)), reply=FaultReply(status=529))])
    body = payload(catalogue)
    with (
        running_mock(MockModel(catalogue), latency_ms=400, faults=plan) as mock,
        ThreadPoolExecutor(8) as pool,
    ):
        statuses = [got.status for got in pool.map(lambda _: post(mock, SYSTEM_ONE, body), range(8))]
    assert 3 <= statuses.count(200) < 8
    assert statuses.count(200) + statuses.count(529) == 8
