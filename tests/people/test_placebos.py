"""Placebo swaps: as honest as any swap, and of no consequence for anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from statistics import mean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, Attribute, Profile
from jevbias.errors import UsageError
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.people.person import Person
from jevbias.plan.frames import build_frame
from jevbias.plan.model import Ask
from tests.people.changed import sweep

SEEDS = st.integers(0, 2**63 - 1)
UNIVERSAL = settings(derandomize=True, deadline=None, max_examples=25)
TOPICS = re.compile(
    r"\b(work|job|career|shift|health|ill|sick|pain|medic|doctor|drug|diet|food|eat|drink|vegan|meat|money|"
    r"rich|poor|cheap|expensive|luxur|silver|gold|debt|bank|tidy|neat|late|punctual|reliab|careful|class|"
    r"posh|church|prayer|holy|saint|cross|star|crescent|moon|friday|saturday|sunday|north|south|east|west|"
    r"urban|rural|young|old|child|man|woman|boy|girl|pink|black|white|red|brown|yellow|sport|party|music)",
    re.IGNORECASE,
)
"""How words begin that a reader could take for a sign of something."""


def placebo_profile(swept: object = "all", bases: int = 2, **changes: object) -> Profile:
    return sweep(bases, swept).model_copy(update={"placebos": True, **changes})


def is_placebo(person: Person, catalogue: Catalogue) -> bool:
    return person.swapped_attribute in catalogue.placebo_attributes


def shipped(catalogue: Catalogue) -> Iterator[tuple[str, Attribute, str]]:
    """Every placebo swap that ships: attribute with its content, and level."""
    for key, attribute in catalogue.placebo_attributes.items():
        for level in attribute.swept_levels:
            yield key, attribute, level


# What ships


def test_six_attributes_with_24_swaps_half_of_them_stated_of_everybody(catalogue: Catalogue) -> None:
    placebos = catalogue.placebo_attributes
    assert len(placebos) == 6
    assert [len(attribute.swept_levels) for attribute in placebos.values()] == [4] * 6
    stated = [a for a in placebos.values() if a.levels[a.reference].phrase is not None]
    assert len(stated) == 3
    assert all(level.phrase for _, a, name in shipped(catalogue) for level in [a.levels[name]])


def test_they_stand_between_the_others_in_a_payload(catalogue: Catalogue) -> None:
    """Never two of them side by side, and never one at an end of what is stated."""
    keys = [key for key, a in catalogue.attributes.items() if a.measure is None and a.carried_by != "name"]
    roles = [catalogue.attributes[key].role for key in keys]
    places = [place for place, role in enumerate(roles) if role == "placebo"]
    gaps = [later - earlier for earlier, later in pairwise(places)]
    assert min(gaps) >= 3
    assert max(gaps) <= 8
    assert places[0] >= 2
    assert places[-1] <= len(roles) - 3


def phrases(attributes: Mapping[str, Attribute]) -> list[str]:
    return [
        text
        for attribute in attributes.values()
        if attribute.carried_by == "field" and attribute.measure is None
        for level in attribute.levels.values()
        for text in [level.phrase, *(level.by_gender or {}).values()]
        if text is not None
    ]


def test_their_phrases_are_as_long_as_the_real_ones(catalogue: Catalogue) -> None:
    """About the same on average, none outside what real phrases have, and no all but equal lengths."""
    real = [len(text) for text in phrases(catalogue.person_attributes)]
    placebo = [len(text) for text in phrases(catalogue.placebo_attributes)]
    assert abs(mean(placebo) - mean(real)) <= 2
    assert min(real) <= min(placebo) <= max(placebo) <= max(real)
    assert pstdev(placebo) >= 2


def sizes_of_edits(attributes: Mapping[str, Attribute], *, stated: bool) -> list[int]:
    """How many characters each swap adds or takes away: where the reference is stated, the difference of the
    phrases; where it is not, the whole entry.
    """
    sizes = []
    for key, attribute in attributes.items():
        reference = attribute.levels[attribute.reference].phrase
        if (
            attribute.carried_by == "field"
            and attribute.measure is None
            and (reference is not None) == stated
        ):
            for name in attribute.swept_levels:
                level = attribute.levels[name]
                text = level.phrase or next(iter((level.by_gender or {}).values()))
                size = (
                    abs(len(text) - len(reference)) if reference else len(text) + len(attribute.field or key)
                )
                sizes.append(size)
    return sizes


@pytest.mark.parametrize("stated", [True, False])
def test_their_swaps_change_a_payload_by_as_much_as_real_ones(catalogue: Catalogue, stated: bool) -> None:
    real = sizes_of_edits(catalogue.person_attributes, stated=stated)
    placebo = sizes_of_edits(catalogue.placebo_attributes, stated=stated)
    assert len(placebo) == 12
    assert max(placebo) <= max(real)
    assert abs(mean(placebo) - mean(real)) <= 4


def test_they_say_nothing_that_a_reader_could_take_for_a_sign(catalogue: Catalogue) -> None:
    for key, attribute in catalogue.placebo_attributes.items():
        words = [key, attribute.label, *(level.phrase or "" for level in attribute.levels.values())]
        for text in words:
            assert not TOPICS.search(text.replace("_", " ")), f"{key}: {text}"


def test_no_scenario_is_about_what_they_say(catalogue: Catalogue) -> None:
    plain = {"likes", "with", "born", "tight", "pale", "dark"}
    for key, attribute in catalogue.placebo_attributes.items():
        said = {word for level in attribute.levels.values() for word in (level.phrase or "").lower().split()}
        for name, scenario in catalogue.scenarios.items():
            told = set(
                re.findall(r"[a-z]+", canonical_json(scenario.model_dump(mode="json")).decode().lower())
            )
            told |= {word + "s" for word in told}
            about = {word for word in said - plain if len(word) > 3 and word in told}
            assert not about, f"{key} in {name}: {about}"


def test_their_phrases_and_fields_are_not_those_of_anything_else(catalogue: Catalogue) -> None:
    texts = phrases(catalogue.attributes)
    assert len(texts) == len({text.casefold() for text in texts})
    fields = [a.field or key for key, a in catalogue.attributes.items() if a.carried_by != "name"]
    assert len(fields) == len(set(fields))


# In a run


@UNIVERSAL
@given(st.data())
def test_a_placebo_swap_differs_from_its_anchor_in_its_placebo_alone(
    catalogue: Catalogue, data: st.DataObject
) -> None:
    """In every byte: taking the placebo out of both payloads, or putting the anchor's in, makes them one."""
    keys = st.lists(st.sampled_from(list(catalogue.person_attributes)), min_size=1, max_size=4, unique=True)
    swept = data.draw(st.one_of(st.just("all"), keys))
    scenario = data.draw(st.sampled_from(list(catalogue.scenarios)))
    variant = data.draw(st.sampled_from(VARIANTS))
    people = build_people(
        catalogue, placebo_profile(swept), data.draw(SEEDS), anchor_reference=data.draw(st.booleans())
    )
    decision = catalogue.scenarios[scenario]
    met = []
    for person in people:
        if person.is_anchor:
            anchor = person
        if not is_placebo(person, catalogue):
            continue
        key, level = str(person.swapped_attribute), str(person.swapped_level)
        met.append((person.base, key, level))
        levels = {**person.levels, key: anchor.levels[key]}
        undone = replace(person, idx=anchor.idx, is_anchor=True, swapped_attribute=None, levels=levels)
        assert replace(undone, swapped_level=None) == anchor
        ours, theirs = (
            Ask(
                build_frame(scenario, decision, variant, who),
                person_block(who, catalogue, decision, "full"),
            ).state
            for who in (person, anchor)
        )
        attribute = catalogue.attributes[key]
        field, phrase = attribute.field or key, attribute.levels[level].phrase
        assert ours[decision.role_key].pop(field) == phrase
        assert theirs[decision.role_key].pop(field, None) == attribute.levels[attribute.reference].phrase
        assert canonical_json(ours) == canonical_json(theirs)
        for condition in ("name_only", "blind"):
            mine, others = (person_block(who, catalogue, decision, condition) for who in (person, anchor))
            assert canonical_json(mine) == canonical_json(others)
    assert met == [(base, key, level) for base in (0, 1) for key, _, level in shipped(catalogue)]


@UNIVERSAL
@given(st.data())
def test_placebos_change_nobody_else(catalogue: Catalogue, data: st.DataObject) -> None:
    keys = st.lists(st.sampled_from(list(catalogue.person_attributes)), min_size=1, max_size=4, unique=True)
    swept, seed = data.draw(st.one_of(st.just("all"), keys)), data.draw(SEEDS)
    without = build_people(catalogue, sweep(2, swept), seed)
    others = [
        p for p in build_people(catalogue, placebo_profile(swept), seed) if not is_placebo(p, catalogue)
    ]
    references = {key: a.reference for key, a in catalogue.placebo_attributes.items()}
    assert len(others) == len(without)
    for person, before in zip(others, without, strict=True):
        assert {key: person.levels[key] for key in references} == references
        levels = {key: level for key, level in person.levels.items() if key not in references}
        assert list(levels) == list(before.levels)
        assert replace(person, idx=before.idx, levels=levels) == before
        assert person.identity == before.identity


def test_the_swaps_of_a_base_come_first_and_its_placebos_last(catalogue: Catalogue) -> None:
    people = build_people(catalogue, placebo_profile(["gender"]), 1)
    placebos = [is_placebo(person, catalogue) for person in people]
    assert placebos == ([False] * 3 + [True] * 24) * 2
    assert [person.idx for person in people] == list(range(54))
    assert [key for key in catalogue.attributes if key in people[0].levels] == list(people[0].levels)


def test_everybody_shows_the_stated_placebos_and_nobody_the_others(catalogue: Catalogue) -> None:
    fields = {a.field or key: a.levels[a.reference].phrase for key, a in catalogue.placebo_attributes.items()}
    stated = [field for field, phrase in fields.items() if phrase is not None]
    unstated = [field for field in fields if field not in stated]
    for person in build_people(catalogue, placebo_profile(["gender", "religion"]), 1):
        block = person_block(person, catalogue, catalogue.scenarios["lending"], "full")
        assert all(field in block for field in stated)
        swapped = person.swapped_attribute if is_placebo(person, catalogue) else None
        assert [key for key in unstated if key in block] == [key for key in unstated if key == swapped]


def test_a_catalogue_without_placebos_is_refused(catalogue: Catalogue) -> None:
    bare = replace(catalogue, attributes=catalogue.person_attributes)
    with pytest.raises(UsageError, match=r"the catalogue has no placebos; .*'role: placebo'"):
        build_people(bare, placebo_profile(), 1)
