"""The shipped catalogue with something changed, as a user might change it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Attribute, Incompatible, Level, Names, Profile


def with_attributes(catalogue: Catalogue, attributes: Mapping[str, Attribute]) -> Catalogue:
    return replace(catalogue, attributes={**catalogue.attributes, **attributes})


def only_attributes(catalogue: Catalogue, keys: Iterable[str]) -> Catalogue:
    """The catalogue with these attributes, in its order, and the rules about them."""
    kept = set(keys)
    attributes = {key: attribute for key, attribute in catalogue.attributes.items() if key in kept}
    rules = tuple(rule for rule in catalogue.incompatible if kept.issuperset(rule.levels))
    return replace(catalogue, attributes=attributes, incompatible=rules)


def with_level(catalogue: Catalogue, key: str, name: str, **changes: Any) -> Catalogue:
    attribute = catalogue.attributes[key]
    level = attribute.levels.get(name, Level()).model_copy(update=changes)
    levels = {**attribute.levels, name: level}
    return with_attributes(catalogue, {key: attribute.model_copy(update={"levels": levels})})


def with_rule(catalogue: Catalogue, levels: dict[str, list[str]], because: str) -> Catalogue:
    return replace(
        catalogue, incompatible=(*catalogue.incompatible, Incompatible(levels=levels, because=because))
    )


def with_first_names(catalogue: Catalogue, culture: str, names: dict[str, list[str]]) -> Catalogue:
    changed = catalogue.names.cultures[culture].model_copy(update={"first_names": names})
    return replace(catalogue, names=Names(cultures={**catalogue.names.cultures, culture: changed}))


def with_placebo(catalogue: Catalogue) -> Catalogue:
    levels = {"spring": Level(phrase="prefers spring"), "autumn": Level(phrase="prefers autumn")}
    placebo = Attribute(label="Season", role="placebo", reference="spring", levels=levels)
    return replace(catalogue, attributes={"season": placebo, **catalogue.attributes})


def sweep(bases: int = 1, swept: Any = "all", scenarios: Iterable[str] = ("hiring_screen",)) -> Profile:
    return Profile(
        title="a sweep",
        design="counterfactual",
        bases=bases,
        swept=swept,
        scenarios=list(scenarios),
        conditions=["full"],
    )


def crowd(people: int) -> Profile:
    return Profile(
        title="a crowd", design="factorial", people=people, scenarios=["lending"], conditions=["full"]
    )
