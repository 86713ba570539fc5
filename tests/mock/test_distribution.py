"""Answers whose expected position is the value they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.mock.distribution import binomial, wire_answer
from jevbias.mock.request import ChoiceQuestion, NoulQuestion, ScoreQuestion


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.integers(2, 255), st.floats(0, 1))
def test_the_expected_position_is_exactly_the_value(options: int, value: float) -> None:
    probabilities = binomial(options, value)
    assert sum(probabilities) == pytest.approx(1, abs=1e-9)
    assert sum(i * p for i, p in enumerate(probabilities)) / (options - 1) == pytest.approx(value, abs=1e-9)
    assert all(0 <= p <= 1 for p in probabilities)


def test_a_noul_is_the_value_itself() -> None:
    assert wire_answer(NoulQuestion(type="noul"), 0.37, None) == {"type": "noul", "noul": 0.37}


def test_a_choice_names_its_likeliest_option() -> None:
    question = ChoiceQuestion(type="choice", criteria={"low": "a", "middle": "b", "high": "c"})
    assert wire_answer(question, 0.9, 2) == {
        "type": "choice",
        "choice": "high",
        "probabilities": {"low": 0.01, "middle": 0.18, "high": 0.81},
        "confidence": 0.81,
    }


def test_a_score_has_its_legend_and_its_expectation() -> None:
    question = ScoreQuestion(type="score", criteria=["bad", "fair", "good"])
    answer = wire_answer(question, 0.25, None)
    assert answer["score"] == 0.5
    assert answer["legend"] == {"0": "bad", "1": "fair", "2": "good"}
    assert answer["probabilities"] == {"0": 0.5625, "1": 0.375, "2": 0.0625}
