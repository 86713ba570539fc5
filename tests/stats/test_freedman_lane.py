import numpy as np
import pytest
from numpy.typing import NDArray

from jevbias.stats.arrays import FloatArray
from jevbias.stats.cell_means import tabulate
from jevbias.stats.freedman_lane import CellContrast, freedman_lane_p
from jevbias.stats.permutation import MOST_SHUFFLES, SHUFFLES

WEIGHTS = np.array([1.0, -1.0, -1.0, 1.0])


def by_the_book(values: FloatArray, cells: NDArray[np.int64], weights: FloatArray, shuffles: int) -> float:
    """Fit the model without the contrast, shuffle its residuals, refit the whole model, compare |t|."""
    number = weights.size
    whole = (cells[:, None] == np.arange(number)).astype(float)
    people = whole.sum(axis=0)
    space = np.linalg.svd((weights / 1.0)[None])[2][1:].T  # cell means whose contrast is zero
    reduced = whole @ space

    def t(outcome: FloatArray) -> float:
        means, *_ = np.linalg.lstsq(whole, outcome, rcond=None)
        within = ((outcome - whole @ means) ** 2).sum() / (outcome.size - number)
        return float(abs(weights @ means) / np.sqrt(within * (weights**2 / people).sum()))

    coefficients, *_ = np.linalg.lstsq(reduced, values, rcond=None)
    fitted = reduced @ coefficients
    stream = np.random.default_rng(1)
    observed = t(values) * (1 - 1e-9)
    reached = [t(fitted + stream.permutation(values - fitted)) >= observed for _ in range(shuffles)]
    return (1 + sum(reached)) / (1 + shuffles)


@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_freedman_and_lane_s_test_by_the_book(seed: int) -> None:
    stream = np.random.default_rng(seed)
    cells = np.repeat(np.arange(5), [2, 5, 4, 9, 6])
    weights = np.append(WEIGHTS, 0.0)
    values = stream.standard_t(4, size=cells.size) + 1.2 * (cells == 0)
    p = freedman_lane_p(values, [CellContrast(cells, weights)], seed)[0]
    reference = by_the_book(values, cells, weights, 2000)
    assert p == pytest.approx(reference, abs=3 * np.sqrt(reference * (1 - reference) / 2000) + 0.001)


def test_one_odd_person_is_no_interaction_however_small_the_p_of_t() -> None:
    stream = np.random.default_rng(3)
    cells = np.repeat(np.arange(4), [1, 20, 20, 119])
    values = 0.01 * stream.normal(size=160)
    values[[0, 30, 70, 100]] = [0.2, 0.2, -0.2, 0.2]
    by_t = tabulate(values, cells, 4).contrasts(np.array([[0, 1, 2, 3]]), WEIGHTS).p[0]
    p = freedman_lane_p(values, [CellContrast(cells, WEIGHTS)], 1)[0]
    assert by_t < 1e-7
    assert p > 0.005


def test_a_real_interaction_of_several_people_stays_small() -> None:
    cells = np.repeat(np.arange(4), [6, 12, 12, 30])
    values = 0.01 * np.random.default_rng(3).normal(size=60) + 0.05 * (cells == 0)
    p = freedman_lane_p(values, [CellContrast(cells, WEIGHTS)], 1)[0]
    assert p == pytest.approx(1 / (1 + MOST_SHUFFLES))


def test_a_contrast_depends_on_no_other_and_empty_cells_do_not_matter() -> None:
    stream = np.random.default_rng(4)
    values = stream.normal(size=60)
    contrasts = [CellContrast(stream.permutation(60) % 4, WEIGHTS) for _ in range(6)]
    together = freedman_lane_p(values, contrasts, 5)
    alone = [freedman_lane_p(values, [contrast], 5)[0] for contrast in contrasts]
    assert together.tolist() == alone
    shifted = CellContrast(contrasts[0].cells + 1, np.concatenate([[0.0], WEIGHTS, [0.0]]))
    assert freedman_lane_p(values, [shifted], 5)[0] == alone[0]
    assert (together * (1 + SHUFFLES)).tolist() == pytest.approx(np.rint(together * (1 + SHUFFLES)).tolist())


def test_no_contrast_no_p() -> None:
    assert freedman_lane_p(np.ones(3), [], 1).size == 0
