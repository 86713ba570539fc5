"""What each profile would ask, laid side by side."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.plan.build import build_plan
from jevbias.plan.estimate import PlanEstimate, estimate_plan
from jevbias.plan.shape import ContrastShape, SwapShape, contrast_shape, swap_shape


@dataclass(frozen=True)
class ProfileDesign:
    """One profile's design, what it would cost and what it would compare; `bases` is None for a factorial
    profile.
    """

    name: str
    title: str
    design: str
    bases: int | None
    scenarios: tuple[str, ...]
    conditions: tuple[str, ...]
    estimate: PlanEstimate
    shape: SwapShape | ContrastShape


def profile_designs(catalogue: Catalogue, seed: int) -> list[ProfileDesign]:
    """Plan every profile of the catalogue that can be run by itself and count it, the cheapest first."""
    designs = []
    for name, profile in catalogue.profiles.items():
        if profile.swept == "hypotheses":
            continue
        plan = build_plan(catalogue, name, profile, seed)
        shape_of = contrast_shape if profile.design == "factorial" else swap_shape
        designs.append(
            ProfileDesign(
                name=name,
                title=profile.title,
                design=profile.design,
                bases=profile.bases,
                scenarios=tuple(profile.scenarios),
                conditions=tuple(profile.conditions),
                estimate=estimate_plan(plan),
                shape=shape_of(plan, catalogue),
            )
        )
    return sorted(designs, key=lambda row: (row.design, row.estimate.calls))
