"""The cases of one scenario, each asked as it is and with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_scenario
from jevbias.catalogue.models import (
    VARIANTS,
    ChoiceQuestion,
    NoulCriteria,
    NoulQuestion,
    Profile,
    Question,
)
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.plan.frames import build_frame
from jevbias.plan.model import Ask, Frame

PLAIN, REPEAT, OPTIONS, KEYS, NEGATED, ALONE = "plain", "repeat", "options", "keys", "negated", "alone/"
"""What a call is for, the last with the question behind it."""


@dataclass(frozen=True)
class SemanticsCase:
    """One case: the ask as it is, and by what was changed the ask with that changed."""

    number: int
    plain: Ask
    changed: Mapping[str, Ask]

    @property
    def asks(self) -> Iterator[tuple[str, Ask]]:
        """Every call of the case under its key; the plain one twice, and not next to itself."""
        key = f"semantics/{self.number}"
        yield f"{key}/{PLAIN}", self.plain
        for name, ask in self.changed.items():
            yield f"{key}/{name}", ask
        yield f"{key}/{REPEAT}", self.plain


def scenario_asks(catalogue: Catalogue, scenario: str, cases: int, seed: int) -> list[Ask]:
    """So many cases of a scenario: different people before its three variants in turn. Raises UsageError for
    an unknown scenario.
    """
    found = find_scenario(catalogue, scenario)
    profile = Profile(
        title="cases of the test bench",
        design="counterfactual",
        bases=-(-cases // len(VARIANTS)),
        scenarios=[scenario],
        conditions=["full"],
    )
    people = [person for person in build_people(catalogue, profile, seed) if person.is_anchor]
    asks = []
    for number in range(cases):
        person = people[number // len(VARIANTS)]
        frame = build_frame(scenario, found, VARIANTS[number % len(VARIANTS)], person)
        asks.append(Ask(frame, person_block(person, catalogue, found, "full")))
    return asks


def semantics_case(number: int, plain: Ask, *, person_first: bool = True) -> SemanticsCase:
    """A case with its changes: options in reverse order, the state's keys in reverse order, yes/no questions
    negated, and each question alone; those of them that its questions allow. Without `person_first` the case
    stays before the person, as in a chat, and only their own keys are reversed.
    """
    questions = plain.frame.questions
    changed: dict[str, Ask] = {}
    if any(isinstance(question, ChoiceQuestion) for question in questions.values()):
        changed[OPTIONS] = _with(plain, {key: _turned_options(asked) for key, asked in questions.items()})
    changed[KEYS] = _turned(plain, person_first=person_first)
    if any(isinstance(question, NoulQuestion) for question in questions.values()):
        changed[NEGATED] = _with(plain, {key: _negated(asked) for key, asked in questions.items()})
    if len(questions) > 1:
        changed.update({f"{ALONE}{key}": _with(plain, {key: questions[key]}) for key in questions})
    return SemanticsCase(number, plain, changed)


def pack_asks(asks: Sequence[Ask]) -> list[dict[str, Any]]:
    """Asks as JSON-ready data, so that a run holds what it asks whatever becomes of the catalogue."""
    return [{"frame": ask.frame.content, "person": dict(ask.person)} for ask in asks]


def unpack_asks(packed: Sequence[Mapping[str, Any]]) -> list[Ask]:
    """The asks that `pack_asks` packed."""
    return [Ask(Frame.from_content(held["frame"]), held["person"]) for held in packed]


def _with(ask: Ask, questions: Mapping[str, Question]) -> Ask:
    return Ask(replace(ask.frame, questions=questions), ask.person)


def _turned(ask: Ask, *, person_first: bool) -> Ask:
    """The same with the keys of case and person in reverse order, and the two of them as well."""
    case, person, frame = _reversed(ask.frame.case), _reversed(ask.person), ask.frame
    if not person_first:
        return Ask(replace(frame, case=case), person)
    # On the wire the case is what stands first, and the person what stands second.
    exchanged = replace(frame, case_key=frame.role_key, case=person, role=frame.case_key)
    return Ask(exchanged, case)


def _turned_options(question: Question) -> Question:
    if not isinstance(question, ChoiceQuestion):
        return question
    return question.model_copy(update={"criteria": _reversed(question.criteria)})


def _negated(question: Question) -> Question:
    """The opposite question, whose yes means what a no meant."""
    if not isinstance(question, NoulQuestion):
        return question
    criteria = NoulCriteria(true=question.criteria.false, false=question.criteria.true)
    asked = f"Is no the right answer to the following question? {question.instructions}"
    return question.model_copy(update={"instructions": asked, "criteria": criteria})


def _reversed(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: content[key] for key in reversed(list(content))}
