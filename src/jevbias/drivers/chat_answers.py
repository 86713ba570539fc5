"""The numbers that a chat model wrote down, read from the text of its message. Nothing is read from prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion, Question
from jevbias.drivers.answers import ReadAnswers, read_each
from jevbias.drivers.failures import one_line
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.drivers.probabilities import Position, expected_position, read_number, read_probability

REPAIRED = "repaired"

_FENCE = re.compile(r"```[A-Za-z0-9_+-]*\s(.*)```", re.DOTALL)


class NoAnswerObject(ValueError):
    """Text that is no JSON object; its own text is the reason, in one line."""


def read_chat_answers(questions: Mapping[str, Question], text: str) -> ReadAnswers:
    """Read the JSON object `{question: number or object of numbers}`.

    One code fence around the whole is taken off, and every answer flagged `repaired`. A noul is its
    probability, a score its place on the rubric divided by (levels - 1), a choice the expected position under
    its probabilities, divided by (options - 1). Raises NoAnswerObject.
    """
    content, repaired = object_in(text.strip())
    read = read_each(questions, content, _position)
    if not repaired:
        return read
    return replace(
        read, usable=tuple(replace(answer, flags=(*answer.flags, REPAIRED)) for answer in read.usable)
    )


def object_in(text: str) -> tuple[Mapping[str, object], bool]:
    """The JSON object that a message is, and whether a code fence around it was taken off. Raises
    NoAnswerObject.
    """
    fenced = _FENCE.fullmatch(text)
    try:
        content = read_json(fenced[1] if fenced else text)
    except BrokenJson:
        raise NoAnswerObject(f"the message is not JSON: '{one_line(text, 60)}'") from None
    if not isinstance(content, Mapping):
        raise NoAnswerObject(f"the message is JSON, but no object: '{one_line(text, 60)}'")
    return content, fenced is not None


def _position(question: Question, raw: object) -> Position:
    if isinstance(question, NoulQuestion):
        return read_probability(raw)
    if isinstance(question, ChoiceQuestion):
        return expected_position(list(question.criteria), raw)
    return read_number(raw, upper=len(question.criteria) - 1, what="score")
