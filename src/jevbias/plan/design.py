"""What each profile would ask, laid side by side."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.plan.build import build_plan
from jevbias.plan.estimate import PlanEstimate, estimate_plan


@dataclass(frozen=True)
class ProfileDesign:
    """One profile's design and what it would cost; `bases` is None for a factorial profile."""

    name: str
    title: str
    design: str
    bases: int | None
    scenarios: tuple[str, ...]
    conditions: tuple[str, ...]
    estimate: PlanEstimate


def profile_designs(catalogue: Catalogue, seed: int) -> list[ProfileDesign]:
    """Plan every profile of the catalogue and count it, the cheapest first."""
    designs = []
    for name, profile in catalogue.profiles.items():
        plan = build_plan(catalogue, name, profile, seed)
        designs.append(
            ProfileDesign(
                name=name,
                title=profile.title,
                design=profile.design,
                bases=profile.bases,
                scenarios=tuple(profile.scenarios),
                conditions=tuple(profile.conditions),
                estimate=estimate_plan(plan),
            )
        )
    return sorted(designs, key=lambda row: (row.design, row.estimate.calls))
