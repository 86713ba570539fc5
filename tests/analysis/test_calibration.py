from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from jevbias.analysis.calibration import calibrate
from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import Block, evaluate_comparisons
from jevbias.analysis.control_simulation import ControlDesign
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.pairs import pair_cells
from jevbias.analysis.validity import judge_questions
from jevbias.report.calibration import CalibrationCounts
from tests.analysis.runs import Design, Someone, by_merit, make_dataset, make_probes

FloatArray = NDArray[np.float64]

DESIGN = Design(
    bases=3,
    swapped={"culture": 2, "faith": 16},
    scenarios={"hiring": 3, "triage": 3},
    replicate_subjects=8,
    anchor_replicates=3,
)
"""Anchors that are asked three times weigh enough to tie their swaps together."""


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
    return replace(
        dataset,
        probes=replace(dataset.probes, favourability=values),
        facts=replace(dataset.facts, seed=seed),
    )


def probe_noise(dataset: Dataset, stream: np.random.Generator, sd: float = 0.012) -> FloatArray:
    """Noise of this SD that answers of one probe have half in common."""
    shape = dataset.probes.favourability.shape
    common, own = stream.standard_normal((shape[0], 1)), stream.standard_normal(shape)
    return np.asarray(sd * np.sqrt(0.5) * (common + own), dtype=np.float64)


def tests_of(blocks: list[Block], chosen: NDArray[np.bool_]) -> FloatArray:
    return np.concatenate([block.claim.p[chosen] for block in blocks])


def holds(counts: CalibrationCounts) -> bool:
    assert counts.expected_raw_below_05 is not None
    lower, upper = counts.expected_raw_below_05
    return lower <= counts.raw_below_05 <= upper


@dataclass(frozen=True)
class Calibrated:
    held: float
    significant_held: float
    uniformity_rejected: float
    held_if_independent: float


def calibrated(runs: int, family: str, *, decimals: int | None = None) -> Calibrated:
    """What calibration says of runs in which nothing matters."""
    dataset, stream = make_dataset(DESIGN), np.random.default_rng(11)
    held, significant, rejected, independent = [], [], [], []
    for seed in range(runs):
        noise = probe_noise(dataset, stream)
        found = calibrate(control_design(answered_anew(dataset, noise, seed=seed, decimals=decimals)))
        controls = getattr(found, family).controls
        held.append(holds(controls))
        lower, upper = controls.expected_significant
        significant.append(lower <= controls.significant <= upper)
        rejected.append(controls.uniformity_p < 0.05)
        low, high = (stats.binom.ppf(tail, controls.tests, 0.05) for tail in (0.025, 0.975))
        independent.append(low <= controls.raw_below_05 <= high)
    return Calibrated(*(float(np.mean(share)) for share in (held, significant, rejected, independent)))


@pytest.mark.parametrize("family", ["pooled", "per_question"])
def test_x(family):
    print(family, calibrated(300, family))
    print(family, calibrated(300, family, decimals=2))
