"""Planning a new run from what the command line says, before anything is stored or sent."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.lookup import find_profile
from jevbias.drivers.pricing import TokenPrice
from jevbias.drivers.select import DriverChoice, choose_driver
from jevbias.drivers.spending import SpendingEstimate, estimate_spending
from jevbias.plan.build import build_plan
from jevbias.plan.model import Plan
from jevbias.plan.narrow import Narrowing, narrow_profile
from jevbias.plan.places import asked_times
from jevbias.settings import Settings
from jevbias.store.hypotheses import FrozenHypotheses
from jevbias.store.runs import check_run_name, create_run, find_run
from jevbias.store.tables import Run


@dataclass(frozen=True)
class NewRun:
    """What the command line says about a new run; `name` None: `<model>-<profile>`."""

    profile: str
    name: str | None
    narrowing: Narrowing


@dataclass(frozen=True)
class PlannedRun:
    """A plan and whom it will be put to."""

    name: str
    plan: Plan
    choice: DriverChoice

    @property
    def described(self) -> str:
        """The line that says what will be asked, and whom."""
        calls, people = len(self.plan.probes), len(self.plan.people)
        choice = self.choice
        return f"{self.name}: {calls:,} calls about {people:,} people to {choice.model} at {choice.base_url}"

    def spending(self, price: TokenPrice | None) -> SpendingEstimate:
        """What it will take."""
        return estimate_spending(asked_times(self.plan), self.choice, price)


def plan_new_run(wanted: NewRun, settings: Settings) -> PlannedRun:
    """Plan a run. Nothing is stored, nothing is sent.

    Raises UsageError for a name, a profile, a scenario, an attribute or a driver that is not allowed.
    """
    catalogue = load_catalogue(settings.catalogue)
    key, profile = find_profile(catalogue, wanted.profile)
    narrowed = narrow_profile(catalogue, key, profile, wanted.narrowing)
    choice = choose_driver(settings, catalogue_prices=catalogue.prices)
    name = wanted.name if wanted.name is not None else f"{choice.model.replace('/', '-')}-{key}"
    check_run_name(name)
    plan = build_plan(
        catalogue,
        key,
        narrowed,
        settings.seed,
        scenarios=wanted.narrowing.scenarios,
        anchor_reference=wanted.narrowing.anchor_reference,
    )
    return PlannedRun(name, plan, choice)


def store_new_run(
    engine: Engine, planned: PlannedRun, settings: Settings, hypotheses: FrozenHypotheses | None = None
) -> Run:
    """Store a planned run, with the `hypotheses` of a confirmatory one.

    Raises UsageError where its name is taken; then nothing is written.
    """
    create_run(
        engine,
        planned.plan,
        name=planned.name,
        driver=planned.choice.name,
        model=planned.choice.model,
        base_url=planned.choice.base_url,
        margin=settings.margin,
        alpha=settings.alpha,
        settings={
            "workers": settings.workers,
            "timeout": settings.timeout,
            "max_attempts": settings.max_attempts,
            "threshold": settings.threshold,
            "reasoning_effort": planned.choice.reasoning_effort,
        },
        hypotheses=hypotheses,
    )
    return find_run(engine, planned.name)
