"""Backgrounds are drawn, everyone is a possible person, and what cannot be is refused with the reason."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.people.coherence import broken_rules
from jevbias.people.cohort import build_people
from tests.people.changed import sweep, with_level, with_placebo, with_rule

SEEDS = st.integers(0, 2**63 - 1)
UNIVERSAL = settings(derandomize=True, deadline=None, max_examples=20)


@UNIVERSAL
@given(st.data())
def test_every_anchor_and_every_swap_is_a_possible_person(catalogue: Catalogue, data: st.DataObject) -> None:
    keys = list(catalogue.person_attributes)
    swept = data.draw(st.lists(st.sampled_from(keys), min_size=1, max_size=8, unique=True))
    people = build_people(
        catalogue, sweep(4, swept), data.draw(SEEDS), anchor_reference=data.draw(st.booleans())
    )
    for person in people:
        assert list(broken_rules(person.levels, catalogue.incompatible)) == []


@UNIVERSAL
@given(SEEDS, st.booleans())
def test_a_background_has_no_wording_that_depends_on_a_swept_gender(
    catalogue: Catalogue, seed: int, gender_is_swept: bool
) -> None:
    swept = ["gender", "religion"] if gender_is_swept else ["religion"]
    people = build_people(catalogue, sweep(30, swept), seed)
    gendered = Counter(
        key
        for person in people
        if person.is_anchor
        for key, attribute in catalogue.person_attributes.items()
        if attribute.levels[person.levels[key]].by_gender
    )
    assert (not gendered) == gender_is_swept


def test_backgrounds_are_drawn_from_every_level_that_may_be_swept(catalogue: Catalogue) -> None:
    people = build_people(catalogue, sweep(400, ["religion"]), 11)
    anchors = [person for person in people if person.is_anchor]
    for key, attribute in catalogue.person_attributes.items():
        drawn = Counter(person.levels[key] for person in anchors)
        if key == "religion":
            assert set(drawn) == {"none"}
            continue
        allowed = {name for name, level in attribute.levels.items() if level.sweep}
        assert set(drawn) == allowed
        assert max(drawn.values()) < 2.5 * 400 / len(allowed)
    assert "early_twenties" not in {person.levels["age_band"] for person in people}


def test_anchors_differ_in_background_unless_they_are_put_at_their_reference(catalogue: Catalogue) -> None:
    drawn = build_people(catalogue, sweep(3, ["religion"]), 1)
    assert len({tuple(person.levels.values()) for person in drawn if person.is_anchor}) == 3
    fixed = build_people(catalogue, sweep(3, ["religion"]), 1, anchor_reference=True)
    references = tuple(attribute.reference for attribute in catalogue.person_attributes.values())
    assert {tuple(person.levels.values()) for person in fixed if person.is_anchor} == {references}


def test_a_draw_of_one_attribute_does_not_depend_on_what_else_is_swept(catalogue: Catalogue) -> None:
    """Unless coherence makes a base draw again."""
    one = build_people(catalogue, sweep(20, ["religion"]), 5)
    other = build_people(catalogue, sweep(20, ["religion", "housing"]), 5)
    housings = [
        [{k: v for k, v in p.levels.items() if k != "housing"} for p in people if p.is_anchor]
        for people in (one, other)
    ]
    assert sum(a == b for a, b in zip(*housings, strict=True)) >= 15


def test_references_that_no_swap_goes_with_are_refused_with_the_reason(catalogue: Catalogue) -> None:
    rule = {"gender": ["woman"], "age_band": ["thirties"]}
    strict = with_rule(catalogue, rule, "the order has no young women")
    with pytest.raises(
        UsageError, match=r"gender woman with age_band thirties \(the order has no young women\)"
    ):
        build_people(strict, sweep(), 1)
    drawn = build_people(strict, sweep(5, ["gender"]), 1)
    assert "thirties" not in {person.levels["age_band"] for person in drawn}


def test_a_draw_that_can_never_be_coherent_is_refused_with_the_reason(catalogue: Catalogue) -> None:
    every = list(catalogue.attributes["housing"].levels)
    impossible = with_rule(catalogue, {"religion": ["sikh"], "housing": every}, "a rule gone wrong")
    with pytest.raises(UsageError, match="a rule gone wrong"):
        build_people(impossible, sweep(1, ["religion"]), 1)
    assert build_people(impossible, sweep(1, ["gender"]), 1)


def test_a_rule_that_needs_two_swaps_at_once_is_no_obstacle(catalogue: Catalogue) -> None:
    rule = {"religion": ["sikh"], "religious_dress": ["kippah"]}
    apart = with_rule(catalogue, rule, "two swaps never meet")
    assert build_people(apart, sweep(), 1) == build_people(catalogue, sweep(), 1)


def test_a_reference_worded_by_gender_is_refused_while_gender_is_swept(catalogue: Catalogue) -> None:
    words = {"man": "single man", "woman": "single woman", "nonbinary": "single person"}
    worded = with_level(catalogue, "marital_status", "single", phrase=None, by_gender=words)
    with pytest.raises(
        UsageError, match=r"gender cannot be swept: marital_status=single is worded by gender"
    ):
        build_people(worded, sweep(), 1)
    assert build_people(worded, sweep(swept=["marital_status"]), 1)


def test_an_attribute_with_nothing_to_draw_is_refused(catalogue: Catalogue) -> None:
    barren = catalogue
    for name in catalogue.attributes["housing"].levels:
        barren = with_level(barren, "housing", name, sweep=False)
    with pytest.raises(UsageError, match="no level of housing can be drawn"):
        build_people(barren, sweep(swept=["gender"]), 1)


def test_a_swept_age_too_young_for_a_career_is_refused(catalogue: Catalogue) -> None:
    young = with_level(catalogue, "age_band", "early_twenties", sweep=True)
    with pytest.raises(
        UsageError, match=r"age_band=early_twenties is too young for the 9 years .*hiring_screen"
    ):
        build_people(young, sweep(swept=["age_band"]), 1)
    ages = {p.age for p in build_people(young, sweep(swept=["age_band"], scenarios=["lending"]), 1)}
    assert 22 in ages


def test_an_age_too_young_for_a_career_is_never_drawn(catalogue: Catalogue) -> None:
    young = with_level(catalogue, "age_band", "early_twenties", sweep=True)
    for scenario in ("hiring_screen", "lending"):
        people = build_people(young, sweep(60, ["religion"], [scenario]), 1)
        assert min(person.age or 0 for person in people) == 27


@pytest.mark.parametrize(("swept", "reason"), [("religon", "religion"), ("season", "placebo")])
def test_what_cannot_be_swept_is_refused(catalogue: Catalogue, swept: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        build_people(with_placebo(catalogue), sweep(swept=[swept]), 1)
