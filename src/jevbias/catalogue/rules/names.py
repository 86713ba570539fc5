"""The rules of the names file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import Attribute, Culture, Names
from jevbias.catalogue.rules.attributes import carrier
from jevbias.catalogue.rules.fault import Fault, named, repeated_texts, same_text


def check_names(names: Names, attributes: Mapping[str, Attribute] | None) -> Iterator[Fault]:
    """Cultures and genders are those of the attributes (left out when those are not known), and a name
    belongs to one culture only.
    """
    if attributes is not None:
        yield from _check_levels(names, attributes)
    owners: dict[str, str] = {}
    for key, culture in names.cultures.items():
        for path, listed in _lists(key, culture):
            places: list[tuple[KeyPath, str]] = [((*path, i), name) for i, name in enumerate(listed)]
            yield from repeated_texts(places, "'{}' stands in this list already")
            for place, name in places:
                owner = owners.setdefault(same_text(name), key)
                if owner != key:
                    yield Fault(place, f"'{name}' is already a name of {owner}; cultures may share none")


def _lists(key: str, culture: Culture) -> Iterator[tuple[KeyPath, list[str]]]:
    yield ("cultures", key, "surnames"), culture.surnames
    for gender, listed in culture.first_names.items():
        yield ("cultures", key, "first_names", gender), listed


def _check_levels(names: Names, attributes: Mapping[str, Attribute]) -> Iterator[Fault]:
    by_name, by_gender = carrier(attributes, "name"), carrier(attributes, "name_and_field")
    yield from _check_keys(names.cultures, by_name, ("cultures",), "carried_by: name")
    for key, culture in names.cultures.items():
        path: KeyPath = ("cultures", key, "first_names")
        yield from _check_keys(culture.first_names, by_gender, path, "carried_by: name_and_field")


def _check_keys(
    keys: Iterable[str], source: tuple[str, Attribute] | None, path: KeyPath, how: str
) -> Iterator[Fault]:
    present = list(keys)
    if source is None:
        if len(present) > 1:
            yield Fault(path, f"expected one key, as no attribute of the catalogue has {how}")
        return
    key, attribute = source
    for level in attribute.levels:
        if level not in present:
            yield Fault((*path, level), f"missing; '{level}' is a level of {key}")
    for found in present:
        if found not in attribute.levels:
            yield Fault((*path, found), f"is not a level of {key}; allowed: {named(attribute.levels)}")
