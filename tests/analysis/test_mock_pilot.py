"""The mock pilot, analysed over many seeds: a model whose three effects are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev

import pytest

from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import evaluate_pooled
from jevbias.analysis.dataset import ProbeRecord, build_dataset
from jevbias.analysis.facts import RunFacts
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.pairs import pair_cells
from jevbias.analysis.people_claim import base_patterns
from jevbias.analysis.validity import judge_questions
from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.answers import read_answers
from jevbias.drivers.select import render_body
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.plan.build import build_plan
from jevbias.plan.model import Plan

SEEDS = range(1, 201)
ALPHA = 0.05
INJECTED = {
    "full/religion=muslim",
    "full/name_culture=west_african",
    "name_only/name_culture=west_african",
}


@pytest.fixture(scope="module")
def plan(catalogue: Catalogue) -> Plan:
    return build_plan(catalogue, "pilot", catalogue.profiles["pilot"], 20260920)


@dataclass(frozen=True)
class Row:
    """A pooled comparison: its id, q and size of delta."""

    id: str
    q: float
    size: float


def pooled_of(catalogue: Catalogue, plan: Plan, bodies: dict[str, bytes], model: MockModel) -> list[Row]:
    """Put the plan to the mock in its own order, as one worker would, and test what comes back: the pooled
    comparisons in the report's order.
    """
    records = []
    for probe in plan.probes:
        ask = plan.asks[probe.ask_hash]
        read = read_answers(ask.frame.questions, model.answer(bodies[probe.ask_hash])["answers"])
        values = {answer.question: answer.favourability for answer in read.usable}
        records.append(
            ProbeRecord(probe.person, probe.scenario, probe.variant, probe.condition, probe.replicate, values)
        )
    facts = RunFacts(
        name="mock-pilot",
        profile="pilot",
        design="counterfactual",
        driver="jev",
        model="jev-latest",
        base_url="http://127.0.0.1:8799",
        seed=plan.seed,
        margin=0.02,
        alpha=ALPHA,
        plan_hash=plan.plan_hash,
        catalogue_hash=plan.catalogue_hash,
        jevbias_version="test",
    )
    dataset = build_dataset(facts, catalogue, plan.people, records)
    cells = build_cells(dataset)
    noise = measure_noise(dataset, cells)
    pairs = pair_cells(dataset, cells)
    patterns = base_patterns(len(pairs.bases), facts.seed)
    block = evaluate_pooled(dataset, pairs, judge_questions(dataset, cells, noise), noise, patterns=patterns)
    found = zip(pairs.comparisons, block.corrected.q.tolist(), block.estimates.delta.tolist(), strict=True)
    rows = [Row(f"{condition}/{swap.attribute}={swap.level}", q, abs(d)) for (condition, swap), q, d in found]
    return sorted(rows, key=lambda row: (row.q, -row.size))


def test_over_200_seeds_the_injected_three_lead_and_false_discoveries_stay_below_five_percent(
    catalogue: Catalogue, plan: Plan
) -> None:
    bodies = {key: render_body("jev", "jev-latest", ask) for key, ask in plan.asks.items()}
    effects = load_effects(None, catalogue)
    proportions = []
    for seed in SEEDS:
        pooled = pooled_of(catalogue, plan, bodies, MockModel(catalogue, seed=seed, effects=effects))
        assert {row.id for row in pooled[:3]} == INJECTED, f"seed {seed}"
        found = [row.id for row in pooled if row.q < ALPHA]
        assert set(found) >= INJECTED, f"seed {seed}"
        proportions.append(len(set(found) - INJECTED) / max(1, len(found)))
    bound = 0.05 + 3 * stdev(proportions) / math.sqrt(len(proportions))
    assert fmean(proportions) <= bound, f"mean false discovery proportion {fmean(proportions):.4f}"


def test_without_effects_the_mock_has_no_more_discoveries_than_chance(
    catalogue: Catalogue, plan: Plan
) -> None:
    bodies = {key: render_body("jev", "jev-latest", ask) for key, ask in plan.asks.items()}
    with_any = 0
    for seed in range(1, 41):
        pooled = pooled_of(catalogue, plan, bodies, MockModel(catalogue, seed=seed))
        with_any += any(row.q < ALPHA for row in pooled)
    assert with_any <= 40 * 0.05 + 3 * math.sqrt(40 * 0.05 * 0.95)
