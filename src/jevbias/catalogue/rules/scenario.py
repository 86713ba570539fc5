"""The rules of a scenario file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import JsonValue

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import VARIANTS, ChoiceQuestion, NoulQuestion, Question, Scenario
from jevbias.catalogue.rules.facts import compare_facts
from jevbias.catalogue.rules.fault import Fault, named, repeated_texts


def check_scenario(scenario: Scenario) -> Iterator[Fault]:
    """Everyone in a variant faces the same facts, and each question asks one clear thing."""
    yield from _check_keys(scenario)
    yield from _check_variants(scenario)
    yield from _check_career(scenario)
    instructions = [(("questions", k, "instructions"), q.instructions) for k, q in scenario.questions.items()]
    yield from repeated_texts(
        instructions, "another question already asks this; each must ask something else"
    )
    for key, question in scenario.questions.items():
        yield from _check_criteria(("questions", key, "criteria"), question)


def _check_keys(scenario: Scenario) -> Iterator[Fault]:
    if not re.fullmatch(r"[a-z]+( [a-z]+)*", scenario.role):
        yield Fault(("role",), "expected lower-case words, such as 'account holder'")
    if scenario.role_key == scenario.case_key:
        yield Fault(
            ("case_key",), f"the role already travels under '{scenario.role_key}'; choose another key"
        )


def _check_variants(scenario: Scenario) -> Iterator[Fault]:
    variants = scenario.variants
    for variant in VARIANTS:
        if variant not in variants:
            yield Fault(("variants", variant), "missing; every scenario has weak, mid and strong")
    present = [variant for variant in VARIANTS if variant in variants]
    for position, variant in enumerate(present):
        path: KeyPath = ("variants", variant)
        if not variants[variant]:
            yield Fault(path, "states no fact")
        for key, fact in variants[variant].items():
            yield from _check_stated(fact, (*path, key))
        for earlier in present[:position]:
            if variants[earlier] == variants[variant]:
                yield Fault(path, f"states exactly what {earlier} states; the case must differ in strength")
    yield from compare_facts({variant: variants[variant] for variant in present if variants[variant]})


def _check_stated(fact: JsonValue, path: KeyPath) -> Iterator[Fault]:
    """A fact says something: a blank is itself a signal."""
    if fact is None or fact in ([], {}) or (isinstance(fact, str) and not fact.strip()):
        yield Fault(path, "states nothing; write the fact out, or leave it out of every variant")
    elif isinstance(fact, dict):
        for key, inner in fact.items():
            yield from _check_stated(inner, (*path, key))
    elif isinstance(fact, list):
        for index, item in enumerate(fact):
            yield from _check_stated(item, (*path, index))


def _check_career(scenario: Scenario) -> Iterator[Fault]:
    if scenario.career_field is None:
        return
    field = scenario.career_field
    for variant, facts in scenario.variants.items():
        if field not in facts:
            yield Fault(("career_field",), f"'{field}' is no fact of {variant}; allowed: {named(facts)}")
            return
    for variant, facts in scenario.variants.items():
        if not _is_years(facts[field]):
            path: KeyPath = ("variants", variant, field)
            yield Fault(path, "is the career_field; expected a number of years, 0 or more")


def _is_years(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _check_criteria(path: KeyPath, question: Question) -> Iterator[Fault]:
    if isinstance(question, NoulQuestion):
        wordings: list[tuple[KeyPath, str]] = [
            ((*path, "true"), question.criteria.true),
            ((*path, "false"), question.criteria.false),
        ]
    elif isinstance(question, ChoiceQuestion):
        wordings = [((*path, option), text) for option, text in question.criteria.items()]
    else:
        wordings = [((*path, index), text) for index, text in enumerate(question.criteria)]
    yield from repeated_texts(
        wordings, "two criteria of this question say the same; each needs its own wording"
    )
