"""What replies of a System One server mean."""

from __future__ import annotations

import json
import math
import random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.models import Price, Prices
from jevbias.drivers.base import Reading, Reply, Verdict
from jevbias.drivers.system_one import SystemOneDriver
from tests.drivers.asks import GOOD_ANSWERS, answered, failure, small_ask, success
from tests.drivers.loopback import open_transport

PRICES = Prices(
    prices=[
        Price(
            driver="jev",
            model="jev-*",
            input_per_million=0.042,
            output_per_million=0.0,
            source="a test",
            checked="2026-11-29",
        )
    ]
)
DRIVER = SystemOneDriver(
    "jev", "jev-latest", open_transport("http://127.0.0.1:9", key="sk-1234567890"), PRICES
)


def read(reply: Reply) -> Reading:
    return DRIVER.read(small_ask(), reply)


def answer_to(question: str, answer: object) -> Reading:
    return read(answered({**GOOD_ANSWERS, question: answer}))


def values(reading: Reading) -> dict[str, float]:
    return {answer.question: answer.value for answer in reading.answers}


def test_answers_become_favourability_in_the_declared_direction() -> None:
    reading = read(answered(usage={"input_tokens": 812, "output_tokens": 24}))
    assert reading.verdict == "answered"
    assert values(reading) == pytest.approx({"approve": 0.7, "risk": 0.25, "rate": 1 / 3})
    favourable = {answer.question: answer.favourability for answer in reading.answers}
    assert favourable == pytest.approx({"approve": 0.7, "risk": 0.75, "rate": 2 / 3})
    assert [answer.kind for answer in reading.answers] == ["noul", "score", "choice"]
    assert (reading.error_kind, reading.error, reading.rejected) == (None, None, {})
    assert (reading.model_answered, reading.input_tokens, reading.output_tokens) == ("jev-1.13.0", 812, 24)
    assert reading.cost == pytest.approx(812 * 0.042e-6)


def test_probabilities_count_and_a_score_beside_them_does_not() -> None:
    answer = {"score": 2.0, "probabilities": {"0": 0.5, "1": 0.0, "2": 0.5}}
    assert values(answer_to("risk", answer))["risk"] == 0.5


def test_a_score_counts_where_no_probabilities_came_and_is_flagged() -> None:
    reading = answer_to("risk", {"type": "score", "score": 1.5})
    risk = next(answer for answer in reading.answers if answer.question == "risk")
    assert (risk.value, risk.flags) == (0.75, ("from_score",))


@pytest.mark.parametrize("score", [2.01, -0.5, "high", True, None, math.nan])
def test_a_score_outside_the_rubric_is_rejected(score: object) -> None:
    reading = answer_to("risk", {"type": "score", "score": score})
    assert set(reading.rejected) == {"risk"}
    assert set(values(reading)) == {"approve", "rate"}


def test_unusable_probabilities_do_not_fall_back_on_the_score() -> None:
    reading = answer_to("risk", {"score": 1.0, "probabilities": {"0": 50, "1": 25, "2": 25}})
    assert set(reading.rejected) == {"risk"}


def test_a_label_alone_is_no_answer() -> None:
    reading = answer_to("rate", {"type": "choice", "choice": "low", "confidence": 0.9})
    assert reading.rejected == {"rate": "the answer has no probabilities"}


@pytest.mark.parametrize("noul", [True, "70%", 70, math.nan, math.inf, -0.1, None, {}, "yes"])
def test_a_noul_that_is_no_probability_is_rejected(noul: object) -> None:
    assert set(answer_to("approve", {"type": "noul", "noul": noul}).rejected) == {"approve"}


def test_a_numeric_string_is_flagged() -> None:
    reading = answer_to("approve", {"noul": "0.7"})
    assert reading.answers[0].flags == ("numeric_string",)


@pytest.mark.parametrize("answer", [None, 0.7, [], "yes"])
def test_a_missing_question_keeps_the_others_and_is_counted(answer: object) -> None:
    reading = answer_to("approve", answer)
    assert reading.verdict == "answered"
    assert set(values(reading)) == {"risk", "rate"}
    assert set(reading.rejected) == {"approve"}
    assert reading.error_kind == "incomplete"
    assert "1 of 3 answers unusable, first approve" in (reading.error or "")


def test_a_reply_without_any_usable_answer_is_malformed_and_its_tokens_are_kept() -> None:
    reading = read(answered({"other": {"noul": 0.5}}, usage={"input_tokens": 9, "output_tokens": 0}))
    assert (reading.verdict, reading.error_kind) == ("malformed", "no_usable_answer")
    assert len(reading.rejected) == 3
    assert reading.input_tokens == 9


def test_fields_and_answers_that_nobody_asked_for_are_tolerated() -> None:
    answers = {**GOOD_ANSWERS, "extra": {"type": "box"}, "approve": {"noul": 0.7, "why": ["x"], "type": 3}}
    reading = read(answered(answers, latency_ms=3, warnings=None))
    assert (reading.verdict, reading.rejected) == ("answered", {})
    assert len(reading.answers) == 3


@pytest.mark.parametrize(
    "usage", [None, {}, [], {"input_tokens": 0, "output_tokens": 0}, {"input_tokens": "9"}]
)
def test_usage_that_counts_nothing_is_not_reported(usage: object) -> None:
    reading = read(answered(usage=usage))
    assert (reading.input_tokens, reading.output_tokens, reading.cost) == (None, None, None)


@pytest.mark.parametrize("tokens", [-1, True, 1.5, 1e300, 10**30, math.nan])
def test_a_count_that_is_none_is_not_stored(tokens: object) -> None:
    assert read(answered(usage={"input_tokens": tokens, "output_tokens": 1})).input_tokens is None


def test_a_reported_cost_comes_before_the_price_table() -> None:
    usage = {"input_tokens": 100, "output_tokens": 1, "cost": 0.5}
    assert read(answered(usage=usage)).cost == 0.5


def test_a_confidence_is_kept_where_it_is_one_and_never_matters() -> None:
    probabilities = {"low": 0.4, "middle": 0.3, "high": 0.2, "top": 0.1}
    good = answer_to("rate", {"probabilities": probabilities, "confidence": 0.8})
    assert good.answers[-1].confidence == 0.8
    odd = answer_to("rate", {"probabilities": probabilities, "confidence": "very"})
    assert odd.answers[-1].confidence is None
    assert values(odd) == values(good)


# Replies that are no answers


def test_a_page_in_place_of_json_stops_and_names_the_address() -> None:
    for body in (b"<!doctype html><title>Welcome</title>", b"OK", b"[1, 2]", b"null", b'"text"', b"3"):
        reading = read(success(body))
        assert (reading.verdict, reading.error_kind) == ("stop", "wrong_address")
        assert "http://127.0.0.1:9/v1/systemone" in (reading.error or "")


@pytest.mark.parametrize("body", [b"", b"  \n", b'{"model":"m","answers":{"appr', b"{"])
def test_a_reply_that_ends_too_early_is_retried(body: bytes) -> None:
    assert (read(success(body)).verdict, read(success(body)).error_kind) == ("retry", "truncated")


@pytest.mark.parametrize("body", [b"{oops}", b"{'a': 1}", b'{"a":' * 5000 + b"}" * 5000, b'{"a": \xff}'])
def test_broken_json_is_malformed(body: bytes) -> None:
    assert (read(success(body)).verdict, read(success(body)).error_kind) == ("malformed", "invalid_json")


@pytest.mark.parametrize("content", [{}, {"answers": None}, {"answers": []}, {"status": "ok"}])
def test_an_object_without_answers_is_malformed(content: object) -> None:
    reading = read(success(json.dumps(content).encode()))
    assert (reading.verdict, reading.error_kind) == ("malformed", "no_answers")


def test_an_object_without_answers_costs_what_it_says() -> None:
    paid = {"model": "jev-1.13.0", "usage": {"input_tokens": 812, "output_tokens": 3}}
    reading = read(success(json.dumps(paid).encode()))
    assert (reading.verdict, reading.error_kind, reading.rejected) == ("malformed", "no_answers", {})
    assert (reading.model_answered, reading.input_tokens, reading.output_tokens) == ("jev-1.13.0", 812, 3)
    assert reading.cost == pytest.approx(812 * 0.042e-6)


@pytest.mark.parametrize(
    ("error", "verdict", "kind"),
    [
        ({"code": 429, "message": "busy"}, "retry", "http_429"),
        ({"code": "429", "message": "busy"}, "retry", "http_429"),
        ({"code": 402, "message": "no credit"}, "stop", "http_402"),
        ({"code": 422, "message": "bad"}, "failed", "http_422"),
        ({"message": "something"}, "malformed", "error_in_reply"),
        ("text", "malformed", "error_in_reply"),
        ({"code": "9" * 5000}, "malformed", "error_in_reply"),
        ({"code": True}, "malformed", "error_in_reply"),
    ],
)
def test_an_error_inside_a_success_is_classified_by_its_own_code(
    error: object, verdict: str, kind: str
) -> None:
    reading = read(success(json.dumps({"choices": None, "error": error}).encode()))
    assert (reading.verdict, reading.error_kind) == (verdict, kind)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "the key in TYPESAFE_API_KEY is not accepted"),
        (402, "credit"),
        (403, "jev-latest"),
        (404, "TYPESAFE_BASE_URL"),
        (307, "https://example.org/moved"),
    ],
)
def test_what_stops_a_run_says_what_to_do_in_one_line(status: int, said: str) -> None:
    reading = read(failure(status, {"detail": "no\nway"}, location="https://example.org/moved"))
    assert (reading.verdict, reading.error_kind) == ("stop", f"http_{status}")
    assert said in (reading.error or "")
    assert "no way" in (reading.error or "")
    assert "http://127.0.0.1:9/v1/systemone answered" in (reading.error or "")
    assert (reading.error or "\n").isprintable()


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_a_key_and_got_none_is_not_said_to_refuse_one(status: int) -> None:
    keyless = SystemOneDriver("jev", "jev-latest", open_transport("http://127.0.0.1:9"))
    error = keyless.read(small_ask(), failure(status, {"detail": "no"})).error or ""
    assert error.endswith("no key was sent and the server wants one: set TYPESAFE_API_KEY")
    assert "not accepted" not in error


@pytest.mark.parametrize("status", [400, 413, 422, 418])
def test_a_request_at_fault_fails_for_good_with_its_own_message(status: int) -> None:
    reading = read(failure(status, {"detail": "Too many score levels"}))
    assert (reading.verdict, reading.error_kind) == ("failed", f"http_{status}")
    assert (reading.error or "").endswith(": Too many score levels")


def test_a_413_from_a_proxy_gives_the_reason_without_its_page() -> None:
    assert read(failure(413, b"<html>413</html>")).error == "413 Request Entity Too Large"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503, 529])
def test_what_can_pass_is_retried(status: int) -> None:
    assert read(failure(status, {"error": "busy"})).verdict == "retry"


@pytest.mark.parametrize(
    "fault", ["timeout", "connection", "dns", "truncated", "tls", "invalid", "server_died"]
)
def test_a_fault_of_the_way_there_keeps_its_kind_and_message(fault: str) -> None:
    reading = read(Reply(None, b"", 1.0, fault=fault, fault_message="what happened"))
    assert (reading.error_kind, reading.error) == (fault, "what happened")


# Whatever comes back


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["0.5", "50%", "\ud83d", "\x1b[2J", "NaN"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["noul", "score", "probabilities", "0", "1", "2", "low", "high"]), inner
        )
    ),
    max_leaves=8,
)


def check_one_honest_reading(reply: Reply) -> None:
    reading = read(reply)
    assert reading.verdict in get_args(Verdict)
    assert (reading.verdict == "answered") == bool(reading.answers)
    for answer in reading.answers:
        assert 0 <= answer.value <= 1
        assert 0 <= answer.favourability <= 1
        assert answer.confidence is None or 0 <= answer.confidence <= 1
        assert answer.question not in reading.rejected
    texts = [reading.error or "", reading.model_answered or "", *reading.rejected.values()]
    assert all(text.isprintable() and len(text) <= 700 for text in texts)
    for count in (reading.input_tokens, reading.output_tokens):
        assert count is None or 0 <= count < 2**63
    assert reading.cost is None or math.isfinite(reading.cost)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.dictionaries(st.sampled_from(list(GOOD_ANSWERS)), json_values), json_values, json_values)
def test_mistyped_answers_never_raise_and_never_leave_the_range(
    answers: dict[str, object], usage: object, model: object
) -> None:
    check_one_honest_reading(
        success(json.dumps({"answers": answers, "usage": usage, "model": model}).encode())
    )


@settings(derandomize=True, deadline=None, max_examples=80)
@given(json_values, st.integers(-1, 1000))
def test_any_json_under_any_status_has_one_verdict(content: object, status: int) -> None:
    check_one_honest_reading(Reply(status, json.dumps(content).encode(), 1.0))


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.binary(max_size=300), st.sampled_from([200, 400, 401, 500]))
def test_any_bytes_under_any_status_have_one_verdict(body: bytes, status: int) -> None:
    check_one_honest_reading(Reply(status, body, 1.0))


def test_a_good_reply_cut_anywhere_or_damaged_anywhere_is_never_misread() -> None:
    good = answered(usage={"input_tokens": 812, "output_tokens": 24}).body
    expected = values(read(success(good)))
    for cut in range(len(good)):
        reading = read(success(good[:cut]))
        assert reading.verdict in ("retry", "malformed", "stop")
        assert not reading.answers
    chance = random.Random(5)
    for _ in range(1500):
        damaged = bytearray(good)
        damaged[chance.randrange(len(good))] = chance.randrange(256)
        check_one_honest_reading(success(bytes(damaged)))
    assert values(read(success(good))) == expected
