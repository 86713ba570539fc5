"""The ask of one probe, without planning a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import default_scenario, find_profile, find_scenario, find_swaps
from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition, Profile, Variant
from jevbias.errors import UsageError
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.people.person import Person
from jevbias.plan.cells import Cell, plan_cells
from jevbias.plan.frames import build_frame
from jevbias.plan.model import Ask

DEFAULT_VARIANT: Variant = "mid"
MOST_SWEPT_BASES = 100
"""Anchors of a full sweep that can be previewed without a profile."""


@dataclass(frozen=True)
class PreviewedAsks:
    """The ask about an anchor (or a factorial person) and, where a swap was named, the ask about the swap."""

    anchor: Ask
    anchor_label: str
    swap: Ask | None
    swap_label: str


@dataclass(frozen=True)
class Preview:
    """Which ask to show; None stands for a default, which follows the profile where one is named.

    `base` is the number of an anchor, or of a factorial person, from 0; `swap` is `attribute=level`.
    """

    profile: str | None = None
    scenario: str | None = None
    condition: str | None = None
    variant: str | None = None
    swap: str | None = None
    base: int = 0


def preview_asks(catalogue: Catalogue, wanted: Preview, seed: int) -> PreviewedAsks:
    """The asks of a full sweep with this seed, or those of the profile's own run.

    A profile decides what an anchor is like besides its sweep, and which variant of a case a base meets.
    Where the swap is a placebo, both asks are those of a run with placebos. Raises UsageError for a name that
    is not allowed, naming those that are, and for an ask that the profile never sends.
    """
    swap = None if wanted.swap is None else _parse_swap(catalogue, wanted.swap)
    name, profile = _profile(catalogue, wanted)
    if swap is not None and profile.design == "factorial":
        raise UsageError(f"--swap: profile '{name}' is factorial: it swaps nothing")
    scenario = _scenario(catalogue, wanted.scenario, name, profile)
    decision = catalogue.scenarios[scenario]
    condition = _condition(wanted.condition, name, profile)
    placebo = None if swap is None else catalogue.placebo_attributes.get(swap[0])
    if placebo is not None:
        if not placebo.visible_in(condition):
            raise UsageError(
                f"--swap: {wanted.swap} is a placebo, which nobody is asked about under {condition}"
            )
        profile = profile.model_copy(update={"placebos": True})
    chosen = None if wanted.variant is None else _variant(wanted.variant)

    everyone = _people(catalogue, wanted.base, name, profile, seed)
    people = [p for p in everyone if (p.idx if p.base is None else p.base) == wanted.base]
    anchor = next(p for p in people if p.is_anchor or p.base is None)
    swapped = None if swap is None else _swapped(people, swap, name)
    if name is None:
        variant = chosen or DEFAULT_VARIANT
    else:
        positions = {key: position for position, key in enumerate(profile.scenarios)}
        cells = plan_cells(profile, everyone, positions, seed, catalogue.placebo_attributes)
        met = _variants_met(cells, swapped or anchor, scenario)
        variant = chosen or met[0]
        if variant not in met:
            raise UsageError(
                f"--variant: in profile '{name}' number {wanted.base} meets {scenario} as "
                f"{' or '.join(met)} and never as {variant}"
            )

    def ask(person: Person) -> Ask:
        frame = build_frame(scenario, decision, variant, person)
        return Ask(frame, person_block(person, catalogue, decision, condition))

    label = f"{scenario}, {variant}, {condition}"
    who = "anchor" if anchor.is_anchor else "person"
    return PreviewedAsks(
        anchor=ask(anchor),
        anchor_label=f"{who} {wanted.base} ({label})",
        swap=None if swapped is None else ask(swapped),
        swap_label=f"{wanted.swap} ({label})",
    )


def _profile(catalogue: Catalogue, wanted: Preview) -> tuple[str | None, Profile]:
    """The named profile under its key, or a full sweep of one decision and one condition without a name."""
    if wanted.profile is not None:
        return find_profile(catalogue, wanted.profile)
    return None, Profile(
        title="every attribute",
        design="counterfactual",
        bases=MOST_SWEPT_BASES,
        scenarios=[wanted.scenario or default_scenario(catalogue.scenarios)],
        conditions=list(CONDITIONS),
    )


def _scenario(catalogue: Catalogue, scenario: str | None, name: str | None, profile: Profile) -> str:
    if scenario is None:
        scenario = default_scenario(profile.scenarios)
    find_scenario(catalogue, scenario)
    if scenario not in profile.scenarios:
        listed = ", ".join(profile.scenarios)
        raise UsageError(f"--scenario: profile '{name}' has no scenario '{scenario}'; it has {listed}")
    return scenario


def _condition(condition: str | None, name: str | None, profile: Profile) -> Condition:
    if condition is None:
        return max(profile.conditions, key=CONDITIONS.index)
    for known in CONDITIONS:
        if known == condition:
            if known in profile.conditions:
                return known
            listed = ", ".join(profile.conditions)
            raise UsageError(f"--condition: profile '{name}' does not run under {known}; it has {listed}")
    raise UsageError(f"--condition: '{condition}' is not one of {', '.join(CONDITIONS)}")


def _variant(name: str) -> Variant:
    for variant in VARIANTS:
        if variant == name:
            return variant
    raise UsageError(f"--variant: '{name}' is not one of {', '.join(VARIANTS)}")


def _people(
    catalogue: Catalogue, base: int, name: str | None, profile: Profile, seed: int
) -> tuple[Person, ...]:
    """The people of the profile, of a counterfactual one as far as this base."""
    number = profile.bases if profile.design == "counterfactual" else profile.people
    if base >= (number or 0):
        whose = "a full sweep" if name is None else f"profile '{name}'"
        raise UsageError(f"--base: {base} is not allowed; give 0 to {(number or 0) - 1} with {whose}")
    if profile.design == "counterfactual":
        profile = profile.model_copy(update={"bases": base + 1})
    return build_people(catalogue, profile, seed)


def _variants_met(cells: Iterable[Cell], person: Person, scenario: str) -> list[Variant]:
    """The variants of the scenario that the person is put to, the one that pairs are made of first."""
    met = (cell.variant for cell in cells if cell.person.idx == person.idx and cell.scenario == scenario)
    return list(dict.fromkeys(met))


def _swapped(people: Iterable[Person], swap: tuple[str, str], name: str | None) -> Person:
    swaps = {(p.swapped_attribute, p.swapped_level): p for p in people if p.swapped_attribute is not None}
    if swap in swaps:
        return swaps[swap]
    mine = [level for attribute, level in swaps if attribute == swap[0] and level is not None]
    listed = ", ".join(mine or dict.fromkeys(attribute for attribute, _ in swaps if attribute is not None))
    what = f"{swap[0]}={swap[1]}" if mine else f"'{swap[0]}'"
    raise UsageError(f"--swap: profile '{name}' does not sweep {what}; it sweeps {listed}")


def _parse_swap(catalogue: Catalogue, swap: str) -> tuple[str, str]:
    attribute, separator, level = swap.partition("=")
    if not separator:
        raise UsageError(f"--swap: '{swap}' is not ATTRIBUTE=LEVEL, such as religion=muslim")
    find_swaps(catalogue, swap)
    return attribute, level
