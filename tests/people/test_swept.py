"""Which levels are swapped in: all, those of some attributes, or single ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.people.cohort import build_people
from jevbias.people.swept import swept_entries, swept_levels
from tests.people.changed import sweep, with_level

SEEDS = st.integers(0, 2**63 - 1)


def test_everything_attributes_and_levels_are_swept_in_the_catalogue_s_order(catalogue: Catalogue) -> None:
    every = swept_levels(catalogue, sweep())
    assert every == {key: a.swept_levels for key, a in catalogue.person_attributes.items()}
    some = swept_levels(catalogue, sweep(swept=["religion=sikh", "age_band", "religion=muslim"]))
    assert list(some.items()) == [
        ("religion", ["muslim", "sikh"]),
        ("age_band", ["late_twenties", "forties", "fifties", "sixties"]),
    ]
    both = swept_levels(catalogue, sweep(swept=["gender=woman", "gender"]))
    assert both == {"gender": ["woman", "nonbinary"]}


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.data())
def test_levels_are_listed_so_that_they_are_read_back(catalogue: Catalogue, data: st.DataObject) -> None:
    swaps = [(key, level) for key, a in catalogue.person_attributes.items() for level in a.swept_levels]
    chosen = data.draw(st.lists(st.sampled_from(swaps), min_size=1, max_size=12, unique=True))
    levels = swept_levels(catalogue, sweep(swept=[f"{key}={level}" for key, level in chosen]))
    entries = swept_entries(catalogue, levels)
    assert swept_levels(catalogue, sweep(swept=entries)) == levels
    assert {(key, level) for key, found in levels.items() for level in found} == set(chosen)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.data())
def test_a_single_level_is_swapped_in_alone_and_is_who_it_was_in_the_whole_sweep(
    catalogue: Catalogue, data: st.DataObject
) -> None:
    """Anchors are at the reference of the attribute either way; with the references of everything else too,
    the people are the very same.
    """
    key = data.draw(st.sampled_from(list(catalogue.person_attributes)))
    level = data.draw(st.sampled_from(catalogue.person_attributes[key].swept_levels))
    seed = data.draw(SEEDS)
    few = build_people(catalogue, sweep(2, [f"{key}={level}"]), seed)
    assert [(p.swapped_attribute, p.swapped_level) for p in few] == [(None, None), (key, level)] * 2
    assert {p.levels[key] for p in few if p.is_anchor} == {catalogue.attributes[key].reference}
    at_reference = build_people(catalogue, sweep(2, [f"{key}={level}"]), seed, anchor_reference=True)
    whole = {person.identity: person for person in build_people(catalogue, sweep(2), seed)}
    for person in at_reference:
        same = whole[person.identity]
        assert (person.full_name, person.levels, person.age) == (same.full_name, same.levels, same.age)


def test_only_the_levels_that_are_swept_can_be_too_young_for_a_career(catalogue: Catalogue) -> None:
    young = with_level(catalogue, "age_band", "early_twenties", sweep=True)
    assert build_people(young, sweep(swept=["age_band=forties"]), 1)
    with pytest.raises(UsageError, match="age_band=early_twenties is too young"):
        build_people(young, sweep(swept=["age_band=early_twenties"]), 1)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("religon=muslim", "unknown attribute 'religon'; allowed: religion, "),
        ("religion=muslims", "unknown level of religion 'muslims'; allowed: muslim, "),
        ("religion=none", "religion=none is the reference, which every anchor has; swaps are christian, "),
        ("age_band=early_twenties", "age_band=early_twenties is never swept; swaps are late_twenties, "),
        ("umbrella_colour=olive", "'umbrella_colour' is a placebo, which no profile sweeps"),
    ],
)
def test_what_no_swap_leads_to_is_refused(catalogue: Catalogue, entry: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        build_people(catalogue, sweep(swept=[entry]), 1)
    assert str(refused.value).startswith(message)


def test_hypotheses_have_to_be_filled_in(catalogue: Catalogue) -> None:
    with pytest.raises(UsageError, match=r"jevbias confirm --from RUN$"):
        build_people(catalogue, sweep(swept="hypotheses"), 1)
