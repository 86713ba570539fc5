"""The bodies that are sent."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typesafe_sdk._schemas.models import SystemOneRequest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.select import render_body
from jevbias.drivers.sendable import UnsendableText
from jevbias.drivers.system_one import render_system_one
from jevbias.errors import UsageError
from jevbias.plan.model import Ask, Frame
from tests.drivers.asks import QUESTIONS, small_ask

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def test_the_body_is_the_wire_format_in_the_order_of_the_ask() -> None:
    body = json.loads(render_system_one("jev-latest", small_ask()))
    assert list(body) == ["model", "state", "questions"]
    assert list(body["state"]) == ["application", "account_holder"]
    assert list(body["state"]["account_holder"]) == ["reference", "age"]
    assert list(body["questions"]) == list(QUESTIONS)
    assert body["questions"]["approve"] == {
        "type": "noul",
        "instructions": "Should the loan be granted?",
        "criteria": {"true": "grant it", "false": "turn it down"},
    }
    assert list(body["questions"]["rate"]["criteria"]) == ["low", "middle", "high", "top"]
    assert body["questions"]["risk"]["criteria"] == ["unlikely", "possible", "likely"]


def test_nothing_of_the_catalogue_that_is_not_asked_is_sent() -> None:
    body = render_system_one("jev-latest", small_ask()).decode()
    for unsaid in ("direction", "measures", "weak", "mid", "A small loan", "small_loan"):
        assert f'"{unsaid}"' not in body


def test_the_same_ask_gives_the_same_bytes() -> None:
    digest = hashlib.sha256(render_system_one("jev-latest", small_ask())).hexdigest()
    assert digest == hashlib.sha256(render_system_one("jev-latest", small_ask())).hexdigest()
    assert digest == "1febd7022e00eac28eb600f3f1e81e1a553508197a4812f76ece9d6bb4503683"


def test_names_arrive_intact() -> None:
    assert "Ọlá Łuczak".encode() in render_system_one("jev-latest", small_ask())


def test_half_a_surrogate_pair_is_refused_before_it_is_sent() -> None:
    with pytest.raises(UnsendableText) as caught:
        render_system_one("jev-latest", small_ask({"reference": "Ana \ud83d"}))
    assert "small_loan, mid" in str(caught.value)
    assert str(caught.value).isprintable()


def test_preview_and_driver_render_alike() -> None:
    assert render_body("jev", "m", small_ask()) == render_system_one("m", small_ask())
    assert render_body("local", "m", small_ask()) == render_system_one("m", small_ask())
    with pytest.raises(UsageError, match="jev, local"):
        render_body("smoke signals", "m", small_ask())


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.dictionaries(text, text), st.dictionaries(text, st.integers() | text | st.lists(text)))
def test_every_body_validates_against_the_official_schema(
    person: dict[str, str], case: dict[str, int | str | list[str]]
) -> None:
    frame = Frame("s", "weak", "S", "patient", "case", case, QUESTIONS)  # type: ignore[arg-type]
    body = render_system_one("jev-latest", Ask(frame, {"reference": "A B", **person}))
    request = SystemOneRequest.model_validate_json(body)
    assert request.state == {"case": case, "patient": {"reference": "A B", **person}}


def test_every_question_that_ships_validates_against_the_official_schema(catalogue: Catalogue) -> None:
    for key, scenario in catalogue.scenarios.items():
        for variant, facts in scenario.variants.items():
            frame = Frame(
                key, variant, scenario.title, scenario.role, scenario.case_key, facts, scenario.questions
            )
            SystemOneRequest.model_validate_json(render_system_one("m", Ask(frame, {"reference": "A B"})))
