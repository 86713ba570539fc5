"""A model whose answers are known: on the merits of the case, plus injected effects, plus noise."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.mock.cases import CaseBook, FoundCase, asked_question
from jevbias.mock.distribution import wire_answer
from jevbias.mock.effects import Effect, fault_of_effect
from jevbias.mock.merits import merit
from jevbias.mock.request import SystemOneRequest, read_request
from jevbias.mock.seen import PersonReader, SeenPerson

MOCK_MODEL = "jevbias-mock-1"
"""The name it answers under, whatever name it was asked by: no price table has it."""
_STANDARD_NORMAL = NormalDist()


@dataclass(frozen=True)
class Arrival:
    """One request: its body's SHA-256 (hex), how often that body had come by then, and how many requests of
    any kind were served before.
    """

    digest: str
    times: int
    served: int


class MockModel:
    """Answers questions about a person in a case, seeing only their payload.

    The favourability of an answer is the merit of its case and question, plus the sizes of all effects whose
    level the payload shows, plus normal noise of SD `noise` (a function of `seed`, the body's hash, how often
    that body was asked, and the question), clipped to [0, 1]. `drift` moves every answer by so much over
    1,000 requests; `decimals` rounds what is returned. Without effects (None) only the case counts.

    Raises UsageError for an effect that this catalogue's people cannot show.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: int = 1,
        noise: float = 0.0085,
        effects: Sequence[Effect] | None = None,
        decimals: int | None = None,
        drift: float = 0.0,
    ) -> None:
        self._cases, self._people = CaseBook(catalogue), PersonReader(catalogue)
        self._seed, self._noise, self.decimals, self._drift = seed, noise, decimals, drift
        self._effects = tuple(effects or ())
        for effect in self._effects:
            if fault := fault_of_effect(effect, catalogue):
                raise UsageError(f"effect on {effect.attribute}={effect.level}: {fault[1]}")
        self._served = 0
        self._asked: Counter[str] = Counter()

    def answer(self, body: bytes) -> dict[str, Any]:
        """The response to a System One body. Raises UnprocessableRequest for one that is not right; such a
        request counts as asked all the same.
        """
        arrival = self.arrival(body)
        request = read_request(body)
        answers = {
            key: wire_answer(request.questions[key], value, self.decimals)
            for key, value in self.positions(request, arrival).items()
        }
        usage = {"input_tokens": 1 + len(body) // 4, "output_tokens": 8 * len(answers)}
        return {"model": MOCK_MODEL, "answers": answers, "usage": usage}

    def arrival(self, body: bytes) -> Arrival:
        """Count a body as asked, whatever face it came to."""
        digest = hashlib.sha256(body).hexdigest()
        self._asked[digest] += 1
        served, self._served = self._served, self._served + 1
        return Arrival(digest, self._asked[digest], served)

    def positions(self, request: SystemOneRequest, arrival: Arrival) -> dict[str, float]:
        """Question → the answer on [0, 1]: the probability of a noul, else the expected position among the
        options, divided by (options - 1). Raises UnprocessableRequest for what is not of the catalogue.
        """
        case = self._cases.find(request)
        person = self._people.read(case.person, case.scenario.role)
        positions: dict[str, float] = {}
        for key, asked in request.questions.items():
            question = asked_question(case, key, asked)
            favourability = merit(case.key, key, case.variant) + self._effect(case, key, person)
            favourability += self._drift * arrival.served / 1000 + self._error(arrival, key)
            favourability = min(max(favourability, 0.0), 1.0)
            positions[key] = favourability if question.direction == "+" else 1 - favourability
        return positions

    def times_asked(self, digest: str) -> int:
        """How often the body with this SHA-256 (hex) was asked so far."""
        return self._asked[digest]

    def _effect(self, case: FoundCase, question: str, person: SeenPerson) -> float:
        return sum(
            effect.size
            for effect in self._effects
            if person.levels.get(effect.attribute) == effect.level
            and effect.scenario in (None, case.key)
            and effect.question in (None, question)
            and effect.condition in (None, person.condition)
        )

    def _error(self, arrival: Arrival, question: str) -> float:
        if self._noise == 0:
            return 0.0
        key = f"{self._seed}\x1f{arrival.digest}\x1f{arrival.times}\x1f{question}"
        draw = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 12
        return self._noise * _STANDARD_NORMAL.inv_cdf((draw + 0.5) / 2**52)
