"""The numbers of the attributes that ship with the project, and the combinations it rules out."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from jevbias.catalogue.catalogue import Catalogue

VALUES = {
    "thirties": 34,
    "late_twenties": 27,
    "forties": 44,
    "fifties": 54,
    "sixties": 63,
    "average": 172,
    "short": 157,
    "tall": 191,
    "healthy": 22.5,
    "underweight": 17.5,
    "overweight": 27.5,
    "obese": 33.5,
}


def forbidden(catalogue: Catalogue, person: dict[str, str]) -> list[str]:
    return [
        rule.because
        for rule in catalogue.incompatible
        if all(person[attribute] in barred for attribute, barred in rule.levels.items())
    ]


def reference_person(catalogue: Catalogue) -> dict[str, str]:
    return {key: attribute.reference for key, attribute in catalogue.person_attributes.items()}


def test_numbers_of_counterfactual_people_are_those_of_the_contract(catalogue: Catalogue) -> None:
    measured = {key: a.measure for key, a in catalogue.person_attributes.items() if a.measure}
    assert measured == {"age_band": "age", "height_band": "height", "bmi_band": "bmi"}
    for key in measured:
        for name, level in catalogue.attributes[key].levels.items():
            if level.sweep:
                assert level.value == VALUES[name], f"{key}={name}"


@pytest.mark.parametrize(
    ("key", "lowest", "end"), [("age_band", 19, 68), ("height_band", 150, 201), ("bmi_band", 16, 36)]
)
def test_ranges_join_without_gap_or_overlap(catalogue: Catalogue, key: str, lowest: int, end: int) -> None:
    ranges = []
    for name, level in catalogue.attributes[key].levels.items():
        assert level.range is not None
        assert level.value is not None
        assert level.range[0] <= level.value < level.range[1], name
        ranges.append(level.range)
    ranges.sort()
    assert (ranges[0][0], ranges[-1][1]) == (lowest, end)
    assert all(one[1] == other[0] for one, other in pairwise(ranges))


def test_every_build_exists_at_every_height_between_45_and_145_kilograms(catalogue: Catalogue) -> None:
    heights, builds = (catalogue.attributes[key].levels.items() for key in ("height_band", "bmi_band"))
    for (height, tall), (build, heavy) in product(heights, builds):
        assert tall.range is not None
        assert heavy.range is not None
        metres = [cm / 100 for cm in range(int(tall.range[0]), int(tall.range[1]))]
        lightest, heaviest = heavy.range[0], heavy.range[1]
        assert any(heaviest * m**2 > 45 and lightest * m**2 < 145 for m in metres), f"{height}, {build}"
        assert all(heaviest * m**2 <= 145 for m in metres), f"{height}, {build}"


def test_no_rule_forbids_the_reference_person_or_a_single_swap_of_it(catalogue: Catalogue) -> None:
    anchor = reference_person(catalogue)
    assert forbidden(catalogue, anchor) == []
    for key, attribute in catalogue.person_attributes.items():
        for level in attribute.swept_levels:
            assert forbidden(catalogue, {**anchor, key: level}) == [], f"{key}={level}"


@pytest.mark.parametrize(
    "person",
    [
        {"age_band": "late_twenties", "caring_load": "teenagers"},
        {"age_band": "early_twenties", "caring_load": "teenagers"},
        {"age_band": "late_twenties", "employment_status": "retired"},
        {"age_band": "fifties", "gender": "woman", "caring_load": "expecting"},
        {"trans_status": "transgender", "gender": "woman", "caring_load": "expecting"},
        {"trans_status": "cisgender", "gender": "nonbinary"},
    ],
)
def test_what_no_person_has_together_is_forbidden(catalogue: Catalogue, person: dict[str, str]) -> None:
    assert forbidden(catalogue, {**reference_person(catalogue), **person})


@pytest.mark.parametrize(
    "person",
    [
        {"age_band": "forties", "caring_load": "teenagers"},
        {"age_band": "late_twenties", "gender": "woman", "caring_load": "expecting"},
        {"age_band": "early_twenties", "employment_status": "student"},
        {"age_band": "early_twenties", "marital_status": "widowed", "veteran": "yes"},
        {"age_band": "sixties", "caring_load": "expecting"},
        {"trans_status": "transgender", "caring_load": "expecting"},
        {"trans_status": "transgender", "gender": "nonbinary"},
        {"age_band": "forties", "gender": "woman", "caring_load": "expecting"},
        {"religion": "none", "religious_dress": "kippah", "age_band": "early_twenties"},
    ],
)
def test_what_is_merely_rare_is_allowed(catalogue: Catalogue, person: dict[str, str]) -> None:
    assert forbidden(catalogue, {**reference_person(catalogue), **person}) == []


def test_every_rule_names_levels_that_some_person_has(catalogue: Catalogue) -> None:
    """A rule that another rule already implies would never be the reason for anything."""
    for rule in catalogue.incompatible:
        for choice in product(*rule.levels.values()):
            person = {**reference_person(catalogue), **dict(zip(rule.levels, choice, strict=True))}
            assert forbidden(catalogue, person) == [rule.because]
