"""Planning a battery from what the command line says, storing it, and putting it to its scorer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from pydantic import TypeAdapter
from sqlalchemy import Engine

from jevbias.battery.pairs import PairSet
from jevbias.battery.plan import MOST_REPEATS, PROFILE, BatteryDesign, build_battery, spread_repeats
from jevbias.battery.questions import ScoringQuestion
from jevbias.battery.read_pairs import load_pairs
from jevbias.battery.scorer import Scorer, read_scorer, stored_scorer
from jevbias.battery.scores import KIND, SETTING, load_scores
from jevbias.catalogue.load import load_catalogue
from jevbias.cli.console import say
from jevbias.cli.draining import Sending, look_up_price, pace_of, put_to_model
from jevbias.cli.spending import described_spending, need_consent
from jevbias.drivers.select import DriverChoice, choose_driver
from jevbias.drivers.spending import estimate_spending
from jevbias.errors import UsageError
from jevbias.plan.model import Plan
from jevbias.plan.places import asked_times
from jevbias.settings import Settings
from jevbias.store.next_commands import NextCommands
from jevbias.store.runs import check_run_name, create_run, find_run
from jevbias.store.tables import Run

DEFAULT_SCORER = "score"


@dataclass(frozen=True)
class NewBattery:
    """What the command line says about a new battery; `pairs` None: the built-in set, `axes` None: all."""

    pairs: Path | None
    axes: Sequence[str] | None
    scorer: str
    repeats: int
    name: str | None


@dataclass(frozen=True)
class PlannedBattery:
    """A plan, the pairs behind it, and who will score them."""

    name: str
    plan: Plan
    pairs: PairSet
    scorer: Scorer
    choice: DriverChoice

    @property
    def described(self) -> str:
        """The line that says what will be scored, and by whom."""
        pairs, axes, calls = len(self.pairs.pairs), len(self.pairs.by_axis), len(self.plan.probes)
        on = "1 axis" if axes == 1 else f"{axes} axes"
        whom = f"{self.choice.model} at {self.choice.base_url}"
        return f"{self.name}: {calls:,} calls about {pairs:,} pairs on {on} to {whom}"


def plan_battery(wanted: NewBattery, settings: Settings, given_flags: Sequence[str]) -> PlannedBattery:
    """Plan a battery. Nothing is stored, nothing is sent. `given_flags` are those of the command line that
    only a scorer which is a model takes.

    Raises UsageError for a name, an axis, a scorer or a driver that is not allowed, CatalogueError for a
    file.
    """
    pairs = load_pairs(wanted.pairs).narrowed(wanted.axes)
    scorer = read_scorer(wanted.scorer, pairs)
    if not 1 <= wanted.repeats <= MOST_REPEATS:
        raise UsageError(f"--repeats: {wanted.repeats} is not allowed; give 1 to {MOST_REPEATS}")
    if scorer.kind == "question":
        choice = choose_driver(settings, catalogue_prices=load_catalogue(settings.catalogue).prices)
    elif given_flags:
        what = "a function" if scorer.kind == "python" else "a file of scores"
        raise UsageError(f"--scorer {wanted.scorer} is {what}: leave out {', '.join(given_flags)}")
    else:
        choice = scorer.choice()
    if scorer.scores is not None and wanted.repeats > 1:
        raise UsageError("--repeats: a file of scores repeats what its lines repeat; leave it out")
    repeats = (
        {reply: len(values) for reply, values in scorer.scores.scores.items()}
        if scorer.scores is not None
        else spread_repeats(pairs, wanted.repeats, settings.seed)
    )
    design = BatteryDesign(pairs, scorer.question, repeats, distinct=scorer.kind == "file")
    named = choice.model.replace("/", "-").replace(":", ".")
    name = check_run_name(wanted.name if wanted.name is not None else f"{named}-{PROFILE}")
    return PlannedBattery(name, build_battery(design, settings.seed), pairs, scorer, choice)


def start_battery(
    open_database: Callable[[], Engine],
    planned: PlannedBattery,
    settings: Settings,
    sending: Sending,
    *,
    plan_only: bool,
) -> None:
    """Store a planned battery and, unless it is only to be planned, put it to its scorer.

    Raises UsageError before anything is stored where its model cannot take it, and where it would cost money
    and there is nobody to ask.
    """
    choice = planned.choice
    asks_model = planned.scorer.kind == "question"
    price = spending = None
    described = [planned.described]
    if choice.note:
        say(choice.note)
    if asks_model:
        if not plan_only:
            need_consent(choice, yes=sending.yes)
        price = look_up_price(choice, settings)
        spending = estimate_spending(asked_times(planned.plan), choice, price)
        first, *rest = described_spending(choice, spending, price, pace_of(choice, sending))
        described = [f"{planned.described}, {first}", *rest]
    engine = open_database()
    run = _store(engine, planned, settings)
    for line in described:
        say(line)
    if plan_only:
        say(f"planned; {NextCommands(run.name, sending.flags, KIND).resume} puts it to the scorer")
        return
    opened = None if asks_model else lambda: planned.scorer.open(planned.pairs)
    put_to_model(engine, run, settings, sending, chosen=choice, spending=spending, opened=opened)


def resume_battery(
    engine: Engine, name: str, settings: Settings, sending: Sending, *, timed: bool = False
) -> NoReturn:
    """Go on with a battery: only what is missing is sent. Raises UsageError where it is none, and where a
    time limit is given (`timed`) for a scorer that cannot be held to it.
    """
    run = find_run(engine, name, KIND)
    setting = run.settings.get(SETTING, {})
    if setting.get("kind") == "question":
        put_to_model(engine, run, settings, sending)
    if timed:
        raise UsageError("--timeout is for models: a function or a file of scores takes what it takes")
    scores = load_scores(engine, run)
    question: ScoringQuestion = TypeAdapter[ScoringQuestion](ScoringQuestion).validate_python(scores.question)
    scorer = stored_scorer(setting, question, scores.pairs)
    chosen = replace(scorer.choice(), model=run.model)
    put_to_model(engine, run, settings, sending, chosen=chosen, opened=lambda: scorer.open(scores.pairs))


def _store(engine: Engine, planned: PlannedBattery, settings: Settings) -> Run:
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
            "reasoning_effort": planned.choice.reasoning_effort,
            SETTING: {"pairs": planned.pairs.source, **planned.scorer.setting()},
        },
        kind=KIND,
    )
    return find_run(engine, planned.name, KIND)
