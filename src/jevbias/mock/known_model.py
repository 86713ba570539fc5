"""A mock with properties beyond its biases: for commands that find out what a server does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import ChoiceQuestion as KnownChoice
from jevbias.catalogue.models import NoulQuestion as KnownNoul
from jevbias.catalogue.models import Question
from jevbias.mock.cases import FoundCase
from jevbias.mock.confidence import confidence_of
from jevbias.mock.distribution import binomial
from jevbias.mock.merits import merit
from jevbias.mock.model import MOCK_MODEL, Arrival, MockModel
from jevbias.mock.properties import Context, KnownProperties
from jevbias.mock.refusal import RefusedRequest
from jevbias.mock.request import (
    AskedQuestion,
    ChoiceQuestion,
    NoulQuestion,
    SystemOneRequest,
    UnprocessableRequest,
    read_request,
)

BYTES_PER_TOKEN = 4


class TooManyTokens(RefusedRequest):
    """A request beyond the context window, refused as System One does: an object without a message."""

    def __init__(self) -> None:
        super().__init__(400, "max_tokens_exceeded")

    @property
    def content(self) -> dict[str, object]:
        """The body of the answer."""
        return {"detail": {"error_type": "max_tokens_exceeded"}}


class KnownModel(MockModel):
    """A MockModel with `properties`. It answers any case: those of the catalogue on their merits and effects,
    others near the middle, by a number that only depends on the question's key.
    """

    def __init__(self, catalogue: Catalogue, properties: KnownProperties, **more: Any) -> None:
        super().__init__(catalogue, **more)
        self._properties = properties

    def answer(self, body: bytes) -> dict[str, Any]:
        """The response to a System One body. Raises TooManyTokens, and UnprocessableRequest for a request
        that is not right.
        """
        arrival = self.arrival(body)
        request = read_request(body)
        sent = 1 + len(body) // BYTES_PER_TOKEN
        seen = _read(json.dumps(request.state, ensure_ascii=False).encode(), sent, self._properties.context)
        case = self._case(request)
        answers = {
            key: self._answer(asked, _question(case, key), self._position(request, case, key, arrival, seen))
            for key, asked in request.questions.items()
        }
        usage = _usage(sent, 8 * len(answers), self._properties.context)
        return {"model": MOCK_MODEL, "answers": answers, "usage": usage}

    def positions(self, request: SystemOneRequest, arrival: Arrival) -> dict[str, float]:
        """Question → the answer on [0, 1], as read from the whole of the state."""
        seen = json.dumps(request.state, ensure_ascii=False)
        case = self._case(request)
        return {key: self._position(request, case, key, arrival, seen) for key in request.questions}

    def _position(
        self, request: SystemOneRequest, case: FoundCase | None, key: str, arrival: Arrival, seen: str
    ) -> float:
        known, asked, question = self._properties, request.questions[key], _question(case, key)
        if case is None or question is None:
            favourability = merit("any", key, "mid")
        else:
            person = self._people.read(case.person, case.scenario.role)
            favourability = merit(case.key, key, case.variant) + self._effect(case, key, person)
        favourability += sum(fact.size for fact in known.facts if fact.contains in seen)
        favourability += known.company if len(request.questions) > 1 else 0.0
        keys = list(request.state) if isinstance(request.state, dict) else []
        favourability += known.key_order if keys != sorted(keys) else 0.0
        favourability += self._drift * arrival.served / 1000 + self._error(arrival, key)
        favourability = min(max(favourability, 0.0), 1.0)
        value = 1 - favourability if question is not None and question.direction == "-" else favourability
        if _is_negated(question, asked):
            value = min(max(1 - value + known.negation_gap, 0.0), 1.0)
        return value

    def _case(self, request: SystemOneRequest) -> FoundCase | None:
        try:
            return self._cases.find(request)
        except UnprocessableRequest:
            return None

    def _answer(self, asked: AskedQuestion, question: Question | None, value: float) -> dict[str, object]:
        known = self._properties
        if isinstance(asked, NoulQuestion):
            return {"type": "noul", "noul": self._rounded(value)}
        top = len(asked.criteria) - 1
        probabilities = list(binomial(len(asked.criteria), value))
        if isinstance(asked, ChoiceQuestion):
            ranks = _ranks(asked, question)
            probabilities = [probabilities[ranks[name]] for name in asked.criteria]
            probabilities = [(1 - known.first_option) * p for p in probabilities]
            probabilities[0] += known.first_option
        confidence = self._rounded(confidence_of(known.confidence, probabilities))
        shown = [self._rounded(known.mass * p) for p in probabilities]
        by_size = sorted(range(len(shown)), key=lambda index: -probabilities[index])
        if isinstance(asked, ChoiceQuestion):
            options = list(asked.criteria)
            return {
                "type": "choice",
                "choice": options[by_size[0 if known.choice == "top" else 1]],
                "probabilities": dict(zip(options, shown, strict=True)),
                "confidence": confidence,
            }
        return {
            "type": "score",
            "score": self._rounded(value * top if known.score == "expectation" else float(by_size[0])),
            "legend": {str(level): text for level, text in enumerate(asked.criteria)},
            "probabilities": {str(level): p for level, p in enumerate(shown)},
            "confidence": confidence,
        }

    def _rounded(self, number: float) -> float:
        return number if self.decimals is None else round(number, self.decimals)


def _question(case: FoundCase | None, key: str) -> Question | None:
    return None if case is None else case.scenario.questions.get(key)


def _ranks(asked: ChoiceQuestion, question: Question | None) -> Mapping[str, int]:
    """What each option is worth, wherever it stands in the request."""
    ordered = sorted(asked.criteria)
    if isinstance(question, KnownChoice) and sorted(question.criteria) == ordered:
        ordered = list(question.criteria)
    return {name: rank for rank, name in enumerate(ordered)}


def _read(state: bytes, sent: int, context: Context | None) -> str:
    """What the model reads of a state. Raises TooManyTokens."""
    beyond = 0 if context is None else (sent - context.tokens) * BYTES_PER_TOKEN
    if context is not None and beyond > 0:
        if context.beyond == "refuse":
            raise TooManyTokens
        kept = max(0, len(state) - beyond)
        if context.keeps == "start":
            state = state[:kept]
        elif context.keeps == "end":
            state = state[len(state) - kept :]
        else:
            state = state[: kept // 2] + state[len(state) - kept // 2 :]
    return state.decode(errors="replace")


def _usage(sent: int, output: int, context: Context | None) -> Mapping[str, int]:
    if context is not None and context.counts == "nothing":
        return {"input_tokens": 0, "output_tokens": 0}
    read = sent if context is None or context.counts == "sent" else min(sent, context.tokens)
    return {"input_tokens": read, "output_tokens": output}


def _is_negated(question: Question | None, asked: AskedQuestion) -> bool:
    """Whether what a yes means in the catalogue is what a no means in the request."""
    if not isinstance(question, KnownNoul) or not isinstance(asked, NoulQuestion) or asked.criteria is None:
        return False
    return (asked.criteria.true, asked.criteria.false) == (question.criteria.false, question.criteria.true)
