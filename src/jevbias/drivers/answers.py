"""Answers read against the questions that were asked, and how System One gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion, Question
from jevbias.drivers.base import Answer, Reading
from jevbias.drivers.failures import one_line
from jevbias.drivers.json_text import REPEATED
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
    return read_each(questions, content, _position, _confidence)


def read_each(
    questions: Mapping[str, Question],
    content: Mapping[str, object],
    position: Callable[[Question, object], Position],
    confidence: Callable[[object], float | None] = lambda _: None,
) -> ReadAnswers:
    """Read what `content` holds for each question, through `position`, which raises UnusableNumber."""
    usable: list[Answer] = []
    rejected: dict[str, str] = {}
    for key, question in questions.items():
        raw = content.get(key)
        try:
            if raw is None:
                raise UnusableNumber("no answer")
            if raw is REPEATED:
                raise UnusableNumber("answered more than once")
            found = position(question, raw)
        except UnusableNumber as reason:
            rejected[key] = str(reason)
            continue
        favourable = found.value if question.direction == "+" else 1 - found.value
        usable.append(Answer(key, question.kind, found.value, favourable, confidence(raw), found.flags))
    return ReadAnswers(tuple(usable), rejected)


def judged(read: ReadAnswers) -> Reading:
    """What answers mean for their probe: with a usable one it is answered, with none it is malformed."""
    if not read.rejected:
        return Reading("answered" if read.usable else "malformed", read.usable)
    asked = len(read.usable) + len(read.rejected)
    first, reason = next(iter(read.rejected.items()))
    return Reading(
        "answered" if read.usable else "malformed",
        read.usable,
        read.rejected,
        "incomplete" if read.usable else "no_usable_answer",
        one_line(f"{len(read.rejected)} of {asked} answers unusable, first {first}: {reason}"),
    )


def _position(question: Question, raw: object) -> Position:
    if not isinstance(raw, Mapping):
        raise UnusableNumber("the answer is not an object")
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


def _confidence(answer: object) -> float | None:
    """A confidence on [0, 1]; nothing relies on it, so anything else is as good as none."""
    raw = answer.get("confidence") if isinstance(answer, Mapping) else None
    if raw is None:
        return None
    try:
        return read_number(raw, upper=1.0, what="confidence").value
    except UnusableNumber:
        return None
