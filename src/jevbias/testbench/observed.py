"""Every number in an answer, as the server wrote it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion, ScoreQuestion
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.testbench.bench import Told


@dataclass(frozen=True)
class Distribution:
    """A choice or a score as it was returned: probabilities in the order of the question, and the rest where
    it is there.
    """

    question: str
    kind: str
    options: tuple[str, ...]
    probabilities: tuple[float, ...]
    confidence: float | None = None
    score: float | None = None
    choice: str | None = None


@dataclass(frozen=True)
class Observation:
    """The figures of one answer by name (`release`, `route.van`, `route.confidence`), the options that
    choices named, and choices and scores as distributions. A chat model has no more than a figure for each
    question, its answer on [0, 1].
    """

    figures: dict[str, float] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    distributions: list[Distribution] = field(default_factory=list)


def observe(told: Told) -> Observation:
    """Read a reply that was answered; what is missing or no number is left out."""
    seen = Observation()
    answers = _answers(told.recorded.reply.body)
    if answers is None:
        seen.figures.update({answer.question: answer.value for answer in told.reading.answers})
        return seen
    for key, question in told.ask.frame.questions.items():
        answer = answers.get(key)
        if not isinstance(answer, Mapping):
            continue
        if isinstance(question, NoulQuestion):
            _note(seen.figures, key, answer.get("noul"))
        elif isinstance(question, ChoiceQuestion):
            _read(seen, key, "choice", tuple(question.criteria), answer)
        elif isinstance(question, ScoreQuestion):
            levels = tuple(str(level) for level in range(len(question.criteria)))
            _read(seen, key, "score", levels, answer)
    return seen


def _read(
    seen: Observation, key: str, kind: str, options: tuple[str, ...], answer: Mapping[str, object]
) -> None:
    _note(seen.figures, f"{key}.confidence", answer.get("confidence"))
    if kind == "score":
        _note(seen.figures, f"{key}.score", answer.get("score"))
    named = answer.get("choice")
    if kind == "choice" and isinstance(named, str):
        seen.choices[key] = named
    given = answer.get("probabilities")
    numbers = [_number(given.get(option)) for option in options] if isinstance(given, Mapping) else []
    known = tuple(number for number in numbers if number is not None)
    if not numbers or len(known) < len(numbers):
        return
    seen.figures.update({f"{key}.{option}": n for option, n in zip(options, known, strict=True)})
    if kind == "choice" and key not in seen.choices:
        seen.choices[key] = options[max(range(len(known)), key=lambda place: known[place])]
    seen.distributions.append(
        Distribution(
            question=key,
            kind=kind,
            options=options,
            probabilities=known,
            confidence=seen.figures.get(f"{key}.confidence"),
            score=seen.figures.get(f"{key}.score"),
            choice=named if isinstance(named, str) else None,
        )
    )


def _answers(body: bytes) -> Mapping[str, object] | None:
    """The `answers` of a System One reply; None where it has none."""
    try:
        content = read_json(body)
    except BrokenJson:
        return None
    answers = content.get("answers") if isinstance(content, Mapping) else None
    return answers if isinstance(answers, Mapping) else None


def _number(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _note(figures: dict[str, float], name: str, raw: object) -> None:
    number = _number(raw)
    if number is not None:
        figures[name] = number
