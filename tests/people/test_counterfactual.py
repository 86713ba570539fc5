"""The rules that keep a swap an honest swap, over seeds, attributes, levels, genders and scenarios."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition, Variant
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.people.person import Person
from jevbias.plan.frames import build_frame
from jevbias.plan.model import Ask
from tests.people.changed import only_attributes, sweep, with_placebo

SEED = 20260920
SEEDS = st.integers(0, 2**63 - 1)
UNIVERSAL = settings(derandomize=True, deadline=None, max_examples=20)


def swaps_with_anchors(people: tuple[Person, ...]) -> Iterator[tuple[Person, Person]]:
    anchor = people[0]
    for person in people:
        if person.is_anchor:
            anchor = person
        else:
            yield person, anchor


def state(
    person: Person, catalogue: Catalogue, scenario: str, variant: Variant, condition: Condition
) -> dict[str, dict[str, object]]:
    decision = catalogue.scenarios[scenario]
    frame = build_frame(scenario, decision, variant, person)
    return Ask(frame, person_block(person, catalogue, decision, condition)).state


def fields_of(catalogue: Catalogue, key: str, condition: Condition) -> set[str]:
    """The keys of a person block that a swap of this attribute changes."""
    attribute = catalogue.attributes[key]
    if condition == "blind" or (condition == "name_only" and not attribute.in_name):
        return set()
    changed = {"reference"} if attribute.in_name else set()
    if condition == "full" and attribute.carried_by != "name":
        changed.add(attribute.field or key)
    if condition == "full" and attribute.carried_by == "name_and_field":
        changed.add("pronouns")
    if condition == "full" and attribute.measure == "height":
        changed.add("build")
    return changed


class Run(NamedTuple):
    swept: Any
    anchor_reference: bool
    seed: int

    def people(self, catalogue: Catalogue, bases: int, scenarios: Iterable[str]) -> tuple[Person, ...]:
        profile = sweep(bases, self.swept, scenarios)
        return build_people(catalogue, profile, self.seed, anchor_reference=self.anchor_reference)


@st.composite
def runs(draw: st.DrawFn, keys: list[str]) -> Run:
    """What a run may sweep: everything, or some attributes with drawn or reference backgrounds."""
    swept = draw(
        st.one_of(st.just("all"), st.lists(st.sampled_from(keys), min_size=1, max_size=6, unique=True))
    )
    return Run(swept, draw(st.booleans()), draw(SEEDS))


@UNIVERSAL
@given(st.data())
def test_a_swap_differs_in_its_attribute_and_nothing_else(catalogue: Catalogue, data: st.DataObject) -> None:
    run = data.draw(runs(list(catalogue.person_attributes)))
    scenario = data.draw(st.sampled_from(list(catalogue.scenarios)))
    variant = data.draw(st.sampled_from(VARIANTS))
    condition = data.draw(st.sampled_from(CONDITIONS))
    decision = catalogue.scenarios[scenario]
    for swap, anchor in swaps_with_anchors(run.people(catalogue, 2, [scenario])):
        assert swap.swapped_attribute is not None
        ours, theirs = (state(p, catalogue, scenario, variant, condition) for p in (swap, anchor))
        assert canonical_json(ours[decision.case_key]) == canonical_json(theirs[decision.case_key])
        mine, others = ours[decision.role_key], theirs[decision.role_key]
        differing = {key for key in mine | others if mine.get(key) != others.get(key)}
        assert differing == fields_of(catalogue, swap.swapped_attribute, condition)
        same = [(key, text) for key, text in mine.items() if key not in differing]
        assert same == [(key, text) for key, text in others.items() if key not in differing]
        visible = catalogue.attributes[swap.swapped_attribute].visible_in(condition)
        assert (canonical_json(ours) != canonical_json(theirs)) == visible


@UNIVERSAL
@given(st.data())
def test_the_order_is_anchor_first_then_attributes_and_levels_as_in_the_catalogue(
    catalogue: Catalogue, data: st.DataObject
) -> None:
    keys = data.draw(st.lists(st.sampled_from(list(catalogue.person_attributes)), min_size=1, unique=True))
    people = build_people(catalogue, sweep(2, keys), data.draw(SEEDS))
    expected = [(None, None)] + [
        (key, level)
        for key, attribute in catalogue.person_attributes.items()
        if key in keys
        for level in attribute.swept_levels
    ]
    assert [(p.swapped_attribute, p.swapped_level) for p in people] == expected * 2
    assert [p.idx for p in people] == list(range(len(people)))
    assert [p.base for p in people] == [0] * len(expected) + [1] * len(expected)
    assert [p.is_anchor for p in people] == ([True] + [False] * (len(expected) - 1)) * 2


@UNIVERSAL
@given(st.data())
def test_swept_attributes_are_at_their_reference_in_the_anchor(
    catalogue: Catalogue, data: st.DataObject
) -> None:
    run = data.draw(runs(list(catalogue.person_attributes)))
    for swap, anchor in swaps_with_anchors(run.people(catalogue, 2, ["lending"])):
        for key, attribute in catalogue.person_attributes.items():
            if run.swept == "all" or key in run.swept or run.anchor_reference:
                assert anchor.levels[key] == attribute.reference
            expected = swap.swapped_level if key == swap.swapped_attribute else anchor.levels[key]
            assert swap.levels[key] == expected
        assert list(swap.levels) == list(catalogue.person_attributes)


@pytest.mark.parametrize("seed", [1, SEED])
def test_a_full_sweep_of_the_catalogue_makes_110_swaps(catalogue: Catalogue, seed: int) -> None:
    people = build_people(catalogue, sweep(3), seed)
    assert len(people) == 3 * 111
    protected = [p for p in people[1:111] if catalogue.attributes[p.swapped_attribute or ""].protected]
    named = [p for p in people[1:111] if catalogue.attributes[p.swapped_attribute or ""].in_name]
    assert (len(protected), len(named)) == (75, 10)


@UNIVERSAL
@given(SEEDS)
def test_no_counterfactual_person_needs_the_career_cap(catalogue: Catalogue, seed: int) -> None:
    keys = [key for key in catalogue.person_attributes if key != "age_band"]
    for swept in ("all", keys[:3]):
        for person in build_people(catalogue, sweep(3, swept, catalogue.scenarios), seed):
            assert person.age is not None
            for scenario in catalogue.scenarios.values():
                for case in scenario.variants.values():
                    if scenario.career_field is not None:
                        years = case[scenario.career_field]
                        assert isinstance(years, int | float)
                        assert years <= person.age - 18


@UNIVERSAL
@given(st.data())
def test_fewer_bases_or_scenarios_change_nobody(catalogue: Catalogue, data: st.DataObject) -> None:
    run = data.draw(runs(list(catalogue.person_attributes)))
    scenarios = data.draw(st.lists(st.sampled_from(list(catalogue.scenarios)), min_size=1, unique=True))
    people = run.people(catalogue, 5, catalogue.scenarios)
    fewer = run.people(catalogue, 2, scenarios)
    assert people[: len(fewer)] == fewer
    assert [person.identity for person in people[: len(fewer)]] == [person.identity for person in fewer]


def test_placebo_attributes_are_not_part_of_the_people(catalogue: Catalogue) -> None:
    assert build_people(with_placebo(catalogue), sweep(), 1) == build_people(catalogue, sweep(), 1)


def test_the_same_seed_gives_the_same_people_on_every_platform(catalogue: Catalogue) -> None:
    people = build_people(catalogue, catalogue.profiles["standard"], SEED)
    digest = hashlib.sha256(canonical_json([asdict(person) for person in people])).hexdigest()
    assert digest == "7917b396a7c420f7663c12506a0cdbd1da81717eb3ae847f6b0a37ac228ad2e2"
    assert people != build_people(catalogue, catalogue.profiles["standard"], SEED + 1)


@pytest.mark.parametrize(
    "keys",
    [
        ["religion", "housing"],
        ["gender", "religion"],
        ["name_culture", "religion"],
        ["age_band", "religion"],
        ["height_band", "religion"],
        ["height_band", "bmi_band"],
    ],
)
def test_a_catalogue_may_lack_any_attribute(catalogue: Catalogue, keys: list[str]) -> None:
    small = only_attributes(catalogue, keys)
    carriers = {attribute.carried_by for attribute in small.attributes.values()}
    cultures = (
        catalogue.names.cultures if "name" in carriers else {"anglo": catalogue.names.cultures["anglo"]}
    )
    if "name_and_field" not in carriers:
        cultures = {
            key: culture.model_copy(update={"first_names": {"man": culture.first_names["man"]}})
            for key, culture in cultures.items()
        }
    small = replace(small, names=catalogue.names.model_copy(update={"cultures": cultures}))
    people = build_people(small, sweep(2), 1)
    fields = {"reference"} | {a.field or key for key, a in small.attributes.items() if a.carried_by != "name"}
    if "gender" in keys:
        fields.add("pronouns")
    for swap, _ in swaps_with_anchors(people):
        block = person_block(swap, small, small.scenarios["lending"], "full")
        assert set(block) == fields
        assert (swap.age is None, swap.height_cm is None, swap.weight_kg is None) == (
            "age_band" not in keys,
            "height_band" not in keys,
            "bmi_band" not in keys,
        )
