"""Answers in the System One format, read against the questions that were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion, Question
from jevbias.drivers.base import Answer
from jevbias.drivers.probabilities import (
    FROM_SCORE,
    Position,
    UnusableNumber,
    expected_position,
    read_number,
    read_probability,
)


@dataclass(frozen=True)
class ReadAnswers:
    """The usable answers, and per question without one why: missing, or what is wrong with it."""

    usable: tuple[Answer, ...] = ()
    rejected: dict[str, str] = field(default_factory=dict)


def read_answers(questions: Mapping[str, Question], content: Mapping[str, object]) -> ReadAnswers:
    """Read each question's answer by the fields it needs, and tolerate every other.

    A noul is its probability; a choice or a score the expected position under its probabilities, divided by
    (options - 1). A `score` counts only where no probabilities came, a `choice` label never. Answers to
    questions that were not asked are ignored.
    """
    usable: list[Answer] = []
    rejected: dict[str, str] = {}
    for key, question in questions.items():
        raw = content.get(key)
        if not isinstance(raw, Mapping):
            rejected[key] = "no answer" if raw is None else "the answer is not an object"
            continue
        try:
            position = _position(question, raw)
        except UnusableNumber as reason:
            rejected[key] = str(reason)
            continue
        usable.append(
            Answer(
                question=key,
                kind=question.kind,
                value=position.value,
                favourability=position.value if question.direction == "+" else 1 - position.value,
                confidence=_confidence(raw.get("confidence")),
                flags=position.flags,
            )
        )
    return ReadAnswers(tuple(usable), rejected)


def _position(question: Question, raw: Mapping[str, object]) -> Position:
    if isinstance(question, NoulQuestion):
        return read_probability(raw["noul"]) if "noul" in raw else _lacks("noul")
    probabilities = raw.get("probabilities")
    if isinstance(question, ChoiceQuestion):
        options = list(question.criteria)
        return (
            expected_position(options, probabilities)
            if probabilities is not None
            else _lacks("probabilities")
        )
    levels = [str(level) for level in range(len(question.criteria))]
    if probabilities is not None:
        return expected_position(levels, probabilities)
    if raw.get("score") is None:
        return _lacks("probabilities nor score")
    reported = read_number(raw["score"], upper=len(levels) - 1, what="score")
    return Position(reported.value, (*reported.flags, FROM_SCORE))


def _lacks(name: str) -> Position:
    raise UnusableNumber(
        f"the answer has no {name}" if " nor " not in name else f"the answer has neither {name}"
    )


def _confidence(raw: object) -> float | None:
    """A confidence on [0, 1]; nothing relies on it, so anything else is as good as none."""
    if raw is None:
        return None
    try:
        return read_number(raw, upper=1.0, what="confidence").value
    except UnusableNumber:
        return None
