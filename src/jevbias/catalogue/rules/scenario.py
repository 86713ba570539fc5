"""The rules of a scenario file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pydantic import JsonValue

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import VARIANTS, ChoiceQuestion, NoulQuestion, Question, Scenario
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
    first = present[0] if present else None
    for position, variant in enumerate(present):
        path: KeyPath = ("variants", variant)
        if not variants[variant]:
            yield Fault(path, "states no fact")
        if first is not None and position:
            yield from _compare_facts(variants[first], variants[variant], path, first)
        for earlier in present[:position]:
            if variants[earlier] == variants[variant]:
                yield Fault(path, f"states exactly what {earlier} states; the case must differ in strength")


def _compare_facts(first: JsonValue, other: JsonValue, path: KeyPath, name: str) -> Iterator[Fault]:
    """Facts have the same keys in the same order in every variant, in mappings within facts too."""
    if isinstance(first, list) and isinstance(other, list):
        for index, (one, another) in enumerate(zip(first, other, strict=False)):
            yield from _compare_facts(one, another, (*path, index), name)
    elif isinstance(first, dict) and isinstance(other, dict):
        for key in first.keys() - other.keys():
            yield Fault((*path, key), f"missing; every variant states the same facts, and {name} states it")
        for key in other.keys() - first.keys():
            yield Fault((*path, key), f"every variant states the same facts, and {name} does not state it")
        if first.keys() == other.keys() and list(first) != list(other):
            yield Fault(path, f"the facts stand in another order than in {name}: {named(first)}")
        for key in (key for key in first if key in other):
            yield from _compare_facts(first[key], other[key], (*path, key), name)
    elif isinstance(first, dict | list) or isinstance(other, dict | list):
        yield Fault(path, f"is built differently in {name}; every variant states the same facts")


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
