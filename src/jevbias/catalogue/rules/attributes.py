"""The rules of the attributes file: what keeps a swap an honest swap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import Attribute, Attributes, Incompatible, Level
from jevbias.catalogue.rules.fault import Fault, named, same_text

_RESERVED_FIELDS = ("reference", "pronouns")
"""Keys of a person block that every person has."""


def carrier(attributes: Mapping[str, Attribute], how: str) -> tuple[str, Attribute] | None:
    """The attribute carried by the name (`name`) or by name and field (`name_and_field`: gender)."""
    return next(((key, a) for key, a in attributes.items() if a.carried_by == how), None)


def check_attributes(content: Attributes) -> Iterator[Fault]:
    """References, wordings, numbers, how attributes are carried, and the rules of coherence."""
    attributes = content.attributes
    gender = carrier(attributes, "name_and_field")
    for key, attribute in attributes.items():
        path: KeyPath = ("attributes", key)
        yield from _check_reference(attribute, path)
        yield from _check_wordings(attribute, path, list(gender[1].levels) if gender else [])
        yield from _check_numbers(attribute, path)
        yield from _check_pronouns(attribute, path)
        if attribute.role == "placebo":
            yield from _check_placebo(attribute, path)
    yield from _check_uniqueness(attributes)
    for index, rule in enumerate(content.incompatible):
        yield from _check_incompatible(rule, attributes, ("incompatible", index, "levels"))


def _check_reference(attribute: Attribute, path: KeyPath) -> Iterator[Fault]:
    levels = list(attribute.levels)
    if attribute.reference not in levels:
        message = f"'{attribute.reference}' is not a level of this attribute; allowed: {named(levels)}"
        yield Fault((*path, "reference"), message)
    elif levels[0] != attribute.reference:
        yield Fault((*path, "levels"), f"the reference '{attribute.reference}' must be the first level")


def _check_wordings(attribute: Attribute, path: KeyPath, genders: list[str]) -> Iterator[Fault]:
    said: dict[str, str] = {}
    unstated: list[str] = []
    for key, level in attribute.levels.items():
        here: KeyPath = (*path, "levels", key)
        if level.phrase is not None and level.by_gender is not None:
            yield Fault(here, "has both phrase and by_gender; give one of them, or null for 'not stated'")
        if level.by_gender is not None:
            yield from _check_by_gender(attribute, level.by_gender, (*here, "by_gender"), genders)
        wordings = list(_wordings(level))
        if not wordings:
            unstated.append(key)
        for text in wordings:
            if said.setdefault(same_text(text), key) != key:
                other = said[same_text(text)]
                yield Fault(here, f"'{text}' is already the phrase of '{other}'; phrases tell levels apart")
    for key in unstated[1:]:
        yield Fault((*path, "levels", key), f"'{unstated[0]}' is not stated either; one level at most may be")


def _check_placebo(attribute: Attribute, path: KeyPath) -> Iterator[Fault]:
    if attribute.in_name or attribute.measure or attribute.protected:
        yield Fault(path, "a placebo is a stated field: not protected, not a measure, not carried by a name")
    for key, level in attribute.levels.items():
        if level.by_gender is not None:
            here: KeyPath = (*path, "levels", key, "by_gender")
            yield Fault(here, "a placebo says the same of everybody; give one phrase")


def _check_by_gender(
    attribute: Attribute, wordings: Mapping[str, str], path: KeyPath, genders: list[str]
) -> Iterator[Fault]:
    if attribute.in_name or not genders:
        yield Fault(path, "is only for attributes other than gender and the name's, where there is a gender")
        return
    for gender in genders:
        if gender not in wordings:
            yield Fault((*path, gender), f"missing; expected a wording for each of {named(genders)}")
    for gender in wordings:
        if gender not in genders:
            yield Fault((*path, gender), f"is not a level of gender; allowed: {named(genders)}")


def _wordings(level: Level) -> Iterator[str]:
    if level.phrase is not None:
        yield level.phrase
    if level.by_gender is not None:
        yield from level.by_gender.values()


def _check_numbers(attribute: Attribute, path: KeyPath) -> Iterator[Fault]:
    ranges: list[tuple[tuple[float, float], str]] = []
    for key, level in attribute.levels.items():
        here: KeyPath = (*path, "levels", key)
        if attribute.measure is None:
            for name in ("value", "range"):
                if getattr(level, name) is not None:
                    yield Fault((*here, name), "is only for an attribute with a measure (age, height or bmi)")
            continue
        for name in ("phrase", "value", "range"):
            if getattr(level, name) is None:
                yield Fault((*here, name), f"missing; every level of a measure ({attribute.measure}) has it")
        if level.range is not None:
            ranges.append((level.range, key))
            yield from _check_range(attribute, level, level.range, here)
    for ((_, upper), one), ((lower, _), other) in pairwise(sorted(ranges)):
        if lower < upper:
            yield Fault((*path, "levels", other, "range"), f"overlaps the range of '{one}'")


def _check_range(
    attribute: Attribute, level: Level, bounds: tuple[float, float], path: KeyPath
) -> Iterator[Fault]:
    lower, upper = bounds
    if not 0 < lower < upper:
        yield Fault((*path, "range"), "expected two positive numbers, the lower one first")
    elif level.value is not None and not lower <= level.value < upper:
        yield Fault(
            (*path, "value"), f"{level.value:g} lies outside the level's range, {lower:g} to {upper:g}"
        )
    numbers = [number for number in (*bounds, level.value) if number is not None]
    if attribute.measure != "bmi" and any(number != int(number) for number in numbers):
        yield Fault(path, f"expected whole numbers: {attribute.measure} is counted in whole units")


def _check_pronouns(attribute: Attribute, path: KeyPath) -> Iterator[Fault]:
    for key, level in attribute.levels.items():
        here: KeyPath = (*path, "levels", key, "pronouns")
        if attribute.carried_by == "name_and_field" and level.pronouns is None:
            yield Fault(here, "missing; expected the pronouns of this gender, such as 'they/them'")
        if attribute.carried_by != "name_and_field" and level.pronouns is not None:
            yield Fault(here, "is only for the levels of gender (carried_by: name_and_field)")


def _check_uniqueness(attributes: Mapping[str, Attribute]) -> Iterator[Fault]:
    carriers: dict[str, str] = {}
    measures: dict[str, str] = {}
    fields: dict[str, str] = {}
    for key, attribute in attributes.items():
        path: KeyPath = ("attributes", key)
        how, measure, field = attribute.carried_by, attribute.measure, attribute.field or key
        if how != "field" and carriers.setdefault(how, key) != key:
            yield Fault((*path, "carried_by"), f"'{carriers[how]}' is already carried by {how}; one may be")
        if measure is not None and measures.setdefault(measure, key) != key:
            yield Fault((*path, "measure"), f"'{measures[measure]}' already measures {measure}; one may")
        if how == "name":
            continue
        here: KeyPath = (*path, "field") if attribute.field else path
        if field in _RESERVED_FIELDS:
            yield Fault(here, f"the payload key '{field}' is taken; name another with field")
        elif fields.setdefault(field, key) != key:
            yield Fault(here, f"'{fields[field]}' already travels under '{field}'; name another with field")
    if "bmi" in measures and "height" not in measures:
        path = ("attributes", measures["bmi"], "measure")
        yield Fault(path, "bmi needs an attribute that measures height, as a weight is worked back from it")


def _check_incompatible(
    rule: Incompatible, attributes: Mapping[str, Attribute], path: KeyPath
) -> Iterator[Fault]:
    sound = True
    for key, levels in rule.levels.items():
        attribute = attributes.get(key)
        if attribute is None:
            yield Fault((*path, key), f"unknown attribute; allowed: {named(attributes)}")
        elif attribute.role == "placebo":
            yield Fault((*path, key), "is a placebo, which goes with everything")
        elif not levels:
            yield Fault((*path, key), f"expected at least one level of {named(attribute.levels)}")
        for index, level in enumerate(levels if attribute else []):
            if attribute and level not in attribute.levels:
                message = f"'{level}' is not a level of {key}; allowed: {named(attribute.levels)}"
                yield Fault((*path, key, index), message)
            elif level in levels[:index]:
                yield Fault((*path, key, index), f"'{level}' is listed twice")
        sound = sound and attribute is not None
    if sound and all(attributes[key].reference in levels for key, levels in rule.levels.items()):
        yield Fault(path, "forbids the person who has every attribute at its reference")
