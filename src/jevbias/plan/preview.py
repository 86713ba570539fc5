"""The ask of one probe, without planning a run."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_attribute, find_level, find_scenario
from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition, Profile, Variant
from jevbias.errors import UsageError
from jevbias.people.block import person_block
from jevbias.people.cohort import build_people
from jevbias.people.person import Person
from jevbias.plan.frames import build_frame
from jevbias.plan.model import Ask


@dataclass(frozen=True)
class PreviewedAsks:
    """The ask about an anchor and, where a swap was named, the ask about the swap."""

    anchor: Ask
    anchor_label: str
    swap: Ask | None
    swap_label: str


def preview_asks(
    catalogue: Catalogue,
    *,
    scenario: str,
    condition: str,
    variant: str,
    swap: str | None,
    base: int,
    seed: int,
) -> PreviewedAsks:
    """The asks of a full sweep with this seed: everyone of anchor number `base`, from 0.

    `swap` is `attribute=level`. Raises UsageError for a name that is not allowed, naming those that are.
    """
    decision = find_scenario(catalogue, scenario)
    shown = _condition(condition)
    strength = _variant(variant)
    wanted = None if swap is None else _parse_swap(catalogue, swap)
    sweep = Profile(
        title="every attribute",
        design="counterfactual",
        bases=base + 1,
        scenarios=[scenario],
        conditions=[shown],
    )
    people = [person for person in build_people(catalogue, sweep, seed) if person.base == base]

    def ask(person: Person) -> Ask:
        frame = build_frame(scenario, decision, strength, person)
        return Ask(frame, person_block(person, catalogue, decision, shown))

    anchor = next(person for person in people if person.is_anchor)
    label = f"{scenario}, {variant}, {condition}"
    if wanted is None:
        return PreviewedAsks(ask(anchor), f"anchor {base} ({label})", None, "")
    attribute, level = wanted
    swapped = next(p for p in people if (p.swapped_attribute, p.swapped_level) == (attribute, level))
    return PreviewedAsks(
        ask(anchor), f"anchor {base} ({label})", ask(swapped), f"{attribute}={level} ({label})"
    )


def _condition(name: str) -> Condition:
    for condition in CONDITIONS:
        if condition == name:
            return condition
    raise UsageError(f"--condition: '{name}' is not one of {', '.join(CONDITIONS)}")


def _variant(name: str) -> Variant:
    for variant in VARIANTS:
        if variant == name:
            return variant
    raise UsageError(f"--variant: '{name}' is not one of {', '.join(VARIANTS)}")


def _parse_swap(catalogue: Catalogue, swap: str) -> tuple[str, str]:
    attribute_name, separator, level_name = swap.partition("=")
    if not separator:
        raise UsageError(f"--swap: '{swap}' is not ATTRIBUTE=LEVEL, such as religion=muslim")
    attribute = find_attribute(catalogue, attribute_name)
    find_level(catalogue, attribute_name, level_name)
    if level_name not in attribute.swept_levels or attribute.role != "person":
        allowed = ", ".join(attribute.swept_levels)
        reason = (
            "the reference, which every anchor has" if level_name == attribute.reference else "never swept"
        )
        raise UsageError(f"--swap: {attribute_name}={level_name} is {reason}; swaps are {allowed}")
    return attribute_name, level_name
