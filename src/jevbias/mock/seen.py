"""What a payload shows of a person: the condition, and the level of every attribute that can be seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from pydantic import JsonValue

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Attribute, Condition, Level


@dataclass(frozen=True)
class SeenPerson:
    """`levels` maps attributes to levels, for those that the payload shows or leaves out as not stated; a
    placebo has to be shown, as only some runs have placebos.
    """

    condition: Condition
    levels: Mapping[str, str]


class PersonReader:
    """Reads person blocks by the phrases and the names of a catalogue, and by nothing else."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._stated = [
            _StatedAttribute.read(key, attribute)
            for key, attribute in catalogue.attributes.items()
            if attribute.carried_by != "name"
        ]
        self._by_name = {
            attribute.carried_by: key for key, attribute in catalogue.attributes.items() if attribute.in_name
        }
        self._surnames: dict[str, set[str]] = defaultdict(set)
        self._first_names: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for culture, names in catalogue.names.cultures.items():
            for surname in names.surnames:
                self._surnames[surname].add(culture)
            for gender, first_names in names.first_names.items():
                for first_name in first_names:
                    self._first_names[first_name].add((culture, gender))

    def read(self, block: Mapping[str, JsonValue], role: str) -> SeenPerson:
        """Read one block; what the catalogue does not know is not seen."""
        reference = block.get("reference")
        name = reference if isinstance(reference, str) and reference != f"The {role}" else None
        levels = self._named(name) if name is not None else {}
        if len(block) <= 1:
            return SeenPerson("blind" if name is None else "name_only", levels)
        for attribute in self._stated:
            level = attribute.level(block.get(attribute.field))
            if level is not None:
                levels[attribute.key] = level
        return SeenPerson("full", levels)

    def _named(self, name: str) -> dict[str, str]:
        """What a full name shows: its culture, and its gender where only one gender bears the first name."""
        words = name.split(" ")
        found: set[tuple[str, str]] = set()
        for split in range(1, len(words)):
            first, surname = " ".join(words[:split]), " ".join(words[split:])
            cultures = self._surnames.get(surname, set())
            found |= {pair for pair in self._first_names.get(first, set()) if pair[0] in cultures}
        levels: dict[str, str] = {}
        for carrier, values in (("name", {c for c, _ in found}), ("name_and_field", {g for _, g in found})):
            if len(values) == 1 and carrier in self._by_name:
                levels[self._by_name[carrier]] = values.pop()
        return levels


@dataclass(frozen=True)
class _StatedAttribute:
    """An attribute's levels by what a payload says of them; `unstated` is the level that is left out."""

    key: str
    field: str
    by_phrase: Mapping[str, str]
    unstated: str | None
    has_number: bool

    @classmethod
    def read(cls, key: str, attribute: Attribute) -> Self:
        wordings = {level: _phrases(content) for level, content in attribute.levels.items()}
        unstated = next((level for level, phrases in wordings.items() if not phrases), None)
        return cls(
            key,
            attribute.field or key,
            {phrase: level for level, phrases in wordings.items() for phrase in phrases},
            None if attribute.role == "placebo" else unstated,
            attribute.measure is not None,
        )

    def level(self, stated: JsonValue) -> str | None:
        """The level that a value means; numbers travel before their phrase (`34, in their thirties`)."""
        if stated is None:
            return self.unstated
        if not isinstance(stated, str):
            return None
        if self.has_number and stated not in self.by_phrase:
            stated = stated.partition(", ")[2]
        return self.by_phrase.get(stated)


def _phrases(level: Level) -> list[str]:
    phrases = list((level.by_gender or {}).values())
    return [level.phrase, *phrases] if level.phrase is not None else phrases
