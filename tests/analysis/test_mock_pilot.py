"""The mock pilot, analysed over many seeds: a model whose three effects are known."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
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
from jevbias.mock.request import SystemOneRequest, read_request
from jevbias.plan.build import build_plan
from jevbias.plan.model import Frame, Plan, PlannedProbe

SEEDS = range(1, 1 + int(os.environ.get("JEVBIAS_TEST_SEEDS", "40")))
ON_THE_WIRE = range(1, 4)
"""Seeds whose answers are also written and read as they travel."""
ALPHA = 0.05
INJECTED = {
    "full/religion=muslim",
    "full/name_culture=west_african",
    "name_only/name_culture=west_african",
}


@dataclass(frozen=True)
class Asked:
    """A probe as the mock meets it."""

    probe: PlannedProbe
    frame: Frame
    body: bytes
    request: SystemOneRequest


@dataclass(frozen=True)
class Pilot:
    """The plan, and its probes in their own order."""

    plan: Plan
    asked: list[Asked]


@pytest.fixture(scope="module")
def pilot(catalogue: Catalogue) -> Pilot:
    """Rendered and read once, as neither depends on the mock's seed."""
    plan = build_plan(catalogue, "pilot", catalogue.profiles["pilot"], 20260920)
    met: dict[str, tuple[Frame, bytes, SystemOneRequest]] = {}
    for key, ask in plan.asks.items():
        body = render_body("jev", "jev-latest", ask)
        met[key] = (ask.frame, body, read_request(body))
    return Pilot(plan, [Asked(probe, *met[probe.ask_hash]) for probe in plan.probes])


@dataclass(frozen=True)
class Row:
    """A pooled comparison: its id, q and size of delta."""

    id: str
    q: float
    size: float


def read_on_the_wire(asked: Asked, model: MockModel) -> dict[str, float]:
    """Question → favourability, from an answer that is written and read."""
    read = read_answers(asked.frame.questions, model.answer(asked.body)["answers"])
    return {answer.question: answer.favourability for answer in read.usable}


def straight(asked: Asked, model: MockModel) -> dict[str, float]:
    """The same without the way there and back."""
    positions = model.positions(asked.request, model.arrival(asked.body))
    questions = asked.frame.questions
    return {key: at if questions[key].direction == "+" else 1 - at for key, at in positions.items()}


def pooled_of(
    catalogue: Catalogue,
    pilot: Pilot,
    model: MockModel,
    answered: Callable[[Asked, MockModel], dict[str, float]] = straight,
) -> list[Row]:
    """Put the plan to the mock in its own order, as one worker would, and test what comes back: the pooled
    comparisons in the report's order.
    """
    plan = pilot.plan
    records = []
    for asked in pilot.asked:
        probe, values = asked.probe, answered(asked, model)
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


def test_over_many_seeds_the_three_injected_rows_lead_and_false_discoveries_stay_below_five_percent(
    catalogue: Catalogue, pilot: Pilot
) -> None:
    effects = load_effects(None, catalogue)
    proportions = []
    for seed in SEEDS:
        pooled = pooled_of(catalogue, pilot, MockModel(catalogue, seed=seed, effects=effects))
        assert {row.id for row in pooled[:3]} == INJECTED, f"seed {seed}"
        found = [row.id for row in pooled if row.q < ALPHA]
        assert set(found) >= INJECTED, f"seed {seed}"
        proportions.append(len(set(found) - INJECTED) / max(1, len(found)))
    bound = 0.05 + 3 * stdev(proportions) / math.sqrt(len(proportions))
    assert fmean(proportions) <= bound, f"mean false discovery proportion {fmean(proportions):.4f}"


@pytest.mark.parametrize("seed", ON_THE_WIRE)
def test_answers_that_are_written_and_read_find_the_same(
    catalogue: Catalogue, pilot: Pilot, seed: int
) -> None:
    effects = load_effects(None, catalogue)
    model, same = (MockModel(catalogue, seed=seed, effects=effects) for _ in range(2))
    for asked in pilot.asked:
        assert read_on_the_wire(asked, model) == pytest.approx(straight(asked, same), abs=1e-12)
    model = MockModel(catalogue, seed=seed, effects=effects)
    pooled = pooled_of(catalogue, pilot, model, read_on_the_wire)
    assert {row.id for row in pooled[:3]} == INJECTED


def test_without_effects_the_mock_has_no_more_discoveries_than_chance(
    catalogue: Catalogue, pilot: Pilot
) -> None:
    with_any = 0
    for seed in range(1, 21):
        pooled = pooled_of(catalogue, pilot, MockModel(catalogue, seed=seed))
        with_any += any(row.q < ALPHA for row in pooled)
    assert with_any <= 20 * 0.05 + 3 * math.sqrt(20 * 0.05 * 0.95)
