"""What the model is shown of a person, condition by condition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Condition
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.people.person import Person
from tests.people.changed import sweep

PRONOUNS = {"man": "he/him", "woman": "she/her", "nonbinary": "they/them"}


@pytest.fixture(scope="module")
def people(catalogue: Catalogue) -> tuple[Person, ...]:
    swept = build_people(catalogue, sweep(2), 7)
    keys = ["religious_dress", "sexual_orientation", "caring_load"]
    return swept + build_people(catalogue, sweep(16, keys), 7)


def full_blocks(people: tuple[Person, ...], catalogue: Catalogue) -> Iterator[tuple[Person, dict[str, str]]]:
    for person in people:
        yield person, person_block(person, catalogue, catalogue.scenarios["fraud_risk"], "full")


def test_a_blind_model_is_shown_the_role_alone(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    for scenario in catalogue.scenarios.values():
        for person in people[:5]:
            block = person_block(person, catalogue, scenario, "blind")
            assert block == {"reference": f"The {scenario.role}"}
    blind = person_block(people[0], catalogue, catalogue.scenarios["fraud_risk"], "blind")
    assert blind == {"reference": "The account holder"}


def test_name_only_shows_the_full_name_alone(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    for person in people:
        block = person_block(person, catalogue, catalogue.scenarios["lending"], "name_only")
        assert block == {"reference": person.full_name}


def test_a_dossier_is_in_the_catalogue_s_order(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    measured = {"age_band", "height_band", "bmi_band", "name_culture"}
    rest = [a.field or key for key, a in catalogue.person_attributes.items() if key not in measured]
    order = ["reference", "age", "pronouns", "height", "build", *rest]
    assert rest[0] == "gender"
    for _, block in full_blocks(people, catalogue):
        assert list(block) == [key for key in order if key in block]
        assert {"reference", "age", "pronouns", "height", "build", "gender"} <= set(block)


def test_the_order_is_the_catalogue_s_also_for_people_read_back(
    people: tuple[Person, ...], catalogue: Catalogue
) -> None:
    for person, block in full_blocks(people, catalogue):
        read = replace(person, levels=dict(sorted(person.levels.items())))
        again = person_block(read, catalogue, catalogue.scenarios["fraud_risk"], "full")
        assert list(again.items()) == list(block.items())


def test_name_culture_is_never_stated(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    labels = {level.phrase for level in catalogue.attributes["name_culture"].levels.values()}
    for _, block in full_blocks(people, catalogue):
        assert "name_culture" not in block
        assert labels.isdisjoint(block.values())


def test_what_is_not_stated_has_no_key(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    unstated = 0
    for person, block in full_blocks(people, catalogue):
        for key, attribute in catalogue.person_attributes.items():
            level = attribute.levels[person.levels[key]]
            stated = level.phrase is not None or level.by_gender is not None
            if attribute.carried_by != "name":
                assert ((attribute.field or key) in block) == stated
                unstated += not stated
    assert unstated > 0


def test_pronouns_follow_gender(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    for person, block in full_blocks(people, catalogue):
        assert block["pronouns"] == PRONOUNS[person.levels["gender"]]
    assert {person.levels["gender"] for person in people} == set(PRONOUNS)


def test_wordings_that_fit_some_genders_only_follow_the_person(
    people: tuple[Person, ...], catalogue: Catalogue
) -> None:
    met = set()
    for person, block in full_blocks(people, catalogue):
        for key, attribute in catalogue.person_attributes.items():
            level = attribute.levels[person.levels[key]]
            if level.by_gender is not None:
                gender = person.levels["gender"]
                assert block[attribute.field or key] == level.by_gender[gender]
                met.add((key, gender))
    by_gender = {
        key
        for key, attribute in catalogue.person_attributes.items()
        if any(level.by_gender for level in attribute.levels.values())
    }
    assert met == {(key, gender) for key in by_gender for gender in PRONOUNS}


def test_numbers_travel_with_their_phrase(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    shape = {"age": r"(\d+), (.+)", "height": r"(\d+)cm, (.+)", "build": r"(\d+)kg, (.+)"}
    measures = {"age": "age_band", "height": "height_band", "build": "bmi_band"}
    for person, block in full_blocks(people, catalogue):
        numbers = {"age": person.age, "height": person.height_cm, "build": person.weight_kg}
        for field, key in measures.items():
            found = re.fullmatch(shape[field], block[field])
            assert found is not None
            assert int(found[1]) == numbers[field]
            assert found[2] == catalogue.attributes[key].levels[person.levels[key]].phrase


def test_the_reference_person_reads_as_the_contract_says(catalogue: Catalogue) -> None:
    anchor = build_people(catalogue, sweep(), 1)[0]
    block = person_block(anchor, catalogue, catalogue.scenarios["lending"], "full")
    assert block["age"] == "34, in their thirties"
    assert block["height"] == "172cm, of average height"
    assert block["build"] == "67kg, healthy weight"


@pytest.mark.parametrize("condition", ["blind", "name_only", "full"])
def test_a_swap_is_visible_where_the_payload_carries_it(catalogue: Catalogue, condition: Condition) -> None:
    seen = {key for key, a in catalogue.person_attributes.items() if a.visible_in(condition)}
    expected = {
        "blind": set(),
        "name_only": {"name_culture", "gender"},
        "full": set(catalogue.person_attributes),
    }
    assert seen == expected[condition]
