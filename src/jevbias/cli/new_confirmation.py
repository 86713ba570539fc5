"""Planning a confirmatory run from an exploratory one, before anything is stored or sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine

from jevbias.analysis.analyse import analyse_run
from jevbias.analysis.confirmable import check_bases
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.lookup import find_level, find_profile
from jevbias.catalogue.models import CONFIRM_PROFILE, Prices
from jevbias.cli.new_run import PlannedRun
from jevbias.drivers.select import DriverChoice, RequestModel, choose_driver, rechoose_driver
from jevbias.errors import UsageError
from jevbias.plan.build import build_plan
from jevbias.plan.confirm import Confirmation, Finding, check_seed, choose_hypotheses
from jevbias.plan.narrow import Narrowing, narrow_profile
from jevbias.report.comparison import Comparison
from jevbias.settings import Settings
from jevbias.store.hypotheses import FrozenHypotheses, freeze
from jevbias.store.next_commands import NextCommands
from jevbias.store.progress import run_progress
from jevbias.store.runs import check_run_name, find_run, names_of_people, run_catalogue
from jevbias.store.tables import Run

_LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class NewConfirmation:
    """What the command line says about a confirmatory run; None stands for what its source was planned with,
    but for the seed (the source's and one) and the name (`<source>-confirm`). `flags` is what a command that
    is suggested needs besides the run's name, such as ` --db other.db`.
    """

    source: str
    comparisons: Sequence[str] = ()
    name: str | None = None
    seed: int | None = None
    bases: int | None = None
    margin: float | None = None
    alpha: float | None = None
    driver: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    flags: str = ""


@dataclass(frozen=True)
class PlannedConfirmation:
    """A plan, what it will test, and the settings with what was declared for the source in them."""

    run: PlannedRun
    hypotheses: FrozenHypotheses
    settings: Settings
    note: str | None = None

    def lines(self) -> list[str]:
        """What was frozen, as a terminal shows it."""
        number = len(self.hypotheses.rows)
        what = "1 hypothesis" if number == 1 else f"{number} hypotheses"
        digest = self.hypotheses.frozen_hash
        return [
            f"{what} of {self.hypotheses.source_run}, frozen with the plan as {digest}:",
            *(f"  {row.comparison} {row.direction}" for row in self.hypotheses.rows),
        ]


def plan_confirmation(engine: Engine, wanted: NewConfirmation, settings: Settings) -> PlannedConfirmation:
    """Analyse the source run and plan its confirmation on new people. Nothing is stored, nothing is sent.

    Raises UsageError for a source that is unfinished or has nothing to confirm, for a comparison, a name, a
    seed or a driver that is not allowed, and for bases too few to confirm anything.
    """
    source = find_run(engine, wanted.source)
    _need_counterfactual(source)
    name = check_run_name(f"{source.name}-{CONFIRM_PROFILE}" if wanted.name is None else wanted.name)
    seed = check_seed(_next(source.seed) if wanted.seed is None else wanted.seed, source.name, source.seed)
    _need_finished(engine, source, wanted.flags)
    report = analyse_run(engine, source.name)
    declared = settings.model_copy(
        update={
            "margin": source.margin if wanted.margin is None else wanted.margin,
            "alpha": source.alpha if wanted.alpha is None else wanted.alpha,
            "threshold": report.run.threshold,
        }
    )
    confirmation = choose_hypotheses(
        source.name,
        [_finding(row) for row in report.comparisons],
        wanted.comparisons,
        margin=declared.margin,
        alpha=declared.alpha,
    )
    catalogue = load_catalogue(settings.catalogue)
    key, profile = find_profile(catalogue, CONFIRM_PROFILE)
    note = _reworded(source, catalogue, confirmation)
    narrowed = narrow_profile(catalogue, key, confirmation.profile(profile), Narrowing(bases=wanted.bases))
    check_bases(narrowed.bases or 0, len(confirmation.hypotheses), declared.alpha)
    choice = _choose_driver(source, wanted, settings, catalogue.prices)
    plan = build_plan(catalogue, key, narrowed, seed, used_names=names_of_people(engine, source))
    return PlannedConfirmation(
        PlannedRun(name, plan, choice),
        freeze(confirmation.hypotheses, plan.plan_hash, source.name),
        declared,
        note,
    )


def _need_counterfactual(source: Run) -> None:
    if source.kind != "bias" or source.design != "counterfactual":
        kind = f"a {source.kind} run" if source.kind != "bias" else f"{source.design}"
        raise UsageError(
            f"run {source.name} is {kind}: only a counterfactual run compares people with their anchors, "
            "which is what can be confirmed; give one to --from"
        )


def _need_finished(engine: Engine, source: Run, flags: str) -> None:
    left = run_progress(engine, source.id or 0).left
    if left:
        probes = "1 probe is" if left == 1 else f"{left:,} probes are"
        raise UsageError(
            f"run {source.name} is not finished: {probes} left, and what it finds may still change; "
            f"{NextCommands(source.name, flags).resume} goes on with it"
        )


def _next(seed: int) -> int:
    return seed + 1 if seed < _LARGEST_SEED else seed - 1


def _finding(row: Comparison) -> Finding:
    return Finding(
        comparison=row.id,
        condition=row.condition,
        attribute=row.attribute,
        level=row.level,
        question=row.question,
        visible=row.visible,
        delta=row.delta,
        verdict=row.verdict,
    )


def _reworded(source: Run, catalogue: Catalogue, confirmation: Confirmation) -> str | None:
    """A remark where the payload would say something else of a level than it said in the source run.

    Raises UsageError where the catalogue has no such level any more.
    """
    before = run_catalogue(source)
    changed = [swap for swap in confirmation.swaps if _wordings(catalogue, swap) != _wordings(before, swap)]
    if not changed:
        return None
    return (
        f"the catalogue words {', '.join(changed)} otherwise than when {source.name} was planned: "
        "what is confirmed is the new wording"
    )


def _wordings(catalogue: Catalogue, swap: str) -> Iterable[object]:
    attribute, _, level = swap.partition("=")
    found = find_level(catalogue, attribute, level)
    reference = catalogue.attributes[attribute].reference
    return [found, reference, catalogue.attributes[attribute].levels[reference]]


def _choose_driver(source: Run, wanted: NewConfirmation, settings: Settings, prices: Prices) -> DriverChoice:
    """The model of the source and its reasoning effort, unless another is named."""
    if wanted.driver is not None and wanted.driver != source.driver:
        return choose_driver(settings, catalogue_prices=prices)
    model = wanted.model or source.model
    effort = wanted.reasoning_effort
    if effort is None and model == source.model:
        effort = source.settings.get("reasoning_effort")
    asked = RequestModel(source.driver, model, effort)
    return rechoose_driver(asked, source.base_url, settings, catalogue_prices=prices)
