"""Planning a new run from what the command line says, before anything is stored or sent."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.lookup import find_profile
from jevbias.drivers.pricing import price_of
from jevbias.drivers.select import DriverChoice, choose_driver
from jevbias.plan.build import build_plan
from jevbias.plan.estimate import estimate_plan
from jevbias.plan.model import Plan
from jevbias.plan.narrow import Narrowing, narrow_profile
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
    """A plan, whom it will be put to, and the line that says what it will cost."""

    name: str
    plan: Plan
    choice: DriverChoice
    described: str


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
    return describe_planned_run(name, plan, choice)


def describe_planned_run(name: str, plan: Plan, choice: DriverChoice) -> PlannedRun:
    """A plan with what it will cost."""
    estimate = estimate_plan(plan)
    paid = choice.prices if choice.needs_key else None
    cost = None if paid is None else price_of(paid, choice.name, choice.model, estimate.input_tokens, 0)
    money = "" if cost is None else f", about ${cost:.2f}"
    described = (
        f"{name}: {estimate.calls:,} calls about {estimate.people:,} people to {choice.model} at "
        f"{choice.base_url}, about {estimate.input_tokens:,} tokens{money}"
    )
    return PlannedRun(name, plan, choice, described)


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
        },
        hypotheses=hypotheses,
    )
    return find_run(engine, planned.name)
