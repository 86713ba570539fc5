from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from jevbias.analysis.calibration import calibrate
from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import evaluate_comparisons
from jevbias.analysis.control_simulation import ControlDesign
from jevbias.analysis.dataset import Dataset, ProbeRecord
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.pairs import pair_cells
from jevbias.analysis.validity import judge_questions
from jevbias.report.calibration import CalibrationCounts
from jevbias.stats.arrays import FloatArray
from tests.analysis.runs import MERIT, Design, make_dataset, make_people, make_probes, unanswered, without

SHARING = Design(
    bases=3,
    swapped={"culture": 2, "faith": 30},
    scenarios={"hiring": 3},
    replicate_subjects=12,
    anchor_replicates=2,
)
"""Anchors that are asked twice weigh enough to tie 30 controls together."""


def control_design(dataset: Dataset) -> ControlDesign:
    cells = build_cells(dataset)
    noise = measure_noise(dataset, cells)
    validity = judge_questions(dataset, cells, noise)
    pairs = pair_cells(dataset, cells)
    return ControlDesign(
        dataset, pairs, validity, noise, evaluate_comparisons(dataset, pairs, validity, noise)
    )


def answered_anew(
    dataset: Dataset, noise: FloatArray, *, seed: int = 1, decimals: int | None = None
) -> Dataset:
    """The same run with `noise` (probes, questions) around answers that depend on the case alone."""
    values = 0.35 + 0.15 * dataset.probes.variant[:, None] + noise
    values = values if decimals is None else np.round(values, decimals)
    values = np.where(np.isnan(dataset.probes.favourability), np.nan, values)
    probes = replace(dataset.probes, favourability=values)
    return replace(dataset, probes=probes, facts=replace(dataset.facts, seed=seed))


def normal_noise(dataset: Dataset, stream: np.random.Generator, sd: float = 0.012) -> FloatArray:
    """Noise of this SD, half of whose variance the answers of one probe have in common."""
    shape = dataset.probes.favourability.shape
    common, own = stream.standard_normal((shape[0], 1)), stream.standard_normal(shape)
    return np.asarray(sd * np.sqrt(0.5) * (common + own), dtype=np.float64)


def skewed_noise(dataset: Dataset, stream: np.random.Generator, sd: float = 0.012) -> FloatArray:
    """The same made of exponential draws."""
    shape = dataset.probes.favourability.shape
    common, own = stream.exponential(size=(shape[0], 1)), stream.exponential(size=shape)
    return np.asarray(sd * np.sqrt(0.5) * (common + own - 2), dtype=np.float64)


@dataclass(frozen=True)
class Shares:
    """Of runs in which nothing matters, how many say what they should."""

    held: float
    significant_held: float
    not_uniform: float
    held_if_independent: float


def shares(design: Design, runs: int, decimals: int | None = None) -> dict[str, Shares]:
    dataset, stream = make_dataset(design), np.random.default_rng(11)
    found: dict[str, list[tuple[bool, ...]]] = {"pooled": [], "per_question": []}
    for seed in range(runs):
        noise = normal_noise(dataset, stream)
        calibration = calibrate(control_design(answered_anew(dataset, noise, seed=seed, decimals=decimals)))
        for family, rows in found.items():
            controls: CalibrationCounts = getattr(calibration, family).controls
            assert controls.uniformity_p is not None
            independent = tuple(float(stats.binom.ppf(p, controls.tests, 0.05)) for p in (0.025, 0.975))
            rows.append(
                (
                    inside(controls.raw_below_05, controls.expected_raw_below_05),
                    inside(controls.significant, controls.expected_significant),
                    controls.uniformity_p < 0.05,
                    inside(controls.raw_below_05, independent),
                )
            )
    return {family: Shares(*np.mean(rows, axis=0).tolist()) for family, rows in found.items()}


def inside(count: int, interval: tuple[float, ...] | None) -> bool:
    assert interval is not None
    return interval[0] <= count <= interval[1]


def test_chance_explains_the_controls_of_runs_in_which_nothing_matters() -> None:
    found = shares(SHARING, 60)
    for family in found.values():
        assert family.held >= 0.93
        assert family.significant_held >= 0.93
        assert family.not_uniform <= 0.12, "5%, give or take two and a half standard errors of 60 runs"
    assert found["per_question"].held_if_independent < 0.9, "controls share anchors"


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_one_control_in_twenty_has_a_p_below_5_percent(missing: float) -> None:
    """Whatever the shape of a comparison: some answers never came back."""
    stream = np.random.default_rng(2)
    probes = [without(p, "q0") if stream.uniform() < missing else p for p in make_probes(SHARING)]
    dataset = make_dataset(SHARING, probes)
    design = control_design(answered_anew(dataset, normal_noise(dataset, stream)))
    for family, tests in (("pooled", 30), ("per_question", 90)):
        counts = design.simulate("pooled" if family == "pooled" else "per_question", 0.01)
        assert counts.below_05.mean() == pytest.approx(0.05 * tests, rel=0.25)
        assert counts.significant.mean() == pytest.approx(0.01 * tests, rel=0.5)
        middle = counts.at_levels[4]
        assert middle.mean() == pytest.approx(0.5 * tests, rel=0.06)


def test_resampled_pools_give_the_counts_that_normal_draws_give() -> None:
    """Skewed noise: the run's own repeats, drawn again as whole probes for pools, anchors and swaps."""
    stream = np.random.default_rng(3)
    dataset = make_dataset(SHARING)
    design = control_design(answered_anew(dataset, skewed_noise(dataset, stream)))
    simulated = design.simulate("per_question", 0.0).below_05
    resampled = resampled_counts(design, stream, 1500)
    assert simulated.mean() == pytest.approx(resampled.mean(), rel=0.25)
    assert simulated.std() == pytest.approx(resampled.std(), rel=0.25)
    independent = np.sqrt(90 * 0.05 * 0.95)
    assert resampled.std() > 1.4 * independent


def resampled_counts(design: ControlDesign, stream: np.random.Generator, runs: int) -> FloatArray:
    """How many controls reach their critical value, by brute force, in runs of a complete `SHARING`."""
    cells, probes = design.noise.cells, design.dataset.probes
    sizes = np.bincount(cells.probe_cell)
    repeated = (sizes[cells.probe_cell] >= 2) & ~cells.control[cells.probe_cell]
    stretch = np.sqrt(sizes / np.maximum(sizes - 1, 1))[cells.probe_cell]
    pool = ((probes.favourability - cells.mean[cells.probe_cell]) * stretch[:, None])[repeated]
    sd = np.sqrt(np.square(pool).mean(axis=0))
    half = np.stack([block.claim.half_width for block in design.family("per_question")])
    control = ~design.pairs.visible
    cell_sizes = sizes[(sizes >= 2) & ~cells.control]
    counts = np.zeros(runs)
    for run in range(runs):
        anchors = pool[stream.integers(len(pool), size=(3, 2))].mean(axis=1)
        swaps = pool[stream.integers(len(pool), size=(control.sum(), 3))]
        delta = (swaps - anchors).mean(axis=1)
        squares, freedom = np.zeros(3), 0
        for size in np.unique(cell_sizes):
            drawn = pool[stream.integers(len(pool), size=((cell_sizes == size).sum(), size))]
            squares += np.square(drawn - drawn.mean(axis=1, keepdims=True)).sum(axis=(0, 1))
            freedom += drawn.shape[0] * (size - 1)
        critical = half[:, control].T * np.sqrt(squares / freedom) / sd
        counts[run] = (np.abs(delta) >= critical).sum()
    return counts


def test_a_grid_that_widens_the_pools_makes_small_p_values_rarer() -> None:
    """Answers to two decimals, noise far below them: tests are judged by more than what varies."""
    dataset, stream = make_dataset(SHARING), np.random.default_rng(4)
    quiet = normal_noise(dataset, stream, 0.0015)
    quiet[::40] += 0.01
    found = calibrate(control_design(answered_anew(dataset, quiet, decimals=2)))
    expected = found.per_question.controls.expected_raw_below_05
    assert expected is not None
    assert expected[1] < 90 * 0.05 * 2


def test_controls_are_expected_to_share_in_a_family_s_discoveries() -> None:
    """Every visible swap is far off: the correction lets p-values through that chance reaches, too."""
    dataset, stream = make_dataset(SHARING), np.random.default_rng(5)
    noise = normal_noise(dataset, stream)
    full = dataset.conditions.index("full")
    swapped = dataset.swap[dataset.probes.person] >= 0
    noise[(dataset.probes.condition == full) & swapped] += 0.1
    controls = calibrate(control_design(answered_anew(dataset, noise))).per_question.controls
    assert controls.expected_significant is not None
    assert controls.expected_significant[1] >= 1
    assert inside(controls.significant, controls.expected_significant)


def test_placebos_are_no_controls_and_join_no_family() -> None:
    plain, with_placebos = Design(), Design(placebos={"hobby": 20})
    for design in (plain, with_placebos):
        found = calibrate(control_design(make_dataset(design, make_probes(design))))
        assert (found.pooled.visible.tests, found.pooled.controls.tests) == (7, 3)
        assert (found.per_question.visible.tests, found.per_question.controls.tests) == (35, 15)


def test_a_model_that_does_not_vary_is_calibrated_by_nothing() -> None:
    found = calibrate(control_design(make_dataset(SHARING, make_probes(SHARING, noise=0.0))))
    for family in (found.pooled, found.per_question):
        assert (
            family.controls
            == family.visible
            == CalibrationCounts(tests=0, significant=0, raw_below_05=0, interval=None)
        )
        assert family.controls_share_of_discoveries is None


def test_a_run_without_controls_has_none_to_judge() -> None:
    design = replace(SHARING, conditions=("full",))
    found = calibrate(control_design(make_dataset(design)))
    assert found.pooled.visible.tests == 32
    assert found.pooled.visible.interval is None
    assert found.pooled.controls.tests == 0
    assert found.pooled.controls.uniformity_p is None


def test_questions_without_enough_repeats_leave_the_rest_calibrated() -> None:
    probes = [without(p, "q2") if p.replicate else p for p in make_probes(SHARING)]
    controls = calibrate(control_design(make_dataset(SHARING, probes))).per_question.controls
    assert controls.tests == 60
    assert controls.uniformity_p is not None


def test_a_control_that_never_answered_and_a_scenario_without_a_valid_question_are_left_out() -> None:
    design = replace(SHARING, scenarios={"hiring": 3, "triage": 2})
    silent = {person.idx for person in make_people(design) if person.swapped_level == "l7"}

    def firm(probe: ProbeRecord) -> ProbeRecord:
        """Triage says the same whatever the case, give or take its noise: flat, and pooled nowhere."""
        if probe.person in silent:
            return unanswered(probe)
        if probe.scenario == "hiring":
            return probe
        dust = {key: 0.9 + value - MERIT[probe.variant] for key, value in probe.favourability.items()}
        return replace(probe, favourability=dust)

    probes = [firm(probe) for probe in make_probes(design, noise=0.012)]
    simulated = control_design(make_dataset(design, probes))
    assert [len(questions) for questions in simulated.validity.pooled] == [3, 0]
    found = calibrate(simulated)
    assert found.pooled.controls.tests == 29
    assert found.per_question.controls.tests == 29 * 5
    assert found.pooled.controls.expected_raw_below_05 is not None
    assert found.pooled.controls.expected_raw_below_05[1] > 0


def test_two_calibrations_of_a_run_are_the_same_and_another_seed_draws_anew() -> None:
    dataset = make_dataset(SHARING)
    reseeded = replace(dataset, facts=replace(dataset.facts, seed=2))
    once, again, other = (control_design(run).simulate("pooled", 0.0) for run in (dataset, dataset, reseeded))
    assert np.array_equal(once.at_levels, again.at_levels)
    assert not np.array_equal(once.at_levels, other.at_levels)
