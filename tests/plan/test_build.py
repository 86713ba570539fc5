"""What a plan holds: exact counts, one case a pair, a keyed order, a hash of all of it."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS
from jevbias.plan.build import build_plan
from jevbias.plan.model import Ask, Frame, Plan

SEED = 20260920
CONTRACT = {
    "smoke": (11, 15),
    "pilot": (68, 388),
    "standard": (333, 2_992),
    "jev-latest-deep": (666, 12_000),
    "factorial": (160, 2_080),
}


@pytest.fixture(scope="module")
def plans(catalogue: Catalogue) -> dict[str, Plan]:
    return {name: build_plan(catalogue, name, catalogue.profiles[name], SEED) for name in CONTRACT}


@pytest.mark.parametrize(("profile", "people", "calls"), [(n, *counts) for n, counts in CONTRACT.items()])
def test_the_planned_people_and_calls_are_exactly_the_contract_s(
    plans: dict[str, Plan], profile: str, people: int, calls: int
) -> None:
    plan = plans[profile]
    assert (len(plan.people), len(plan.probes)) == (people, calls)
    assert {probe.ask_hash for probe in plan.probes} == set(plan.asks)
    assert [probe.position for probe in plan.probes] == list(range(calls))


@pytest.mark.parametrize("profile", CONTRACT)
def test_no_cell_is_planned_twice(plans: dict[str, Plan], profile: str) -> None:
    cells = Counter(
        (probe.person, probe.scenario, probe.condition, probe.replicate) for probe in plans[profile].probes
    )
    assert set(cells.values()) == {1}
    replicates = defaultdict(list)
    for probe in plans[profile].probes:
        replicates[probe.person, probe.scenario, probe.condition].append(probe.replicate)
    assert all(sorted(numbers) == list(range(len(numbers))) for numbers in replicates.values())


@pytest.mark.parametrize("profile", ["smoke", "pilot", "standard", "jev-latest-deep"])
def test_a_base_meets_one_variant_a_scenario_rotated_over_bases_and_scenarios(
    plans: dict[str, Plan], profile: str
) -> None:
    plan = plans[profile]
    for probe in plan.probes:
        base = plan.people[probe.person].base
        assert base is not None
        position = plan.profile.scenarios.index(probe.scenario)
        assert probe.variant == VARIANTS[(base + position) % 3]


def test_a_factorial_run_balances_variants_over_people(plans: dict[str, Plan]) -> None:
    plan = plans["factorial"]
    met = {(probe.scenario, probe.person): probe.variant for probe in plan.probes}
    for scenario in plan.profile.scenarios:
        counts = Counter(variant for (name, _), variant in met.items() if name == scenario)
        assert set(counts) == set(VARIANTS)
        assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("profile", CONTRACT)
def test_replicate_subjects_are_never_anchors_and_spread_over_bases_and_variants(
    plans: dict[str, Plan], profile: str
) -> None:
    plan = plans[profile]
    subjects = {p.person for p in plan.probes if p.replicate > 0 and not plan.people[p.person].is_anchor}
    assert len(subjects) == plan.profile.replicate_subjects
    by_base = Counter(plan.people[idx].base for idx in subjects)
    if plan.profile.design == "counterfactual":
        assert len(by_base) == plan.profile.bases
    assert max(by_base.values()) - min(by_base.values()) <= 1
    for scenario in plan.profile.scenarios:
        variants = Counter(
            {(p.person, p.variant) for p in plan.probes if p.person in subjects and p.scenario == scenario}
        )
        counts = Counter(variant for _, variant in variants)
        assert len(counts) == min(3, plan.profile.bases or 3)
    asked = Counter(
        (p.person, p.scenario) for p in plan.probes if p.person in subjects and p.condition == "full"
    )
    assert set(asked.values()) == {plan.profile.replicates}
    assert all(p.condition == "full" for p in plan.probes if p.person in subjects and p.replicate > 0)


def test_the_order_scatters_the_repeats_of_a_cell_over_the_run(plans: dict[str, Plan]) -> None:
    plan = plans["standard"]
    positions = defaultdict(list)
    for probe in plan.probes:
        if plan.people[probe.person].is_anchor:
            positions[probe.person, probe.scenario, probe.condition].append(probe.position)
    spans = [(max(found) - min(found)) / len(plan.probes) for found in positions.values()]
    expected = (8 - 1) / (8 + 1)
    assert abs(sum(spans) / len(spans) - expected) < 0.1


def test_the_same_arguments_give_the_same_plan_and_another_seed_another(catalogue: Catalogue) -> None:
    profile = catalogue.profiles["pilot"]
    first, second, other = (build_plan(catalogue, "pilot", profile, seed) for seed in (SEED, SEED, SEED + 1))
    assert first.plan_hash == second.plan_hash
    assert first.probes == second.probes
    assert other.plan_hash != first.plan_hash


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**40),
    kept=st.sets(st.sampled_from(["hiring_screen", "clinical_triage"]), min_size=1),
)
def test_narrowing_scenarios_changes_nobody_and_no_case(
    catalogue: Catalogue, seed: int, kept: set[str]
) -> None:
    profile = catalogue.profiles["pilot"]
    whole = build_plan(catalogue, "pilot", profile, seed)
    narrowed = build_plan(catalogue, "pilot", profile, seed, scenarios=sorted(kept))
    assert narrowed.people == whole.people
    expected = [probe[1:] for probe in whole.probes if probe.scenario in kept]
    assert [probe[1:] for probe in narrowed.probes] == expected


def test_narrowing_bases_keeps_the_asks_of_the_bases_that_remain(catalogue: Catalogue) -> None:
    profile = catalogue.profiles["standard"]
    whole = build_plan(catalogue, "standard", profile, SEED)
    narrowed = build_plan(catalogue, "standard", profile.model_copy(update={"bases": 2}), SEED)
    assert narrowed.people == whole.people[: len(narrowed.people)]
    kept = {p[1:] for p in whole.probes if whole.people[p.person].base in (0, 1) and p.replicate == 0}
    assert {p[1:] for p in narrowed.probes if p.replicate == 0} == kept


def test_the_plan_hash_covers_profile_seed_catalogue_and_probes_but_no_title(catalogue: Catalogue) -> None:
    profile = catalogue.profiles["smoke"]
    plan = build_plan(catalogue, "smoke", profile, SEED)
    renamed = build_plan(catalogue, "smoke", profile.model_copy(update={"title": "other"}), SEED)
    assert renamed.plan_hash == plan.plan_hash
    more = build_plan(catalogue, "smoke", profile.model_copy(update={"anchor_replicates": 4}), SEED)
    assert more.plan_hash != plan.plan_hash
    attribute = catalogue.attributes["religion"].model_copy(update={"label": "Faith"})
    edited = Catalogue(
        catalogue.scenarios,
        {**catalogue.attributes, "religion": attribute},
        catalogue.incompatible,
        catalogue.names,
        catalogue.profiles,
        catalogue.prices,
    )
    assert build_plan(edited, "smoke", profile, SEED).plan_hash != plan.plan_hash


def test_a_factorial_career_is_capped_at_age_less_18_and_no_counterfactual_one_is(
    plans: dict[str, Plan],
) -> None:
    plan = plans["factorial"]
    capped = 0
    for probe in plan.probes:
        if probe.scenario == "hiring_screen":
            age = plan.people[probe.person].age
            assert age is not None
            years = plan.asks[probe.ask_hash].frame.case["years_of_experience"]
            planned = {"weak": 3, "mid": 6, "strong": 9}[probe.variant]
            assert years == min(planned, max(0, age - 18))
            capped += years != planned
    assert capped > 0
    frames = {ask.frame.hash: ask.frame for ask in plans["jev-latest-deep"].asks.values()}
    assert len(frames) == 8 * 3


def test_a_frame_and_an_ask_read_back_from_their_content_are_the_same(plans: dict[str, Plan]) -> None:
    for ask in plans["pilot"].asks.values():
        read = Frame.from_content(ask.frame.content)
        assert read.hash == ask.frame.hash
        assert Ask(read, ask.person).hash == ask.hash


@pytest.mark.parametrize("profile", CONTRACT)
def test_the_state_has_the_same_keys_in_every_condition_and_reference_first(
    plans: dict[str, Plan], profile: str
) -> None:
    plan = plans[profile]
    for probe in plan.probes:
        ask = plan.asks[probe.ask_hash]
        assert list(ask.state) == [ask.frame.case_key, ask.frame.role_key]
        assert next(iter(ask.person)) == "reference"
        if probe.condition == "name_only":
            assert list(ask.person) == ["reference"]
        if probe.condition == "blind":
            assert dict(ask.person) == {"reference": f"The {ask.frame.role}"}
