"""Placebos and anchors in every variant: what they add to a plan, and that they change nothing else in it."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue, from_snapshot
from jevbias.catalogue.models import VARIANTS
from jevbias.plan.build import build_plan
from jevbias.plan.model import Plan, PlannedProbe
from tests.people.changed import with_placebo

SEED = 20260920
COUNTERFACTUAL = ("smoke", "pilot", "standard")


def planned(catalogue: Catalogue, profile: str, seed: int = SEED, **changes: object) -> Plan:
    return build_plan(catalogue, profile, catalogue.profiles[profile].model_copy(update=changes), seed)


def of_placebos(plan: Plan, catalogue: Catalogue) -> list[PlannedProbe]:
    placebos = catalogue.placebo_attributes
    return [p for p in plan.probes if plan.people[p.person].swapped_attribute in placebos]


def told(plan: Plan, probe: PlannedProbe) -> tuple[object, ...]:
    """A probe by whom it is about instead of by their number."""
    return (plan.people[probe.person].identity, *probe[2:6])


# Placebos


@pytest.mark.parametrize("profile", COUNTERFACTUAL)
def test_each_base_is_asked_about_24_placebos_once_a_scenario_where_they_are_seen(
    catalogue: Catalogue, profile: str
) -> None:
    plan, plain = planned(catalogue, profile, placebos=True), planned(catalogue, profile)
    bases, scenarios = plan.profile.bases or 0, len(plan.profile.scenarios)
    probes = of_placebos(plan, catalogue)
    assert len(plan.people) == len(plain.people) + 24 * bases
    assert len(probes) == 24 * bases * scenarios
    assert len(plan.probes) == len(plain.probes) + len(probes)
    assert {(probe.condition, probe.replicate) for probe in probes} == {("full", 0)}
    asked = Counter((probe.person, probe.scenario) for probe in probes)
    assert set(asked.values()) == {1}


@pytest.mark.parametrize("conditions", [["full"], ["blind", "full"], ["name_only", "blind"]])
def test_nothing_is_spent_on_a_placebo_that_nobody_sees(catalogue: Catalogue, conditions: list[str]) -> None:
    plan = planned(catalogue, "pilot", conditions=conditions, placebos=True)
    assert {probe.condition for probe in of_placebos(plan, catalogue)} == {"full"} & set(conditions)
    others = {probe.condition for probe in plan.probes} - {"full"}
    assert others == set(conditions) - {"full"}


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**40), profile=st.sampled_from(["smoke", "pilot"]))
def test_placebos_leave_every_other_probe_and_their_order_as_they_were(
    catalogue: Catalogue, seed: int, profile: str
) -> None:
    plan, plain = (planned(catalogue, profile, seed, placebos=placebos) for placebos in (True, False))
    added = set(of_placebos(plan, catalogue))
    assert [told(plan, p) for p in plan.probes if p not in added] == [told(plain, p) for p in plain.probes]


@settings(max_examples=10, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**40), profile=st.sampled_from(["smoke", "pilot"]))
def test_a_placebo_meets_the_case_of_its_anchor_and_is_never_repeated(
    catalogue: Catalogue, seed: int, profile: str
) -> None:
    plan = planned(catalogue, profile, seed, placebos=True)
    anchors = {
        (plan.people[p.person].base, p.scenario, p.condition): plan.asks[p.ask_hash]
        for p in plan.probes
        if plan.people[p.person].is_anchor
    }
    for probe in of_placebos(plan, catalogue):
        base = plan.people[probe.person].base
        assert plan.asks[probe.ask_hash].frame == anchors[base, probe.scenario, probe.condition].frame
        assert probe.replicate == 0


def test_a_run_stores_placebos_where_it_has_them(catalogue: Catalogue) -> None:
    plan, plain = planned(catalogue, "smoke", placebos=True), planned(catalogue, "smoke")
    assert from_snapshot(plan.snapshot).attributes == catalogue.attributes
    assert from_snapshot(plain.snapshot).attributes == catalogue.person_attributes


def test_a_placebo_that_a_run_does_not_have_is_no_part_of_its_plan(catalogue: Catalogue) -> None:
    more = with_placebo(catalogue)
    assert planned(more, "smoke").plan_hash == planned(catalogue, "smoke").plan_hash
    with_more, before = (planned(c, "smoke", placebos=True) for c in (more, catalogue))
    assert with_more.plan_hash != before.plan_hash
    assert len(with_more.people) == len(before.people) + 1


# Anchors in every variant


@pytest.mark.parametrize("profile", COUNTERFACTUAL)
def test_every_anchor_meets_each_other_variant_once_a_condition(catalogue: Catalogue, profile: str) -> None:
    plan, plain = planned(catalogue, profile, anchor_in_every_variant=True), planned(catalogue, profile)
    own = {(p.person, p.scenario): p.variant for p in plain.probes}
    beside = [p for p in plan.probes if p.variant != own[p.person, p.scenario]]
    assert {p.replicate for p in beside} == {0}
    cells = Counter((p.person, p.scenario, p.variant, p.condition) for p in beside)
    assert set(cells.values()) == {1}
    assert set(cells) == {
        (person.idx, scenario, variant, condition)
        for person in plan.people
        if person.is_anchor
        for scenario in plan.profile.scenarios
        for condition in plan.profile.conditions
        for variant in VARIANTS
        if variant != own[person.idx, scenario]
    }
    for probe in beside:
        frame = plan.asks[probe.ask_hash].frame
        assert frame.variant == probe.variant
        assert dict(frame.case) == catalogue.scenarios[probe.scenario].variants[probe.variant]
    assert plan.people == plain.people
    assert [p[1:] for p in plan.probes if p not in set(beside)] == [p[1:] for p in plain.probes]


def test_other_variants_are_scattered_over_the_run(catalogue: Catalogue) -> None:
    plan = planned(catalogue, "standard", anchor_in_every_variant=True)
    positions = defaultdict(list)
    for probe in plan.probes:
        if plan.people[probe.person].is_anchor and probe.replicate == 0:
            positions[probe.person, probe.scenario, probe.condition].append(probe.position / len(plan.probes))
    spreads = [max(found) - min(found) for found in positions.values()]
    assert {len(found) for found in positions.values()} == {3}
    assert abs(sum(spreads) / len(spreads) - 0.5) < 0.12


# Both, and the hash


def test_no_probe_is_planned_twice(catalogue: Catalogue) -> None:
    plan = planned(catalogue, "pilot", placebos=True, anchor_in_every_variant=True)
    probes = Counter((p.person, p.scenario, p.variant, p.condition, p.replicate) for p in plan.probes)
    assert set(probes.values()) == {1}
    assert [probe.position for probe in plan.probes] == list(range(len(plan.probes)))


def test_the_plan_hash_covers_both_and_is_what_it_was_without_them(catalogue: Catalogue) -> None:
    plain = planned(catalogue, "smoke")
    hashes = {
        planned(catalogue, "smoke", **{flag: True for flag in flags}).plan_hash
        for flags in (
            (),
            ("placebos",),
            ("anchor_in_every_variant",),
            ("placebos", "anchor_in_every_variant"),
        )
    }
    assert len(hashes) == 4
    flags = {"title", "aliases", "placebos", "anchor_in_every_variant"}
    design = plain.profile.model_dump(mode="json", exclude=flags)
    digest = hashlib.sha256(canonical_json(["smoke", design, SEED, plain.catalogue_hash]))
    for probe in plain.probes:
        digest.update(canonical_json(list(probe)))
    assert plain.plan_hash == digest.hexdigest()


def test_a_flag_counts_even_where_it_adds_no_call(catalogue: Catalogue) -> None:
    """As in a catalogue whose placebos cannot be seen: the same calls, but another design."""
    plain, hidden = (
        planned(catalogue, "pilot", conditions=["name_only"], placebos=placebos) for placebos in (False, True)
    )
    assert len(hidden.probes) == len(plain.probes)
    assert hidden.plan_hash != plain.plan_hash
