"""The catalogue in memory, its snapshot and its hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.models import (
    Attribute,
    Attributes,
    Incompatible,
    Names,
    Prices,
    Profile,
    Scenario,
    Strict,
)


@dataclass(frozen=True)
class Catalogue:
    """Everything that can be put to a model, validated; mappings keep the order of the files."""

    scenarios: Mapping[str, Scenario]
    attributes: Mapping[str, Attribute]
    incompatible: tuple[Incompatible, ...]
    names: Names
    profiles: Mapping[str, Profile]
    prices: Prices

    @cached_property
    def person_attributes(self) -> dict[str, Attribute]:
        """The attributes that describe a person (placebos left out)."""
        return {key: a for key, a in self.attributes.items() if a.role == "person"}

    @cached_property
    def placebo_attributes(self) -> dict[str, Attribute]:
        """The attributes whose swaps are placebos."""
        return {key: a for key, a in self.attributes.items() if a.role == "placebo"}

    def snapshot(self, scenarios: Iterable[str] | None = None, *, placebos: bool = True) -> dict[str, Any]:
        """What a run stores of the catalogue, as JSON-ready data: the scenarios named (default all), every
        name and every attribute, placebos where the run has them. Profiles and prices say nothing to a model
        and stay out.
        """
        chosen = list(self.scenarios if scenarios is None else scenarios)
        attributes = self.attributes if placebos else self.person_attributes
        return {
            "scenarios": {key: _dump(self.scenarios[key]) for key in chosen},
            "attributes": {key: _dump(attribute) for key, attribute in attributes.items()},
            "incompatible": [_dump(rule) for rule in self.incompatible],
            "names": _dump(self.names),
        }


def _dump(model: Strict) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_defaults=True)


def catalogue_hash(snapshot: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of a snapshot in canonical JSON; the order of keys counts, as payloads show it."""
    return canonical_hash(snapshot)


def from_snapshot(snapshot: Mapping[str, Any]) -> Catalogue:
    """The catalogue a run was planned with; it has no profiles and no prices."""
    attributes = Attributes.model_validate(
        {"attributes": snapshot["attributes"], "incompatible": snapshot["incompatible"]}
    )
    return Catalogue(
        scenarios={key: Scenario.model_validate(value) for key, value in snapshot["scenarios"].items()},
        attributes=attributes.attributes,
        incompatible=tuple(attributes.incompatible),
        names=Names.model_validate(snapshot["names"]),
        profiles={},
        prices=Prices(prices=[]),
    )
