"""Narrowing a profile: fewer levels, fewer bases, placebos beside them, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Profile
from jevbias.errors import UsageError
from jevbias.plan.build import build_plan
from jevbias.plan.model import Plan
from jevbias.plan.narrow import Narrowing, narrow_profile

SEED = 20260920


def narrowed(catalogue: Catalogue, profile: str, **narrowing: object) -> Plan:
    changes = Narrowing(**narrowing)  # type: ignore[arg-type]
    found = narrow_profile(catalogue, profile, catalogue.profiles[profile], changes)
    return build_plan(catalogue, profile, found, SEED, scenarios=changes.scenarios)


def refused(catalogue: Catalogue, profile: str, **narrowing: object) -> str:
    with pytest.raises(UsageError) as error:
        narrowed(catalogue, profile, **narrowing)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)


def test_a_re_check_of_one_level_costs_no_more_than_it_needs(catalogue: Catalogue) -> None:
    plan = narrowed(catalogue, "jev-latest-deep", swept=["religion=muslim"], scenarios=["lending"])
    assert plan.profile.swept == ["religion=muslim"]
    assert len(plan.people) == 6 * 2
    swaps = {(p.swapped_attribute, p.swapped_level) for p in plan.people if not p.is_anchor}
    assert swaps == {("religion", "muslim")}
    assert {p.levels["religion"] for p in plan.people if p.is_anchor} == {"none"}
    assert len(plan.probes) == 6 * 2 * 10 + 6 * 2 + 6 * (3 - 1)


def test_attributes_and_levels_may_be_mixed_in_any_order(catalogue: Catalogue) -> None:
    mixed = narrowed(catalogue, "pilot", swept=["religion=muslim", "gender", "religion=jewish"])
    assert mixed.profile.swept == ["gender", "religion=muslim", "religion=jewish"]
    again = narrowed(catalogue, "pilot", swept=["gender", "religion=jewish", "religion=muslim", "gender"])
    assert again.plan_hash == mixed.plan_hash
    whole = narrowed(catalogue, "pilot", swept=["gender=nonbinary", "gender=woman"])
    assert whole.profile.swept == ["gender"]


def test_a_narrowed_profile_can_be_narrowed_again_to_what_it_sweeps(catalogue: Catalogue) -> None:
    pilot = catalogue.profiles["pilot"].model_copy(update={"swept": ["religion=muslim", "religion=sikh"]})
    again = narrow_profile(catalogue, "pilot", pilot, Narrowing(swept=["religion"]))
    assert again.swept == ["religion=muslim", "religion=sikh"]
    with pytest.raises(UsageError) as error:
        narrow_profile(catalogue, "pilot", pilot, Narrowing(swept=["religion=hindu"]))
    assert str(error.value) == (
        "--swept: profile 'pilot' does not sweep religion=hindu; of religion it sweeps muslim, sikh"
    )


@pytest.mark.parametrize(
    ("swept", "message"),
    [
        ([], "--swept: names nothing; give one or more, such as --swept A,B"),
        (["housing"], "--swept: profile 'pilot' does not sweep 'housing'; it sweeps name_culture, gender, "),
        (
            ["housing=temporary"],
            "--swept: profile 'pilot' does not sweep 'housing'; it sweeps name_culture, ",
        ),
        (["religion=muslin"], "unknown level of religion 'muslin'; allowed: muslim, "),
        (["religion=none"], "religion=none is the reference, which every anchor has; swaps are christian, "),
        (["religion="], "unknown level of religion ''; allowed: "),
        (["religoin=muslim"], "unknown attribute 'religoin'; allowed: religion, "),
        (["folder_colour=grey"], "--swept: profile 'pilot' does not sweep 'folder_colour'; it sweeps "),
    ],
)
def test_what_a_profile_does_not_sweep_is_refused(catalogue: Catalogue, swept: object, message: str) -> None:
    assert refused(catalogue, "pilot", swept=swept).startswith(message)


def test_placebos_are_added_to_a_profile_without_them(catalogue: Catalogue) -> None:
    plan = narrowed(catalogue, "pilot", placebos=True, swept=["gender"], bases=3)
    assert plan.profile.placebos
    assert len(plan.people) == 3 * (1 + 2 + 24)
    assert not narrowed(catalogue, "pilot").profile.placebos


def test_placebos_are_refused_where_they_mean_nothing(catalogue: Catalogue) -> None:
    assert refused(catalogue, "factorial", placebos=True) == (
        "--placebos: profile 'factorial' is factorial: it has no bases and sweeps nothing"
    )
    bare = replace(catalogue, attributes=catalogue.person_attributes)
    assert refused(bare, "pilot", placebos=True) == (
        "--placebos: the catalogue has none; mark attributes 'role: placebo' in attributes.yaml"
    )
    names = catalogue.profiles["pilot"].model_copy(update={"conditions": ["blind", "name_only"]})
    unseen = replace(catalogue, profiles={"pilot": names})
    assert refused(unseen, "pilot", placebos=True) == (
        "--placebos: profile 'pilot' runs under blind, name_only alone, where nobody can see them"
    )


@pytest.mark.parametrize("narrowing", [{}, {"swept": ["gender"]}, {"bases": 4}, {"placebos": True}])
def test_the_confirm_profile_is_planned_by_confirm_alone(
    catalogue: Catalogue, narrowing: dict[str, object]
) -> None:
    message = refused(catalogue, "confirm", **narrowing)
    assert message.endswith("jevbias confirm --from RUN")
    with pytest.raises(UsageError, match="jevbias confirm --from RUN"):
        build_plan(catalogue, "confirm", catalogue.profiles["confirm"], SEED)


def filled(catalogue: Catalogue, swaps: list[str]) -> Profile:
    """The confirm profile as `jevbias confirm` fills it in."""
    return catalogue.profiles["confirm"].model_copy(update={"swept": swaps})


@pytest.mark.parametrize("swaps", [["religion=muslim"], ["religion=muslim", "gender=woman"]])
def test_a_confirmation_asks_as_much_as_its_design_says(catalogue: Catalogue, swaps: list[str]) -> None:
    """Sixteen bases, eight decisions; anchors ten times in two conditions and once in each other variant."""
    plan = build_plan(catalogue, "confirm", filled(catalogue, swaps), SEED)
    assert len(plan.people) == 16 * (1 + len(swaps) + 24)
    anchors, placebos, swapped = 16 * (2 * 10 + 2 * 2), 16 * 24, 16 * 2 * len(swaps)
    repeated = min(30, 16 * len(swaps)) * (3 - 1)
    assert len(plan.probes) == 8 * (anchors + placebos + swapped + repeated)
    assert len({tuple(p.levels.items()) for p in plan.people if p.is_anchor}) == 16


def test_the_people_of_a_confirmation_bear_new_names_and_the_plan_says_so(catalogue: Catalogue) -> None:
    profile = filled(catalogue, ["religion=muslim"])
    first = build_plan(catalogue, "confirm", profile, SEED, scenarios=["lending"])
    used = {person.full_name for person in first.people}
    free = build_plan(catalogue, "confirm", profile, SEED + 1, scenarios=["lending"])
    other = build_plan(catalogue, "confirm", profile, SEED + 1, scenarios=["lending"], used_names=used)
    words = [
        {word for name in names for word in name.split(" ", 1)} for names in (used, named(other), named(free))
    ]
    assert words[0].isdisjoint(words[1])
    assert not words[0].isdisjoint(words[2])
    assert other.plan_hash != free.plan_hash
    assert [(p.identity, p.levels) for p in other.people] == [(p.identity, p.levels) for p in free.people]
    none_used = build_plan(catalogue, "confirm", profile, SEED + 1, scenarios=["lending"], used_names=[])
    assert none_used == free


def named(plan: Plan) -> set[str]:
    return {person.full_name for person in plan.people}
