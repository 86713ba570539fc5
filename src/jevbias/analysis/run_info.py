"""Who was asked, how often, about whom, at what cost."""

from __future__ import annotations

import numpy as np

from jevbias.analysis.dataset import Dataset
from jevbias.drivers.providers import PROVIDERS
from jevbias.report.run_report import RunInfo
from jevbias.report.times import iso_time


def run_info(dataset: Dataset) -> RunInfo:
    """The report's section."""
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
        instrument=instrument(facts.driver),
        seed=facts.seed,
        bases=bases or None,
        people=int(dataset.base.size),
        scenarios=list(dataset.scenarios),
        conditions=list(dataset.conditions),
        swept=list(dict.fromkeys(a for a, _ in dataset.swaps if a in dataset.catalogue.person_attributes)),
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


def instrument(driver: str) -> str:
    """What kind of numbers a driver's models return, in one sentence."""
    provider = PROVIDERS.get(driver)
    if provider is None:
        return _UNKNOWN_INSTRUMENT
    return _WRITTEN if provider.writes_numbers else _DISTRIBUTION


_DISTRIBUTION = (
    "A decision model that returns a probability for every answer it could give; effect sizes do not compare "
    "with those of chat models."
)
_WRITTEN = (
    "A chat model that writes its numbers down, probabilities among them; effect sizes do not compare with "
    "those of decision models, which return a distribution."
)
_UNKNOWN_INSTRUMENT = "An instrument that this version does not know; compare its effect sizes with nothing."
