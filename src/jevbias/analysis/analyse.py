"""A run becomes a report."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Engine

from jevbias.analysis.calibration import calibrate
from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import comparison_rows, evaluate_comparisons
from jevbias.analysis.conditions import condition_rows
from jevbias.analysis.dataset import Dataset, load_dataset
from jevbias.analysis.facts import iso_time
from jevbias.analysis.noise import measure_noise, noise_floor
from jevbias.analysis.notes import write_notes
from jevbias.analysis.pairs import pair_cells
from jevbias.analysis.validity import judge_questions
from jevbias.errors import UsageError
from jevbias.report.failures import Failures
from jevbias.report.run_report import RunInfo, RunReport
from jevbias.store.runs import find_run


def analyse_run(engine: Engine, name: str | None) -> RunReport:
    """Analyse the run of this name, or the newest one.

    Raises UsageError when there is no such run or it holds something else than a bias run, DatabaseError
    when the database cannot be read.
    """
    run = find_run(engine, name)
    if run.kind != "bias":
        raise UsageError(f"run {run.name} is a {run.kind} run; `analyse` reads bias runs")
    return analyse(load_dataset(engine, run))


def analyse(dataset: Dataset) -> RunReport:
    """Everything that a run says; a pure function of the dataset."""
    cells = build_cells(dataset)
    noise = measure_noise(dataset, cells)
    validity = judge_questions(dataset, cells, noise)
    pairs = pair_cells(dataset, cells)
    blocks = evaluate_comparisons(dataset, pairs, validity, noise)
    comparisons = comparison_rows(dataset, pairs, validity, blocks)
    return RunReport(
        run=_run_info(dataset),
        noise_floor=noise_floor(noise, validity.pooled),
        validity=validity.rows,
        conditions=condition_rows(dataset, cells, validity),
        comparisons=comparisons,
        calibration=calibrate(comparisons),
        failures=_failures(dataset),
        notes=write_notes(dataset, pairs, noise, validity, blocks),
    )


def _run_info(dataset: Dataset) -> RunInfo:
    facts, outcomes = dataset.facts, dataset.outcomes
    bases = int(np.unique(dataset.base[dataset.base >= 0]).size)
    return RunInfo(
        name=facts.name,
        profile=facts.profile,
        design=facts.design,
        driver=facts.driver,
        model=facts.model,
        models_answered=list(outcomes.models_answered),
        base_url=facts.base_url,
        instrument=_INSTRUMENTS.get(facts.driver, _UNKNOWN_INSTRUMENT),
        seed=facts.seed,
        bases=bases or None,
        people=int(dataset.base.size),
        scenarios=list(dataset.scenarios),
        conditions=list(dataset.conditions),
        swept=list(dict.fromkeys(swap.attribute for swap in dataset.swaps)),
        calls=outcomes.planned,
        answered=outcomes.answered,
        answers=int((~np.isnan(dataset.probes.favourability)).sum()),
        input_tokens=outcomes.input_tokens,
        output_tokens=outcomes.output_tokens,
        cost=outcomes.cost,
        mean_latency_ms=outcomes.mean_latency_ms,
        plan_hash=facts.plan_hash,
        catalogue_hash=facts.catalogue_hash,
        margin=facts.margin,
        alpha=facts.alpha,
        threshold=facts.threshold,
        started_at=iso_time(facts.started_at),
        finished_at=iso_time(facts.finished_at),
        jevbias_version=facts.jevbias_version,
    )


def _failures(dataset: Dataset) -> Failures:
    probes = dataset.probes
    missing = {}
    for scenario, key in enumerate(dataset.scenarios):
        chosen = probes.answered & (probes.scenario == scenario)
        for column, name in enumerate(dataset.questions[scenario]):
            number = int(np.isnan(probes.favourability[chosen, column]).sum())
            if number:
                missing[f"{key}.{name}"] = number
    return Failures(
        by_status=dict(dataset.outcomes.by_status),
        by_kind=dict(dataset.outcomes.by_kind),
        missing_answers=missing,
    )


_DISTRIBUTION = (
    "A decision model that returns a probability for every answer it could give; effect sizes do not compare "
    "with those of chat models."
)
_INSTRUMENTS = {
    "jev": _DISTRIBUTION,
    "local": _DISTRIBUTION,
}
_UNKNOWN_INSTRUMENT = "An instrument that this version does not know; compare its effect sizes with nothing."
