"""Factorial crowds: balanced, spread, coherent, and never at odds with their own numbers."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.people.array import layout_quality
from jevbias.people.coherence import broken_rules
from jevbias.people.cohort import build_people
from jevbias.people.measures import body_mass_index
from jevbias.people.person import Person
from tests.people.changed import crowd, only_attributes, with_level, with_placebo, with_rule

SEED = 20260920
FEW = ("name_culture", "gender", "trans_status", "employment_status", "caring_load")
MEASURES = ("age_band", "height_band", "bmi_band")


@pytest.fixture(scope="module")
def people(catalogue: Catalogue) -> tuple[Person, ...]:
    return build_people(catalogue, catalogue.profiles["factorial"], SEED)


@pytest.fixture(scope="module")
def small(catalogue: Catalogue) -> Catalogue:
    return only_attributes(catalogue, (*FEW, *MEASURES))


def numbers(person: Person) -> tuple[int, int, int]:
    assert person.age is not None
    assert person.height_cm is not None
    assert person.weight_kg is not None
    return person.age, person.height_cm, person.weight_kg


def check_phrases(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    """Every number lies in the range of its level."""
    for person in people:
        age, height, weight = numbers(person)
        by_key = dict(zip(MEASURES, (age, height, body_mass_index(weight, height)), strict=True))
        for key, number in by_key.items():
            bounds = catalogue.attributes[key].levels[person.levels[key]].range
            assert bounds is not None
            assert bounds[0] <= number < bounds[1]


def test_every_level_occurs_about_equally_often(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    for key, attribute in catalogue.person_attributes.items():
        if attribute.measure in ("age", "height"):
            continue
        counts = Counter(person.levels[key] for person in people)
        assert set(counts) == set(attribute.levels)
        assert max(counts.values()) - min(counts.values()) <= 1


def test_ages_heights_and_weights_are_spread_over_their_ranges(people: tuple[Person, ...]) -> None:
    ages, heights, weights = zip(*(numbers(person) for person in people), strict=True)
    age_counts = Counter(ages)
    assert set(age_counts) == set(range(19, 68))
    assert max(age_counts.values()) - min(age_counts.values()) <= 1
    height_counts = Counter(heights)
    assert set(height_counts) == set(range(150, 201))
    assert max(height_counts.values()) - min(height_counts.values()) <= 1
    assert min(weights) == 45
    assert 138 <= max(weights) <= 145
    fifths = Counter((weight - 45) // 20 for weight in weights if weight < 145)
    assert min(fifths[fifth] for fifth in range(5)) >= 5


def test_every_band_of_every_measure_occurs(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    for key in MEASURES:
        assert {person.levels[key] for person in people} == set(catalogue.attributes[key].levels)


def test_phrases_agree_with_numbers(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    check_phrases(people, catalogue)


def test_everyone_is_a_possible_person(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    for person in people:
        assert list(broken_rules(person.levels, catalogue.incompatible)) == []


def test_names_are_distinct_and_belong_to_culture_and_gender(
    people: tuple[Person, ...], catalogue: Catalogue
) -> None:
    assert len({person.full_name for person in people}) == len(people)
    for person in people:
        culture = catalogue.names.cultures[person.levels["name_culture"]]
        firsts = culture.first_names[person.levels["gender"]]
        assert any(
            person.full_name == f"{first} {surname}" for first in firsts for surname in culture.surnames
        )


def test_nobody_is_an_anchor_or_a_swap(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    assert [person.idx for person in people] == list(range(160))
    for person in people:
        assert (person.base, person.is_anchor, person.swapped_attribute) == (None, False, None)
        assert list(person.levels) == list(catalogue.person_attributes)
    assert build_people(with_placebo(only_attributes(catalogue, FEW)), crowd(20), 1) == build_people(
        only_attributes(catalogue, FEW), crowd(20), 1
    )


def test_coherence_costs_the_layout_little_beyond_what_it_forbids(
    people: tuple[Person, ...], catalogue: Catalogue
) -> None:
    """The rules leave one level pair empty (nonbinary, cisgender), and others a little thin."""
    crossed = {key: list(a.levels) for key, a in catalogue.person_attributes.items() if not a.measure}
    array = np.array([[crossed[key].index(person.levels[key]) for key in crossed] for person in people])
    quality = layout_quality(array, [len(levels) for levels in crossed.values()])
    assert quality.imbalance < 6_200
    assert quality.empty_pairs <= 3
    apart = [key for key in crossed if key not in ("gender", "trans_status")]
    columns = [list(crossed).index(key) for key in apart]
    assert layout_quality(array[:, columns], [len(crossed[key]) for key in apart]).worst_pair <= 0.43


def test_numbers_are_uncorrelated_with_each_other(people: tuple[Person, ...], catalogue: Catalogue) -> None:
    ages, heights, weights = np.array([numbers(person) for person in people]).T
    index = weights * 10_000 / heights**2
    for one, other in combinations((ages, heights, index), 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.25


def test_the_same_seed_gives_the_same_crowd_on_every_platform(small: Catalogue) -> None:
    people = build_people(small, crowd(60), SEED)
    digest = hashlib.sha256(canonical_json([asdict(person) for person in people])).hexdigest()
    assert digest == "cfe012df761067225aededc26a5baca6abe96582e56111275efe05458b41cc13"
    assert people != build_people(small, crowd(60), SEED + 1)


@settings(derandomize=True, deadline=None, max_examples=4)
@given(st.integers(0, 2**63 - 1), st.integers(8, 70))
def test_crowds_of_any_size_and_seed_are_coherent_and_balanced(
    small: Catalogue, seed: int, size: int
) -> None:
    people = build_people(small, crowd(size), seed)
    check_phrases(people, small)
    for person in people:
        assert list(broken_rules(person.levels, small.incompatible)) == []
    for key in (*FEW, "bmi_band"):
        counts = Counter(person.levels[key] for person in people)
        occur = [counts[level] for level in small.attributes[key].levels]
        assert max(occur) - min(occur) <= 1
    ages = [person.age for person in people]
    assert (min(ages), max(ages)) == (19, 67)  # type: ignore[type-var]
    assert len({person.full_name for person in people}) == size


@pytest.mark.parametrize("size", [2, 3, 5])
def test_even_the_smallest_crowd_is_coherent(small: Catalogue, size: int) -> None:
    people = build_people(small, crowd(size), 1)
    assert len(people) == size
    check_phrases(people, small)


def test_a_crowd_too_large_to_ask_everyone_is_coherent_too(catalogue: Catalogue) -> None:
    few = only_attributes(catalogue, ("name_culture", "gender", "trans_status"))
    people = build_people(few, crowd(520), 1)
    assert not any(list(broken_rules(person.levels, few.incompatible)) for person in people)
    assert sorted(Counter(person.levels["gender"] for person in people).values()) == [173, 173, 174]


def test_a_rule_that_counts_forbid_is_refused_with_the_reason(small: Catalogue) -> None:
    every = list(small.attributes["caring_load"].levels)
    impossible = with_rule(small, {"gender": ["woman"], "caring_load": every}, "a rule gone wrong")
    with pytest.raises(UsageError, match=r"no coherent crowd of 30 people: .*woman.*\(a rule gone wrong\)"):
        build_people(impossible, crowd(30), 1)


def test_a_build_that_nobody_can_have_is_refused(small: Catalogue) -> None:
    giant = with_level(small, "bmi_band", "obese", value=120, range=(100, 140))
    with pytest.raises(UsageError, match=r"Build obese: nobody of 150 to 200cm and 45 to 145kg"):
        build_people(giant, crowd(30), 1)


def test_ages_stay_within_what_the_catalogue_has_levels_for(small: Catalogue) -> None:
    aged = small
    for name in ("early_twenties", "late_twenties", "sixties"):
        levels = {k: v for k, v in aged.attributes["age_band"].levels.items() if k != name}
        attribute = aged.attributes["age_band"].model_copy(update={"levels": levels})
        aged = replace(aged, incompatible=(), attributes={**aged.attributes, "age_band": attribute})
    ages = {person.age for person in build_people(aged, crowd(60), 1)}
    assert ages == set(range(30, 60))
