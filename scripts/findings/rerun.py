"""What asking again would take: counted on today's plans, at today's prices."""

from __future__ import annotations

from dataclasses import dataclass

from findings.published import PublishedRun
from findings.reading import ALPHA
from jevbias.analysis.planned_power import Spreads, planned_effects
from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.pricing import find_price
from jevbias.plan.build import build_plan
from jevbias.plan.estimate import PlanEstimate, TokenRange, estimate_plan
from jevbias.plan.narrow import Narrowing, narrow_profile
from jevbias.plan.shape import swap_shape
from jevbias.settings import Settings
from jevbias.stats.power import bases_needed

JEV = ("jev", "jev-latest")
CLAUDE = ("openrouter", "anthropic/claude-opus-5")
SEED = int(Settings.model_fields["seed"].default)


@dataclass(frozen=True)
class Again:
    """One plan: what it asks, and the smallest pooled effects it would find on the default assumptions."""

    profile: str
    bases: int
    estimate: PlanEstimate
    tokens: TokenRange
    noise_adjusted: float | None
    people_alone: float | None
    people_adjusted: float | None
    bases_adjusted: int | None


class Plans:
    """The published designs as this project would put them, and each with the bases that one finding takes.
    What was published is no part of them.
    """

    def __init__(self, catalogue: Catalogue):
        self.catalogue = catalogue
        self.deep = _again(catalogue, "jev-latest-deep")
        self.standard = _again(catalogue, "standard")
        self.deep_wide = _again(catalogue, "jev-latest-deep", self.deep.bases_adjusted)
        self.standard_wide = _again(catalogue, "standard", self.standard.bases_adjusted)


class Rerun:
    """The plans behind the commands, and what they cost."""

    def __init__(self, plans: Plans, runs: dict[str, PublishedRun]):
        price = find_price(plans.catalogue.prices, *JEV)
        if price is None:
            raise LookupError("the table of prices has none for Jev")
        self.price = price
        self.deep, self.deep_wide = plans.deep, plans.deep_wide
        self.standard, self.standard_wide = plans.standard, plans.standard_wide
        jev, claude = runs["jev"].figures, runs["claude"].figures
        self.jev_at_published_tokens = price.cost(jev.tokens_in, jev.tokens_out)
        self.claude_call = claude.cost / claude.calls
        self.claude_cost = self.claude_call * self.standard.estimate.calls
        self.claude_wide_cost = self.claude_call * self.standard_wide.estimate.calls
        self.claude_single_cost = claude.single_call_cost * self.standard.estimate.calls

    def jev_cost(self, again: Again) -> tuple[float, float]:
        """From the fewest tokens to the most, in US dollars."""
        return self.price.cost(again.tokens.low, 0), self.price.cost(again.tokens.high, 0)


def _again(catalogue: Catalogue, name: str, bases: int | None = None) -> Again:
    profile = narrow_profile(catalogue, name, catalogue.profiles[name], Narrowing(bases=bases))
    plan = build_plan(catalogue, name, profile, SEED)
    estimate = estimate_plan(plan)
    effects = planned_effects(swap_shape(plan, catalogue), Spreads(), ALPHA)
    if profile.bases is None or effects.noise is None:
        raise LookupError(f"{name} has no bases")
    return Again(
        profile=name,
        bases=profile.bases,
        estimate=estimate,
        tokens=TokenRange(estimate.input_tokens_low, estimate.input_tokens_high),
        noise_adjusted=effects.noise.pooled.adjusted,
        people_alone=effects.people.pooled.alone,
        people_adjusted=effects.people.pooled.adjusted,
        bases_adjusted=effects.people.pooled.bases_adjusted
        or bases_needed(ALPHA / effects.people.pooled.tests),
    )
