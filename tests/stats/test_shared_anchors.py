import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.shared_anchors import (
    LEVELS,
    RUNS,
    SharedAnchors,
    central_counts,
    count_reaching,
    estimated_sd,
    uniformity,
)

CORRELATION = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, 0.4], [0.2, 0.4, 1.0]])
EXACT = settings(derandomize=True, deadline=None, max_examples=40)


def test_a_row_s_spread_is_that_of_its_swap_and_its_anchors() -> None:
    stream = np.random.default_rng(1)
    own, shared = stream.uniform(0.5, 2, (3, 4)), stream.uniform(0, 1, (3, 4, 2))
    sizes = SharedAnchors(own, shared, CORRELATION).draw(np.random.default_rng(2), 40_000)
    variance = np.square(own) + np.square(shared).sum(axis=2)
    assert np.square(sizes).mean(axis=2) == pytest.approx(variance, rel=0.05)
    share = (sizes >= 1.96 * np.sqrt(variance)[:, :, None]).mean(axis=2)
    assert share == pytest.approx(np.full((3, 4), 0.05), abs=0.005)


def test_rows_share_their_anchors_and_questions_their_probes() -> None:
    """Squares of normal draws correlate by the square of the draws' correlation."""
    design = SharedAnchors(np.ones((3, 2)), np.full((3, 2, 1), 2.0), CORRELATION)
    sizes = design.draw(np.random.default_rng(3), 100_000).astype(np.float64)
    within_row, between_rows = 1.0, 4 / 5
    shared = np.where(np.eye(2) == 1, within_row, between_rows)
    expected = np.square(np.kron(CORRELATION, shared))
    assert np.asarray(np.corrcoef(np.square(sizes.reshape(6, -1)))) == pytest.approx(expected, abs=0.03)


def test_a_question_that_repeats_another_needs_no_invertible_correlation() -> None:
    drawn = SharedAnchors(np.ones((2, 3)), np.ones((2, 3, 1)), np.ones((2, 2))).draw(np.random.default_rng(4))
    assert drawn[0] == pytest.approx(drawn[1], abs=1e-5)


def test_estimated_sds_make_student_s_t_of_normal_draws() -> None:
    sd, degrees = np.array([0.01, 0.02, 0.5]), np.array([8.0, 20.0, 90.0])
    generator = np.random.default_rng(5)
    estimates = np.concatenate(
        [estimated_sd(sd, degrees, CORRELATION, generator) for _ in range(250)], axis=1
    )
    normal = generator.standard_normal(estimates.shape) * sd[:, None]
    critical = np.asarray(stats.t.ppf(1 - np.array([0.05, 0.01]) / 2, degrees[:, None]))
    found = np.abs(normal / estimates)[:, :, None] >= critical[:, None, :]
    assert found.mean(axis=1) == pytest.approx(np.tile([0.05, 0.01], (3, 1)), rel=0.08)
    squares = (estimates / sd[:, None]) ** 2
    first, second = squares[:2] - squares[:2].mean(axis=1, keepdims=True)
    assert (first @ second) / np.sqrt((first @ first) * (second @ second)) == pytest.approx(0.36, abs=0.04)


@EXACT
@given(st.integers(1, 600), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_every_row_is_counted_against_its_own_critical_value(rows: int, levels: int, seed: int) -> None:
    stream = np.random.default_rng(seed)
    sizes = stream.integers(0, 5, (rows, 7)).astype(np.float32)
    critical = stream.integers(0, 5, (levels, rows)).astype(np.float64)
    by_hand = (sizes[None] >= critical[:, :, None]).sum(axis=1)
    assert np.array_equal(count_reaching(sizes, critical), by_hand)


@EXACT
@given(st.integers(1, 500), st.integers(0, 2**32 - 1))
def test_at_most_nine_simulated_counts_in_399_lie_beyond_each_end(most: int, seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, most, RUNS)
    lower, upper = central_counts(counts)
    assert (counts < lower).sum() <= 9
    assert (counts > upper).sum() <= 9
    assert (counts <= lower).sum() >= 10
    assert (counts >= upper).sum() >= 10


def test_p_values_are_uniform_or_not() -> None:
    stream = np.random.default_rng(6)
    simulated = stream.uniform(size=(200, RUNS))
    counts = (simulated[None] <= LEVELS[:, None, None]).sum(axis=1)
    own = [uniformity(stream.uniform(size=200), counts) for _ in range(400)]
    assert np.mean(np.array(own) <= 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(own) == pytest.approx(0.5, abs=0.06)
    assert uniformity(np.full(200, 0.01), counts) == pytest.approx(1 / (RUNS + 1))
    assert uniformity(np.ones(200), counts) == pytest.approx(1 / (RUNS + 1))
    assert uniformity(stream.uniform(size=200) ** 1.5, counts) < 0.05


ROWS, ANCHORS, ASKS, FREEDOM = 40, 2, 2, 60
ERROR = np.sqrt((1 + 1 / ASKS) / ANCHORS)


def run_of_nulls(stream: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """p (3, rows) of swaps that change nothing, and the repeats (3, repeats) that say how noisy."""
    root = np.linalg.cholesky(CORRELATION)
    repeats = root @ stream.standard_normal((3, FREEDOM))
    own = root @ stream.standard_normal((3, ROWS)) / np.sqrt(ANCHORS)
    anchor = root @ stream.standard_normal((3, 1)) / np.sqrt(ANCHORS * ASKS)
    sd = np.sqrt(np.square(repeats).mean(axis=1))
    return 2 * stats.t.sf(np.abs(own - anchor) / (ERROR * sd[:, None]), FREEDOM), repeats


def simulated_counts(repeats: FloatArray, stream: np.random.Generator) -> IntArray:
    """Simulated numbers of p-values at or below 0.05 and each of the levels, (levels, runs)."""
    sd = np.sqrt(np.square(repeats).mean(axis=1))
    correlation = np.asarray(np.corrcoef(repeats))
    own = np.tile(sd[:, None] / np.sqrt(ANCHORS), ROWS)
    shared = np.tile(sd[:, None, None] / ANCHORS / np.sqrt(ASKS), (ROWS, ANCHORS))
    sizes = SharedAnchors(own, shared, correlation).draw(stream)
    estimates = estimated_sd(sd, np.full(3, FREEDOM), correlation, stream).astype(np.float32)
    levels = np.array([0.05, *LEVELS])
    critical = stats.t.ppf(1 - levels / 2, FREEDOM)[:, None] * np.full(ROWS, ERROR)
    each = [count_reaching(sizes[question] / estimates[question], critical) for question in range(3)]
    return np.asarray(np.sum(each, axis=0), dtype=np.int64)


def test_counts_of_tests_that_share_anchors_stay_within_the_simulated_interval() -> None:
    """40 swaps on 3 questions against 2 anchors asked twice, noise known from 60 repeats; 400 runs.

    The interval for independent tests holds far fewer of the counts than it says.
    """
    stream = np.random.default_rng(7)
    held, held_if_independent, uniform = [], [], []
    low, high = (float(stats.binom.ppf(share, 3 * ROWS, 0.05)) for share in (0.025, 0.975))
    for _ in range(400):
        p, repeats = run_of_nulls(stream)
        counts = simulated_counts(repeats, stream)
        lower, upper = central_counts(counts[0])
        found = int((p < 0.05).sum())
        held.append(lower <= found <= upper)
        held_if_independent.append(low <= found <= high)
        uniform.append(uniformity(p.ravel(), counts[1:]))
    assert np.mean(held) >= 0.93
    assert np.mean(np.array(uniform) < 0.05) <= 0.07
    assert np.mean(held_if_independent) < 0.85
