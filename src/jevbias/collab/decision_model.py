"""The decision model: it makes one typed judgment on a state, says how sure it is, and stops."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import ChoiceQuestion, NoulCriteria, NoulQuestion, Question, ScoreQuestion
from jevbias.collab.asking import Asking
from jevbias.collab.situation import MadeCall
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.drivers.probabilities import UnusableNumber, read_probability
from jevbias.drivers.questions import question_content
from jevbias.plan.model import Ask, Frame


@dataclass(frozen=True)
class Judgment:
    """What the decision model said: of each choice its distribution over the options, of each yes/no question
    the probability of yes, of each score its place on the rubric from 0 to 1. A question without a usable
    answer is in none of them.
    """

    choices: Mapping[str, Mapping[str, float]]
    values: Mapping[str, float]
    call: MadeCall
    fault: str | None = None


@dataclass(frozen=True)
class DecisionModel:
    """Asks a System One model. Every call holds the state and its questions, and nothing is remembered."""

    asking: Asking
    model: str = field(default="")

    async def judge(self, key: str, purpose: str, shown: Any, questions: Mapping[str, Question]) -> Judgment:
        """Its judgment on a state. Raises what `Asking.ask` raises."""
        ask = Ask(Frame("collab", "mid", purpose, "actor", "state", {}, dict(questions)), {})
        driver = self.asking.driver
        body = render_judgment(driver.model, shown, questions)

        def read(reply: Reply) -> Reading:
            return driver.read(ask, reply)

        answered = await self.asking.ask(key, body, read)
        usable = {answer.question: answer for answer in answered.reading.answers}
        raw = _answers(answered.reply)
        choices, values = {}, {}
        for name, answer in usable.items():
            question = questions[name]
            if isinstance(question, ChoiceQuestion):
                choices[name] = _distribution(raw.get(name), list(question.criteria))
            else:
                values[name] = answer.value
        return Judgment(choices, values, answered.made("decision", purpose), answered.reading.error)


def render_judgment(model: str, shown: Any, questions: Mapping[str, Question]) -> bytes:
    """The request body: the state as it is shown, with one that is no object put under `state`, and the
    questions. Nobody is in it, so it is not made as a driver makes an ask about a person.
    """
    state = dict(shown) if isinstance(shown, Mapping) else {"state": shown}
    asked = {name: question_content(question) for name, question in questions.items()}
    return canonical_json({"model": model, "state": state, "questions": asked})


def choice(instructions: str, options: Mapping[str, str]) -> Question:
    """Which of the options; there are two at least. Their names may be any text, unlike in the catalogue."""
    question: Question = ChoiceQuestion.model_construct(
        kind="choice", direction="+", measures="action", instructions=instructions, criteria=dict(options)
    )
    return question


def yes_or_no(instructions: str, yes: str, no: str) -> Question:
    """Whether something is so."""
    return NoulQuestion(
        kind="noul",
        direction="+",
        measures="judgment",
        instructions=instructions,
        criteria=NoulCriteria(true=yes, false=no),
    )


def rubric(instructions: str, levels: list[str]) -> Question:
    """How much, on a rubric from the lowest level to the highest."""
    return ScoreQuestion(
        kind="score", direction="+", measures="judgment", instructions=instructions, criteria=levels
    )


def _answers(reply: Reply) -> Mapping[str, Any]:
    try:
        content = read_json(reply.body)
    except BrokenJson:
        return {}
    answers = content.get("answers") if isinstance(content, Mapping) else None
    return answers if isinstance(answers, Mapping) else {}


def _distribution(raw: object, options: list[str]) -> dict[str, float]:
    """The probabilities that a driver has accepted, adding up to 1."""
    given = raw.get("probabilities") if isinstance(raw, Mapping) else None
    if not isinstance(given, Mapping):
        raise UnusableNumber("no probabilities")
    read = {option: read_probability(given[option]).value for option in options}
    total = math.fsum(read.values())
    return {option: value / total for option, value in read.items()}
