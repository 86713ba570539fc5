"""Numbers never contradict their phrase."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.people.cohort import build_people
from jevbias.people.measures import body_mass_index, level_of_number
from jevbias.people.spread import spread_evenly
from tests.people.changed import sweep, with_level


def test_every_number_of_a_sweep_lies_in_the_range_of_its_level(catalogue: Catalogue) -> None:
    keys = list(catalogue.person_attributes)
    people = build_people(catalogue, sweep(), 1) + build_people(catalogue, sweep(40, keys[:2]), 1)
    for person in people:
        assert person.age is not None
        assert person.height_cm is not None
        assert person.weight_kg is not None
        numbers = {
            "age_band": person.age,
            "height_band": person.height_cm,
            "bmi_band": body_mass_index(person.weight_kg, person.height_cm),
        }
        for key, number in numbers.items():
            assert level_of_number(catalogue.attributes[key], number) == person.levels[key]


def test_weight_is_worked_back_from_the_person_s_own_height(catalogue: Catalogue) -> None:
    by_swap = {(p.swapped_attribute, p.swapped_level): p for p in build_people(catalogue, sweep(), 1)}
    weights = {
        (None, None): 67,
        ("height_band", "short"): 55,
        ("height_band", "tall"): 82,
        ("bmi_band", "underweight"): 52,
        ("bmi_band", "overweight"): 81,
        ("bmi_band", "obese"): 99,
    }
    assert {swap: by_swap[swap].weight_kg for swap in weights} == weights


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.integers(0, 40), st.sampled_from([157, 172, 191]))
def test_a_weight_is_rounded_into_the_range_of_its_level(
    catalogue: Catalogue, tenths: int, height: int
) -> None:
    """A number at the very edge of a range would else be rounded out of it."""
    narrow = with_level(catalogue, "bmi_band", "healthy", value=18.5 + tenths / 10)
    heights = {157: "short", 172: "average", 191: "tall"}
    for person in build_people(narrow, sweep(swept=["height_band"]), 1, anchor_reference=True):
        if person.levels["height_band"] == heights[height]:
            assert person.height_cm == height
            assert person.weight_kg is not None
            index = body_mass_index(person.weight_kg, height)
            assert level_of_number(narrow.attributes["bmi_band"], index) == "healthy"


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.integers(1, 60), st.integers(1, 300))
def test_numbers_are_spread_evenly_from_end_to_end(size: int, people: int) -> None:
    numbers = [3 * number for number in range(size)]
    spread = spread_evenly(numbers, people)
    assert spread == sorted(spread)
    assert len(spread) == people
    counts = [spread.count(number) for number in numbers]
    assert max(counts) - min(counts) <= 1
    if people >= 2:
        assert (spread[0], spread[-1]) == (numbers[0], numbers[-1])
    places = [numbers.index(number) for number in spread]
    gaps = [after - before for before, after in pairwise(places)]
    assert not gaps or max(gaps) - min(gaps) <= 1
