"""What the mock sees of generated people is what they are, as far as the condition shows it."""

from __future__ import annotations

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.seen import PersonReader
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people


@pytest.mark.parametrize("profile", ["pilot", "standard"])
def test_every_person_is_seen_as_they_are(catalogue: Catalogue, profile: str) -> None:
    reader, scenario = PersonReader(catalogue), catalogue.scenarios["hiring_screen"]
    in_name = [key for key, attribute in catalogue.attributes.items() if attribute.in_name]
    people = build_people(catalogue, catalogue.profiles[profile], seed=20260920)
    assert len(people) > 50
    for person in people:
        full, name_only, blind = (
            reader.read(person_block(person, catalogue, scenario, condition), scenario.role)
            for condition in ("full", "name_only", "blind")
        )
        assert (full.condition, dict(full.levels)) == ("full", dict(person.levels))
        assert (name_only.condition, dict(name_only.levels)) == (
            "name_only",
            {key: person.levels[key] for key in in_name},
        )
        assert (blind.condition, dict(blind.levels)) == ("blind", {})


def test_placebos_are_seen_where_they_are_shown(catalogue: Catalogue) -> None:
    reader, scenario = PersonReader(catalogue), catalogue.scenarios["hiring_screen"]
    profile = catalogue.profiles["smoke"].model_copy(update={"placebos": True})
    unstated = {
        (key, attribute.reference)
        for key, attribute in catalogue.placebo_attributes.items()
        if attribute.levels[attribute.reference].phrase is None
    }
    for person in build_people(catalogue, profile, seed=20260920):
        seen = reader.read(person_block(person, catalogue, scenario, "full"), scenario.role)
        assert set(seen.levels.items()) == set(person.levels.items()) - unstated
