"""What a run measures of its spreads, and what a plan says beforehand about what it will find."""

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import Block, evaluate_comparisons
from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.noise_floor import noise_floor
from jevbias.analysis.pairs import Pairs, pair_cells
from jevbias.analysis.planned_power import Spreads, confirmed_effects, planned_effects
from jevbias.analysis.power import measured_spreads
from jevbias.analysis.validity import judge_questions
from jevbias.catalogue.catalogue import Catalogue
from jevbias.plan.build import build_plan
from jevbias.plan.model import Plan
from jevbias.plan.shape import ContrastShape, SwapShape, contrast_shape, swap_shape
from jevbias.report.noise import NoiseFloor
from jevbias.report.power import PowerBasis
from jevbias.report.run_report import RunReport
from jevbias.stats.power import smallest_noise_effect, smallest_people_effect
from tests.analysis.runs import FACTS, MERIT, Design, Someone, make_dataset, make_probes, unanswered

TRUE = Spreads(answer=0.02, probe=0.02 / math.sqrt(5), base=0.03, rest=0.015)


@dataclass(frozen=True)
class Measured:
    """The parts that `measured_spreads` reads, and what it says."""

    floor: NoiseFloor
    pairs: Pairs
    pooled: Block
    basis: PowerBasis


def measure(dataset: Dataset) -> Measured:
    cells = build_cells(dataset)
    noise = measure_noise(dataset, cells)
    validity = judge_questions(dataset, cells, noise)
    pairs = pair_cells(dataset, cells)
    pooled = evaluate_comparisons(dataset, pairs, validity, noise)[0]
    floor = noise_floor(noise, validity.pooled)
    return Measured(floor, pairs, pooled, measured_spreads(floor, pairs, pooled))


def answer_plan(plan: Plan, catalogue: Catalogue, spreads: Spreads, seed: int = 1) -> Dataset:
    """The run of a plan whose swaps have effects of these spreads, where they can be seen, besides noise."""
    stream = np.random.default_rng(seed)
    by_base: dict[object, float] = {}
    by_pair: dict[object, float] = {}

    def effect(idx: int, scenario: str, condition: str) -> float:
        attribute = catalogue.attributes.get(plan.people[idx].swapped_attribute or "")
        if attribute is None or not attribute.visible_in(condition):  # type: ignore[arg-type]
            return 0.0
        at_base = by_base.setdefault((idx, condition), spreads.base * stream.standard_normal())
        return at_base + by_pair.setdefault(
            (idx, scenario, condition), spreads.rest * stream.standard_normal()
        )

    records = []
    for probe in plan.probes:
        mean = MERIT[probe.variant] + effect(probe.person, probe.scenario, probe.condition)
        values = {
            question: mean + spreads.answer * stream.standard_normal()
            for question in catalogue.scenarios[probe.scenario].questions
        }
        records.append(
            ProbeRecord(probe.person, probe.scenario, probe.variant, probe.condition, probe.replicate, values)
        )
    return build_dataset(FACTS, catalogue, plan.people, records)


@pytest.fixture(scope="module")
def plan(catalogue: Catalogue) -> Plan:
    """The pilot with eight bases instead of two, and a placebo swap for every placebo."""
    profile = catalogue.profiles["pilot"].model_copy(update={"bases": 8, "placebos": True})
    return build_plan(catalogue, "pilot", profile, 1)


@pytest.fixture(scope="module")
def shape(plan: Plan, catalogue: Catalogue) -> SwapShape:
    return swap_shape(plan, catalogue)


@pytest.fixture(scope="module")
def dataset(plan: Plan, catalogue: Catalogue) -> Dataset:
    return answer_plan(plan, catalogue, TRUE)


@pytest.fixture(scope="module")
def report(dataset: Dataset) -> RunReport:
    return analyse(dataset)


@pytest.fixture(scope="module")
def measured(dataset: Dataset) -> Measured:
    return measure(dataset)


def test_a_run_measures_the_spreads_that_it_was_made_with(measured: Measured) -> None:
    basis = measured.basis
    assert basis.answer_sd == pytest.approx(TRUE.answer, rel=0.05)
    assert basis.probe_sd == pytest.approx(TRUE.probe, rel=0.1)
    assert basis.base_sd == pytest.approx(TRUE.base, rel=0.15)
    assert basis.rest_sd == pytest.approx(TRUE.rest, rel=0.15)
    assert basis.rows == 43


def test_spreads_are_not_biased_by_noise(catalogue: Catalogue) -> None:
    """Over small runs the estimated variances average to the true ones; noise is three times the effects."""
    profile = catalogue.profiles["pilot"].model_copy(update={"bases": 3, "swept": ["religion", "gender"]})
    small = build_plan(catalogue, "pilot", profile, 1)
    truth = Spreads(answer=0.06, base=0.02, rest=0.02)
    found = [measure(answer_plan(small, catalogue, truth, seed)).basis for seed in range(12)]
    for name, sd in (("base_sd", truth.base), ("rest_sd", truth.rest)):
        squares = [getattr(basis, name) ** 2 for basis in found]
        error = statistics.stdev(squares) / math.sqrt(len(squares))
        assert statistics.mean(squares) == pytest.approx(sd**2, abs=3.5 * error)


def test_noise_alone_leaves_hardly_any_spread() -> None:
    design = Design(bases=6, swapped={"culture": 6, "faith": 8}, conditions=("full",))
    found = [
        measure(make_dataset(design, make_probes(design, noise=0.02, seed=seed))).basis for seed in range(5)
    ]
    for name in ("base_sd", "rest_sd"):
        assert statistics.median(getattr(basis, name) for basis in found) < 0.008


def test_an_exact_model_shows_its_spreads_whole() -> None:
    design = Design(bases=4, swapped={"faith": 3}, conditions=("full",))
    steps = {0: 0.03, 1: -0.03, 2: 0.03, 3: -0.03}
    probes = make_probes(
        design,
        lambda person, scenario, question, variant, condition: (
            MERIT[variant] + (0.0 if person.is_anchor else steps[person.base or 0])
        ),
        noise=0.0,
    )
    basis = measure(make_dataset(design, probes)).basis
    assert (basis.answer_sd, basis.rest_sd) == (0.0, 0.0)
    assert basis.base_sd == pytest.approx(0.03 * math.sqrt(4 / 3), rel=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        {"bases": 1},
        {"scenarios": {"hiring": 3}},
        {"replicates": 1, "anchor_replicates": 1},
        {"swapped": {"faith": 2}, "conditions": ("name_only",)},
    ],
    ids=["one base", "one scenario", "no repeats", "controls alone"],
)
def test_a_run_that_cannot_tell_says_nothing(change: dict[str, object]) -> None:
    design = replace(Design(), **change)  # type: ignore[arg-type]
    basis = measure(make_dataset(design)).basis
    assert (basis.base_sd, basis.rest_sd, basis.rows) == (None, None, 0)


def test_missing_answers_leave_the_complete_part() -> None:
    design = Design(bases=8, swapped={"culture": 6, "faith": 8}, conditions=("full",))
    effects = np.random.default_rng(5).normal(0.0, 0.03, size=200)

    def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        return MERIT[variant] + (0.0 if person.is_anchor else float(effects[person.idx]))

    probes = make_probes(design, expect)
    lost = [unanswered(probe) if number % 17 == 0 else probe for number, probe in enumerate(probes)]
    whole, part = (measure(make_dataset(design, some)).basis for some in (probes, lost))
    assert part.base_sd == pytest.approx(whole.base_sd, rel=0.1)
    assert part.rows == whole.rows == 14


def test_the_planned_families_are_those_of_the_run(shape: SwapShape, report: RunReport) -> None:
    planned = planned_effects(shape, TRUE, FACTS.alpha)
    assert planned.noise is not None
    for pooled, noise, people in (
        (True, planned.noise.pooled, planned.people.pooled),
        (False, planned.noise.per_question, planned.people.per_question),
    ):
        rows = [row for row in report.comparisons if (row.question is None) == pooled]
        assert noise.tests == sum(row.q is not None for row in rows)
        assert people.tests == sum(row.q_people is not None for row in rows)


def test_the_planned_effects_are_those_that_the_run_then_reports(
    shape: SwapShape, report: RunReport, measured: Measured
) -> None:
    """Given the spreads that the run measured over all; each comparison has its own SD of eight bases."""
    spreads, unknown = Spreads().measured(measured.basis)
    assert not unknown
    planned = planned_effects(shape, spreads, FACTS.alpha)
    assert planned.noise is not None
    for pooled, noise, people in (
        (True, planned.noise.pooled, planned.people.pooled),
        (False, planned.noise.per_question, planned.people.per_question),
    ):
        rows = [row for row in report.comparisons if (row.question is None) == pooled and row.visible]

        def typical(name: str, rows: list[object] = rows) -> float | None:  # type: ignore[assignment]
            values = [getattr(row, name) for row in rows]
            return None if None in values else statistics.median(values)

        assert noise.alone == pytest.approx(typical("mde_noise"), rel=0.03)
        assert noise.adjusted == pytest.approx(typical("mde_noise_adjusted"), rel=0.03)
        assert people.alone == pytest.approx(typical("mde_people"), rel=0.15)
        assert people.adjusted is typical("mde_people_adjusted") is None


def test_repeats_are_counted_as_the_noise_floor_counts_them(shape: SwapShape, measured: Measured) -> None:
    assert shape.repeats.sum() == measured.floor.degrees_of_freedom


def test_fewer_than_eight_repeats_in_a_scenario_promise_nothing_beyond_noise(shape: SwapShape) -> None:
    few = replace(shape, repeats=np.array([7, 60]), questions=np.array([4, 5]))
    planned = planned_effects(few, Spreads(), 0.05)
    assert planned.noise is not None
    assert planned.noise.pooled.alone is None
    assert planned.noise.per_question.alone is not None
    none = planned_effects(replace(shape, repeats=np.array([7, 7])), Spreads(), 0.05)
    assert none.noise is not None
    assert none.noise.per_question.alone is None


def test_a_model_without_noise_promises_nothing_beyond_noise(shape: SwapShape) -> None:
    planned = planned_effects(shape, Spreads(answer=0.0, probe=0.0), 0.05)
    assert planned.noise is not None
    assert planned.noise.pooled.alone is planned.noise.per_question.alone is None
    assert planned.people.pooled.alone is not None


def test_a_plan_of_blind_swaps_alone_promises_nothing(shape: SwapShape) -> None:
    planned = planned_effects(replace(shape, visible=np.zeros_like(shape.visible)), Spreads(), 0.05)
    assert planned.noise is not None
    assert planned.noise.pooled.alone is planned.people.pooled.alone is None
    assert planned.people.pooled.tests == 0


def test_the_bases_it_takes_are_those_that_turn_a_dash_into_a_figure(shape: SwapShape) -> None:
    adjusted = planned_effects(shape, Spreads(), 0.05).people.pooled
    assert adjusted.adjusted is None
    assert adjusted.bases_adjusted == 11

    def with_bases(number: int) -> SwapShape:
        widened: Callable[[np.ndarray], np.ndarray] = lambda asks: np.repeat(asks[:, :1], number, axis=1)  # noqa: E731
        return replace(shape, swap_asks=widened(shape.swap_asks), anchor_asks=widened(shape.anchor_asks))

    assert planned_effects(with_bases(10), Spreads(), 0.05).people.pooled.adjusted is None
    assert planned_effects(with_bases(11), Spreads(), 0.05).people.pooled.adjusted is not None


def test_one_pair_by_hand() -> None:
    """One visible swap, eight bases, two scenarios, one ask against ten."""
    asks = np.ones((1, 8, 2), dtype=np.int64)
    shape = SwapShape(asks, 10 * asks, np.array([True]), np.array([40, 50]), np.array([4, 5]))
    spreads = Spreads()
    planned = planned_effects(shape, spreads, 0.05)
    assert planned.noise is not None
    error = spreads.probe * math.sqrt(1.1 / 16)
    assert planned.noise.pooled.alone == pytest.approx(float(smallest_noise_effect(error, 90, 0.05)))
    assert planned.noise.per_question.adjusted == pytest.approx(
        float(smallest_noise_effect(spreads.answer * math.sqrt(1.1 / 8), 50, 0.05 / 9))
    )
    sd = math.sqrt(spreads.base**2 + (spreads.rest**2 + spreads.probe**2 * 1.1) / 2)
    assert planned.people.pooled.alone == pytest.approx(float(smallest_people_effect(sd, 8, 0.05)))
    sd = math.sqrt(spreads.base**2 + spreads.rest**2 + spreads.answer**2 * 1.1)
    assert planned.people.per_question.alone == pytest.approx(float(smallest_people_effect(sd, 8, 0.05)))


def test_a_confirmation_is_one_sided_and_stricter_the_more_it_tests(catalogue: Catalogue) -> None:
    one, ten = confirmed_effects(catalogue.profiles["confirm"], Spreads(), 0.05)
    assert (one.bases, one.hypotheses, ten.hypotheses) == (16, 1, 10)
    sd = math.sqrt(0.02**2 + (0.02**2 + 0.012**2 * 1.1) / 8)
    assert one.effect == pytest.approx(float(smallest_people_effect(sd, 16, 0.1)))
    assert ten.effect == pytest.approx(float(smallest_people_effect(sd, 16, 0.01)))


def test_a_factorial_contrast_is_a_two_sample_test() -> None:
    shape = ContrastShape(
        np.array([40, 40, 7]), np.array([30, 30, 0]), np.array([True, False, False]), np.array([5, 4])
    )
    planned = planned_effects(shape, Spreads(), 0.05)
    assert planned.noise is None
    assert planned.people_compared == (40, 30)
    error = math.sqrt((1 / 40 + 1 / 30) * (0.02**2 + (0.02**2 + 0.012**2) / 2))
    assert planned.people.pooled.adjusted == pytest.approx(float(smallest_noise_effect(error, 68, 0.05 / 3)))
    assert planned.people.per_question.tests == 27


def test_a_factorial_level_that_no_shuffles_reach_promises_nothing() -> None:
    many = 12_000
    shape = ContrastShape(np.full(many, 40), np.full(many, 30), np.ones(many, dtype=bool), np.array([1]))
    effects = planned_effects(shape, Spreads(), 0.05).people.pooled
    assert effects.alone is not None
    assert effects.adjusted is None


def test_the_contrasts_of_a_factorial_profile_are_counted(plan: Plan, catalogue: Catalogue) -> None:
    """Whoever the people are: here those of another plan."""
    plan = replace(plan, profile=catalogue.profiles["factorial"])
    shape = contrast_shape(plan, catalogue)
    assert shape.visible.size == 3 * 111
    assert not shape.visible[:111].any()
    assert shape.visible[222:].all()
    muslims = [person for person in plan.people if person.levels["religion"] == "muslim"]
    levels = [
        (key, level)
        for key, attribute in catalogue.person_attributes.items()
        for level in attribute.levels
        if level != attribute.reference
    ]
    assert shape.people[levels.index(("religion", "muslim"))] == len(muslims) > 0
    assert shape.questions.tolist() == [5, 5, 5, 4]


def test_measured_spreads_replace_the_defaults_where_they_are_known() -> None:
    basis = PowerBasis(answer_sd=0.01, probe_sd=0.005, base_sd=None, rest_sd=None, rows=0)
    spreads, unknown = Spreads().measured(basis)
    assert spreads == Spreads(answer=0.01, probe=0.005)
    assert unknown == ["base", "rest"]
