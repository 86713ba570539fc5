"""Who is called what."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.people.cohort import build_people
from jevbias.people.names import NameBook
from jevbias.people.person import Person
from tests.people.changed import crowd, only_attributes, sweep, with_first_names

SEEDS = st.integers(0, 2**63 - 1)
UNIVERSAL = settings(derandomize=True, deadline=None, max_examples=8)


def named(person: Person) -> bool:
    """Whether a swap redraws the name."""
    return person.swapped_attribute in ("gender", "name_culture")


def parts(person: Person, catalogue: Catalogue) -> tuple[str, str]:
    """First name and surname, both checked to be those of the person's culture and gender."""
    culture = catalogue.names.cultures[person.levels["name_culture"]]
    found = [
        (first, surname)
        for first in culture.first_names[person.levels["gender"]]
        for surname in culture.surnames
        if person.full_name == f"{first} {surname}"
    ]
    assert len(found) == 1, person.full_name
    return found[0]


@UNIVERSAL
@given(SEEDS)
def test_only_culture_and_gender_redraw_a_name(catalogue: Catalogue, seed: int) -> None:
    people = build_people(catalogue, sweep(), seed)
    anchor, first_name, surname = people[0], *parts(people[0], catalogue)
    for swap in people[1:]:
        swapped = parts(swap, catalogue)
        if swap.swapped_attribute == "gender":
            assert swapped[1] == surname
            assert swapped[0] != first_name
        elif swap.swapped_attribute == "name_culture":
            assert swapped[0] != first_name
            assert swapped[1] != surname
        else:
            assert swap.full_name == anchor.full_name


@UNIVERSAL
@given(SEEDS, st.sampled_from(["all", ["gender", "religion"], ["name_culture"], ["religion"]]))
def test_no_two_people_of_a_base_share_a_name_nor_two_bases(
    catalogue: Catalogue, seed: int, swept: object
) -> None:
    people = build_people(catalogue, sweep(24, swept), seed)
    bearers = Counter(
        person.full_name
        for person in people
        if person.is_anchor or person.swapped_attribute in ("gender", "name_culture")
    )
    assert set(bearers.values()) == {1}
    first_names: dict[str, set[int]] = {}
    for person in people:
        assert person.base is not None
        first_names.setdefault(parts(person, catalogue)[0], set()).add(person.base)
    assert all(len(bases) == 1 for bases in first_names.values())


def test_full_names_stay_distinct_until_every_combination_is_used(catalogue: Catalogue) -> None:
    small = with_first_names(
        catalogue, "anglo", {"man": ["Al", "Bo", "Cy", "Ed"], "woman": ["Di"], "nonbinary": ["Jo", "Lu"]}
    )
    book = NameBook(small, 3)
    surnames = len(small.names.cultures["anglo"].surnames)
    for gender, pool in (("man", 4), ("woman", 1), ("nonbinary", 2)):
        levels = {"name_culture": "anglo", "gender": gender}
        names = [book.full_name(levels, number) for number in range(pool * surnames)]
        assert len(set(names)) == len(names)
        assert len({name.split()[0] for name in names[:pool]}) == pool
        assert len({name.split()[1] for name in names[:surnames]}) == surnames
        assert len(set(book.full_names([levels] * (pool * surnames)))) == pool * surnames
        assert set(book.full_names([levels] * (pool * surnames + 5))) == set(names)


def test_a_gender_swap_keeps_the_surname_however_many_first_names_a_gender_has(catalogue: Catalogue) -> None:
    uneven = with_first_names(
        catalogue, "anglo", {"man": ["Al", "Bo", "Cy", "Ed"], "woman": ["Di"], "nonbinary": ["Jo", "Lu"]}
    )
    people = build_people(uneven, sweep(40, ["gender"]), 3, anchor_reference=True)
    surnames = [{p.full_name.split()[1] for p in people if p.base == base} for base in range(40)]
    assert all(len(shared) == 1 for shared in surnames)
    assert len(set.union(*surnames)) == 30


def test_a_name_listed_for_two_genders_is_given_to_one_of_them(catalogue: Catalogue) -> None:
    shared = {"man": ["Alex", "Sam"], "woman": ["Alex", "Kim"], "nonbinary": ["Sam", "Kim", "Lou"]}
    book = NameBook(with_first_names(catalogue, "anglo", shared), 1)
    given_to: dict[str, set[str]] = {}
    for gender in shared:
        levels = {"name_culture": "anglo", "gender": gender}
        for number in range(6):
            given_to.setdefault(book.full_name(levels, number).split()[0], set()).add(gender)
    assert all(len(genders) == 1 for genders in given_to.values())
    assert set.union(*given_to.values()) == set(shared)


def test_names_that_do_not_suffice_for_a_gender_swap_are_refused(catalogue: Catalogue) -> None:
    same = with_first_names(catalogue, "anglo", {"man": ["Sam"], "woman": ["Sam"], "nonbinary": ["Lou"]})
    with pytest.raises(UsageError, match=r"names\.yaml: gender=woman has no name of its own: 'Sam "):
        build_people(same, sweep(), 1)
    assert build_people(same, sweep(swept=["religion"]), 1, anchor_reference=True)


def test_the_seed_decides_the_names(catalogue: Catalogue) -> None:
    anchors = {build_people(catalogue, sweep(swept=["gender"]), seed)[0].full_name for seed in range(12)}
    assert len(anchors) > 8


@pytest.mark.parametrize("people", [160, 600])
def test_a_crowd_has_distinct_names_while_the_pools_last(catalogue: Catalogue, people: int) -> None:
    cultures = list(catalogue.attributes["name_culture"].levels)
    genders = list(catalogue.attributes["gender"].levels)
    levels = [
        {"name_culture": cultures[number % 9], "gender": genders[number // 9 % 3]} for number in range(people)
    ]
    names = NameBook(catalogue, 5).full_names(levels)
    assert len(set(names)) == people
    if people == 160:
        surnames = Counter(name.split(" ", 1)[1] for name in names)
        assert max(surnames.values()) == 1


@UNIVERSAL
@given(st.data())
def test_names_in_use_are_given_last(catalogue: Catalogue, data: st.DataObject) -> None:
    """While the pools last, new people share no first name and no surname with the people before them."""
    seeds = data.draw(st.tuples(SEEDS, SEEDS))
    swept = data.draw(st.sampled_from(["all", ["religion=muslim"], ["name_culture"], ["gender=woman"]]))
    before = build_people(catalogue, sweep(6, ["name_culture", "gender"]), seeds[0])
    before += build_people(catalogue, sweep(6, ["religion=muslim"]), seeds[0])
    people = build_people(catalogue, sweep(16, swept), seeds[1], used_names={p.full_name for p in before})
    bearers = {(p.base, p.full_name): parts(p, catalogue) for p in people if p.is_anchor or named(p)}
    first_names, surnames = (set(names) for names in zip(*(parts(p, catalogue) for p in before), strict=True))
    assert all(first_name not in first_names for first_name, _ in bearers.values())
    assert all(surname not in surnames for _, surname in bearers.values())
    assert len({name for _, name in bearers}) == len(bearers)


def test_names_in_use_are_given_where_nothing_else_is_left(catalogue: Catalogue) -> None:
    small = with_first_names(
        catalogue, "anglo", {"man": ["Al", "Bo Lee", "Cy"], "woman": ["Di"], "nonbinary": ["Jo"]}
    )
    man = {"name_culture": "anglo", "gender": "man"}
    book = NameBook(small, 3, ["Bo Lee Ashworth", "Di Barlow", "no name", "Cy"])
    order = [book.full_name(man, number).rsplit(" ", 1)[0] for number in range(3)]
    assert order[2] == "Bo Lee"
    surnames = [book.full_name(man, number).rsplit(" ", 1)[1] for number in range(30)]
    assert set(surnames[28:]) == {"Ashworth", "Barlow"}
    assert book.full_name({**man, "gender": "woman"}, 0).startswith("Di ")
    assert len({book.full_name(man, number) for number in range(90)}) == 90


def test_people_of_a_crowd_avoid_names_in_use_too(catalogue: Catalogue) -> None:
    few = only_attributes(catalogue, ["name_culture", "gender", "religion"])
    first = build_people(few, crowd(30), 1)
    second = build_people(few, crowd(30), 2, used_names=[person.full_name for person in first])
    assert {p.full_name.split()[0] for p in first}.isdisjoint(p.full_name.split()[0] for p in second)


@pytest.mark.parametrize("profile", ["pilot", "standard"])
def test_no_name_in_use_leaves_everybody_as_they_are(catalogue: Catalogue, profile: str) -> None:
    plain = build_people(catalogue, catalogue.profiles[profile], 5)
    assert build_people(catalogue, catalogue.profiles[profile], 5, used_names=[]) == plain
