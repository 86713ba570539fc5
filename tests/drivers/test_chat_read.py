"""What replies of chat servers mean."""

from __future__ import annotations

import json
import math

import pytest

from jevbias.catalogue.models import Price, Prices
from jevbias.drivers.chat import ChatDriver
from tests.drivers.asks import small_ask, success
from tests.drivers.chat_replies import GOOD_TEXT, answer_to, every_chat, read, said, values
from tests.drivers.every_driver import GOOD_NUMBERS, NOWHERE, chat_content
from tests.drivers.loopback import open_transport


@every_chat
def test_the_numbers_become_favourability_in_the_declared_direction(name: str) -> None:
    reading = read(chat_content(GOOD_TEXT), name)
    assert (reading.verdict, reading.error_kind, reading.error, reading.rejected) == (
        "answered",
        None,
        None,
        {},
    )
    assert values(reading) == pytest.approx({"approve": 0.7, "risk": 0.25, "rate": 1 / 3})
    favourable = {answer.question: answer.favourability for answer in reading.answers}
    assert favourable == pytest.approx({"approve": 0.7, "risk": 0.75, "rate": 2 / 3})
    assert {answer.flags for answer in reading.answers} == {()}
    assert {answer.confidence for answer in reading.answers} == {None}
    assert reading.model_answered == "some/model-0926"


@every_chat
def test_tokens_cached_tokens_and_cost_are_kept_as_reported(name: str) -> None:
    reading = read(chat_content(GOOD_TEXT), name)
    assert (reading.input_tokens, reading.output_tokens, reading.cached_tokens) == (900, 60, 768)
    assert reading.cost == 0.0021


@pytest.mark.parametrize("usage", [None, {}, [], "none", {"prompt_tokens": 0, "completion_tokens": 0}])
def test_usage_that_counts_nothing_leaves_a_cost_unknown_and_never_0(usage: object) -> None:
    reading = read({**chat_content(GOOD_TEXT), "usage": usage})
    assert reading.verdict == "answered"
    assert (reading.input_tokens, reading.output_tokens, reading.cached_tokens) == (None, None, None)
    assert reading.cost is None


def test_without_a_reported_cost_the_price_table_counts() -> None:
    price = Price(
        driver="openai",
        model="some/*",
        input_per_million=2,
        output_per_million=10,
        source="a test",
        checked="2026-11-29",
    )
    driver = ChatDriver("openai", "some/model", open_transport(NOWHERE), Prices(prices=[price]))
    content = chat_content(GOOD_TEXT)
    del content["usage"]["cost"]
    reading = driver.read(small_ask(), success(json.dumps(content).encode()))
    assert reading.cost == pytest.approx((900 * 2 + 60 * 10) / 1e6)
    assert read(content, "openai").cost is None


@pytest.mark.parametrize("cached", [901, -1, True, "7", 0.5])
def test_a_count_of_cached_tokens_that_cannot_be_is_not_kept(cached: object) -> None:
    content = chat_content(GOOD_TEXT)
    content["usage"]["prompt_tokens_details"] = {"cached_tokens": cached}
    assert read(content).cached_tokens is None


# Numbers


@pytest.mark.parametrize(
    "number", [True, False, "70%", "0,7", "yes", 70, 1.01, -0.01, math.nan, math.inf, [0.7], {}]
)
def test_what_is_no_probability_rejects_its_question_and_keeps_the_others(number: object) -> None:
    reading = answer_to("approve", number)
    assert set(reading.rejected) == {"approve"}
    assert set(values(reading)) == {"risk", "rate"}
    assert (reading.verdict, reading.error_kind) == ("answered", "incomplete")


def test_a_plain_numeric_string_counts_and_is_flagged() -> None:
    reading = said(json.dumps({**GOOD_NUMBERS, "approve": "0.7", "risk": "1"}))
    assert [(answer.value, answer.flags) for answer in reading.answers[:2]] == [
        (0.7, ("numeric_string",)),
        (0.5, ("numeric_string",)),
    ]


@pytest.mark.parametrize(("score", "value"), [(0, 0), (0.5, 0.25), (1.25, 0.625), (2, 1), (2.0, 1)])
def test_a_score_may_lie_between_the_levels(score: float, value: float) -> None:
    assert values(answer_to("risk", score))["risk"] == value


@pytest.mark.parametrize("score", [2.01, -0.5, 3, "likely", True, {"0": 1, "1": 0, "2": 0}])
def test_a_score_outside_the_rubric_is_rejected(score: object) -> None:
    assert set(answer_to("risk", score).rejected) == {"risk"}


@pytest.mark.parametrize(
    ("probabilities", "why"),
    [
        ({"low": 0.5, "middle": 0.3, "high": 0.2}, "no probability for 'top'"),
        ({"low": 0.4, "middle": 0.3, "high": 0.2, "top": 0.1, "huge": 0.0}, "'huge', which is no option"),
        ({"low": 40, "middle": 30, "high": 20, "top": 10}, "not from 0 to 1"),
        ({"low": "40%", "middle": 0.3, "high": 0.2, "top": 0.1}, "'40%' is not a number"),
        ({"low": True, "middle": 0, "high": 0, "top": 0}, "True is not a number"),
        ({"low": 0.4, "middle": 0.4, "high": 0.4, "top": 0.4}, "add up to 1.6"),
        ("low", "not an object"),
        (0.4, "not an object"),
        (["low"], "not an object"),
    ],
)
def test_a_choice_without_a_probability_for_exactly_its_options_is_rejected(
    probabilities: object, why: str
) -> None:
    reading = answer_to("rate", probabilities)
    assert set(values(reading)) == {"approve", "risk"}
    assert why in reading.rejected["rate"]


@pytest.mark.parametrize("missing", [{}, {"approve": None}])
def test_a_missing_question_keeps_the_others_and_is_counted(missing: dict[str, object]) -> None:
    numbers = {key: number for key, number in GOOD_NUMBERS.items() if key != "approve"}
    reading = said(json.dumps({**numbers, **missing}))
    assert (reading.verdict, reading.error_kind, reading.rejected) == (
        "answered",
        "incomplete",
        {"approve": "no answer"},
    )
    assert "1 of 3 answers unusable, first approve: no answer" in (reading.error or "")


def test_answers_that_nobody_asked_for_are_ignored() -> None:
    reading = said(json.dumps({"because": "I weighed the file", **GOOD_NUMBERS}))
    assert (reading.verdict, reading.rejected, len(reading.answers)) == ("answered", {}, 3)


@pytest.mark.parametrize(
    ("text", "rejected"),
    [
        (GOOD_TEXT.replace('"approve": 0.7', '"approve": 0.7, "approve": 0.2'), "approve"),
        (GOOD_TEXT.replace('"approve": 0.7', '"approve": 0.7, "approve": 0.7'), "approve"),
        (GOOD_TEXT.replace('"low": 0.4', '"low": 0.4, "low": 0.4'), "rate"),
    ],
)
def test_a_key_that_is_there_twice_is_no_answer_whichever_is_meant(text: str, rejected: str) -> None:
    reading = said(text)
    assert set(reading.rejected) == {rejected}
    assert "more than once" in reading.rejected[rejected]


# The text around the numbers


@pytest.mark.parametrize(
    "fenced",
    [
        f"```json\n{GOOD_TEXT}\n```",
        f"```\n{GOOD_TEXT}\n```",
        f"  \n```JSON\r\n{GOOD_TEXT}```\n\n",
        f"```json {GOOD_TEXT} ```",
    ],
)
def test_one_outer_fence_is_taken_off_and_every_answer_is_flagged(fenced: str) -> None:
    reading = said(fenced)
    assert values(reading) == pytest.approx({"approve": 0.7, "risk": 0.25, "rate": 1 / 3})
    assert {answer.flags for answer in reading.answers} == {("repaired",)}


def test_flags_add_up() -> None:
    text = "```json\n" + json.dumps({**GOOD_NUMBERS, "approve": "0.7"}) + "\n```"
    assert said(text).answers[0].flags == ("numeric_string", "repaired")


@pytest.mark.parametrize(
    "text",
    [
        f"Here you are:\n```json\n{GOOD_TEXT}\n```",
        f"```json\n{GOOD_TEXT}\n```\nI hope that helps.",
        f"```\n```json\n{GOOD_TEXT}\n```\n```",
        f"<think>0.7 seems right</think>{GOOD_TEXT}",
        f"{GOOD_TEXT}\n{GOOD_TEXT}",
        f"{GOOD_TEXT},",
        GOOD_TEXT[:-1],
        "The probability is 0.7.",
        "approve: 0.7",
        "{'approve': 0.7}",
        "{" * 5000,
        json.dumps([GOOD_NUMBERS]),
        json.dumps(GOOD_TEXT),
        "0.7",
        "null",
        "```json",
    ],
)
def test_nothing_is_guessed_from_anything_but_one_json_object(text: str) -> None:
    reading = said(text)
    assert (reading.verdict, reading.error_kind, reading.answers) == ("malformed", "no_answer_object", ())
    assert (reading.error or "\n").isprintable()
    assert reading.cost == 0.0021, "an answer that cannot be used was paid for all the same"


def test_an_object_without_any_usable_number_is_malformed_and_says_why() -> None:
    reading = said(json.dumps({"answers": GOOD_NUMBERS}))
    assert (reading.verdict, reading.error_kind) == ("malformed", "no_usable_answer")
    assert len(reading.rejected) == 3


def test_content_in_parts_is_put_together_and_thinking_is_left_out() -> None:
    parts = [
        {"type": "thinking", "text": "0.1"},
        {"type": "text", "text": GOOD_TEXT[:20]},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": GOOD_TEXT[20:]},
    ]
    assert values(said(parts))["approve"] == 0.7


def test_what_a_model_thought_is_never_taken_for_its_answer() -> None:
    reading = said(None, reasoning=GOOD_TEXT, reasoning_content=GOOD_TEXT)
    assert (reading.verdict, reading.error_kind) == ("malformed", "no_content")


@pytest.mark.parametrize("nothing", [None, "", " \n", [], [{}], 7, {"text": GOOD_TEXT}, True])
def test_a_message_without_text_is_malformed(nothing: object) -> None:
    reading = said(nothing, tool_calls=[{"id": "a"}])
    assert (reading.verdict, reading.error_kind, reading.input_tokens) == ("malformed", "no_content", 900)


def test_of_several_choices_the_first_counts() -> None:
    content = chat_content(GOOD_TEXT)
    content["choices"].append({"finish_reason": "stop", "message": {"content": '{"approve": 0}'}})
    assert values(read(content))["approve"] == 0.7


@pytest.mark.parametrize(
    "choices", [None, [], {}, [None], [7], "x", [{}], [{"message": None}], [{"message": "x"}]]
)
def test_a_reply_without_a_message_is_malformed_and_what_it_took_is_kept(choices: object) -> None:
    reading = read({**chat_content(GOOD_TEXT), "choices": choices})
    assert (reading.verdict, reading.error_kind) == ("malformed", "no_message")
    assert (reading.cost, reading.model_answered) == (0.0021, "some/model-0926")


# Refusals and answers that were cut off


@pytest.mark.parametrize("text", ["", None, GOOD_TEXT, '{"approve": 0.'])
def test_an_answer_that_was_cut_off_is_no_answer_and_its_cost_is_kept(text: object) -> None:
    reading = said(text, finish="length")
    assert (reading.verdict, reading.error_kind, reading.answers) == ("malformed", "truncated", ())
    assert "4,096 tokens" in (reading.error or "")
    assert (reading.cost, reading.output_tokens) == (0.0021, 60)


def test_the_line_about_an_answer_that_was_cut_off_knows_the_room_for_thinking() -> None:
    reading = read(chat_content("", finish="length"), reasoning_effort="high")
    assert "16,384 tokens" in (reading.error or "")
