"""The names that ship with the project: enough of them, and none that says more than its culture."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue

FILE = Path(__file__).parent.parent.parent / "scenarios" / "people" / "names.yaml"
FEWEST = 24

CULTURES = [
    "anglo",
    "black_american",
    "west_african",
    "hispanic",
    "south_asian",
    "east_asian",
    "arab_mena",
    "jewish",
    "eastern_european",
]


def names(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Culture, list and name of every name."""
    for culture, content in catalogue.names.cultures.items():
        for role, listed in {"surnames": content.surnames, **content.first_names}.items():
            for name in listed:
                yield culture, role, name


def bare(name: str) -> str:
    """A name without case, accents, hyphens and apostrophes."""
    return "".join(ch for ch in unicodedata.normalize("NFKD", name) if ch.isalpha()).casefold()


def test_the_file_names_its_schema_for_the_editor() -> None:
    first = FILE.read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=../../schemas/names.schema.json"


def test_every_culture_and_gender_has_its_names(catalogue: Catalogue) -> None:
    genders = list(catalogue.attributes["gender"].levels)
    assert list(catalogue.names.cultures) == CULTURES == list(catalogue.attributes["name_culture"].levels)
    for culture in catalogue.names.cultures.values():
        assert list(culture.first_names) == genders


@pytest.mark.parametrize("culture", CULTURES)
def test_a_culture_has_at_least_24_surnames_and_24_first_names_per_gender(
    catalogue: Catalogue, culture: str
) -> None:
    content = catalogue.names.cultures[culture]
    for listed in (content.surnames, *content.first_names.values()):
        assert len({bare(name) for name in listed}) >= FEWEST


def test_no_name_is_listed_twice_whatever_its_culture_role_and_accents(catalogue: Catalogue) -> None:
    places: dict[str, tuple[str, str, str]] = {}
    for place in names(catalogue):
        first = places.setdefault(bare(place[2]), place)
        assert first == place, f"{first} and {place}"
    assert len(places) == len(list(names(catalogue)))


def test_a_name_is_one_clean_word_in_composed_letters(catalogue: Catalogue) -> None:
    for culture, role, name in names(catalogue):
        assert name == unicodedata.normalize("NFC", name.strip()), (culture, role, name)
        assert all(ch.isalpha() or ch in "-'" for ch in name), (culture, role, name)
        assert name[0].isupper(), (culture, role, name)


def test_hispanic_names_keep_their_accents(catalogue: Catalogue) -> None:
    listed = {name for culture, _, name in names(catalogue) if culture == "hispanic"}
    assert {"García", "Muñoz", "Núñez", "Tomás", "Rocío"} <= listed
    assert sum(not name.isascii() for name in listed) >= FEWEST


def test_no_name_spells_what_another_attribute_states(catalogue: Catalogue) -> None:
    phrases = {
        bare(text)
        for attribute in catalogue.person_attributes.values()
        for level in attribute.levels.values()
        for text in [level.phrase or "", *(level.by_gender or {}).values()]
    }
    for culture, role, name in names(catalogue):
        parts = {bare(part) for part in [name, *name.split("-")]}
        assert not parts & phrases, (culture, role, name)


@pytest.mark.parametrize("culture", ["eastern_european", "east_asian", "jewish", "arab_mena"])
def test_no_surname_changes_with_gender(catalogue: Catalogue, culture: str) -> None:
    """A gender swap keeps the surname, which forms such as Kowalski and Kowalska would not survive."""
    endings = ("ski", "ska", "cki", "cka", "ova", "eva", "ov", "ev", "ý", "á", "skyi", "skyy")
    assert not [s for s in catalogue.names.cultures[culture].surnames if s.lower().endswith(endings)]
