import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy import stats

from jevbias.stats.arrays import FloatArray
from jevbias.stats.noise_null import RESOLUTION, Draws, NoiseNull, NoiseNulls
from jevbias.stats.pools import Pool

Shape = list[tuple[float, int]]
STREAM = np.random.default_rng(20260920)
BRUTE_FORCE = 1_000_000


def pool(values: Sequence[float] | FloatArray) -> Pool:
    deviations = np.asarray(values, dtype=float) - np.mean(values)
    return Pool(deviations, float(deviations.std()), None, 10, 50)


POOLS = {
    "normal": pool(STREAM.normal(scale=0.0085, size=210)),
    "skewed": pool(STREAM.exponential(scale=0.01, size=120) ** 1.5),
    "rounded": pool(np.round(STREAM.normal(scale=0.0085, size=210), 2)),
    "mostly equal": pool([0.0] * 95 + [0.01, -0.01, 0.02, -0.02, 0.0]),
    "one outlier": pool([0.0] * 199 + [0.1]),
    "two points": pool([0.01, -0.01]),
}
SHAPES: dict[str, Shape] = {
    "one pair": [(1.0, 1), (-1 / 8, 8)],
    "pilot question": [(1 / 2, 2), (-1 / 16, 16)],
    "deep question": [(1 / 6, 6), (-1 / 60, 60)],
    "uneven": [(1 / 4, 2), (1 / 16, 4), (1 / 8, 2), (-1 / 40, 10), (-1 / 32, 8), (-1 / 36, 9), (-1 / 4, 1)],
}


def draws_of(chosen: Pool, shape: Shape) -> list[Draws]:
    return [Draws(chosen, coefficient, count) for coefficient, count in shape]


def null_of(draws: list[Draws]) -> NoiseNull:
    null = NoiseNulls().null(draws)
    assert null is not None
    return null


def brute_force(draws: list[Draws], stream: np.random.Generator) -> FloatArray:
    """|X| for a million draws, sorted."""
    total = np.zeros(BRUTE_FORCE)
    for draw in draws:
        for _ in range(draw.count):
            total += draw.coefficient * stream.choice(draw.pool.deviations, BRUTE_FORCE)
    return np.sort(np.abs(total))


@pytest.mark.parametrize(
    ("name", "shape"),
    [*((name, "pilot question") for name in POOLS), ("skewed", "uneven"), ("mostly equal", "uneven")],
)
def test_the_exact_part_agrees_with_brute_force(name: str, shape: str) -> None:
    draws = draws_of(POOLS[name], SHAPES[shape])
    sizes = brute_force(draws, np.random.default_rng(2))
    null = null_of(draws)
    for target in (0.5, 0.2, 0.05, 1e-2, 1e-3, 1e-4):
        size = sizes[int(BRUTE_FORCE * (1 - target))]
        counted = BRUTE_FORCE - np.searchsorted(sizes, size - 1e-9)
        p = counted / BRUTE_FORCE
        error = math.sqrt(p * (1 - p) / BRUTE_FORCE)
        assert abs(null.two_sided_p(np.array([size]))[0] - p) <= 3 * error + 1e-12, (target, p)
    if null.smear == 0:
        assert null.absolute_quantile(0.95) == pytest.approx(sizes[int(BRUTE_FORCE * 0.95)], rel=0.005)


@pytest.mark.parametrize("name", ["normal", "skewed"])
@pytest.mark.parametrize("shape", ["pilot question", "deep question", "uneven"])
def test_smooth_tails_are_right_down_to_a_tenth_of_a_billionth(name: str, shape: str) -> None:
    draws = draws_of(POOLS[name], SHAPES[shape])
    null = null_of(draws)
    targets = np.array([0.5, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10])
    sizes = np.interp(-np.log(targets), -np.log(np.maximum(null.tails, 1e-30)), null.edges)
    apart = np.abs(null.two_sided_p(sizes) / inverted(draws, sizes, null.sd) - 1)
    assert np.all(apart <= [0.001, 0.001, 0.001, 0.05, 0.05, 0.2]), apart


def inverted(draws: list[Draws], sizes: FloatArray, sd: float) -> FloatArray:
    """P(|X| >= size) by inverting the characteristic function directly (Gil-Pelaez, 1951)."""
    width = 40 * sd
    steps = np.arange(1, 1500)
    frequencies = 2 * np.pi * steps / width
    transform = np.ones(steps.size, dtype=complex)
    for draw in draws:
        angles = np.multiply.outer(frequencies, draw.coefficient * draw.pool.deviations)
        transform *= np.exp(1j * angles).mean(axis=1) ** draw.count
    waves = np.sin(np.multiply.outer(sizes, frequencies)) * transform.real * 2 / (np.pi * steps)
    return np.asarray(1 - 2 * sizes / width - waves.sum(axis=1))


def test_ties_count_whole_where_the_distribution_is_lumpy() -> None:
    """All 2^6 sums of a two-point pool by enumeration, each size an atom."""
    two = POOLS["two points"]
    shape = [(0.5, 2), (-0.25, 4)]
    coefficients = [c for c, n in shape for _ in range(n)]
    sums = np.abs([np.dot(signs, coefficients) * 0.01 for signs in product((-1, 1), repeat=6)])
    null = null_of(draws_of(two, shape))
    for size in np.unique(np.round(sums, 12)):
        exact = np.mean(sums >= size - 1e-9)
        assert null.two_sided_p(np.array([size]))[0] == pytest.approx(exact, rel=0.003)


@pytest.mark.parametrize("count", [40, 400])
def test_binomial_tails(count: int) -> None:
    null = null_of([Draws(POOLS["two points"], 1 / count, count)])
    for heads in range(count // 2 + 1, count // 2 + 4 * int(math.sqrt(count)), 2):
        exact = 2 * stats.binom.sf(heads - 1, count, 0.5)
        size = 0.01 * (2 * heads - count) / count
        if exact > 1e-10:
            assert null.two_sided_p(np.array([size]))[0] == pytest.approx(exact, rel=0.01)


def test_the_spread_is_that_of_the_draws() -> None:
    draws = draws_of(POOLS["skewed"], SHAPES["uneven"])
    null = null_of(draws)
    variance = POOLS["skewed"].variance * sum(n * c * c for c, n in SHAPES["uneven"])
    assert null.sd == pytest.approx(math.sqrt(variance), rel=1e-12)
    between = -np.diff(null.tails, append=0.0)
    middles = np.append((null.edges[:-1] + null.edges[1:]) / 2, null.edges[-1])
    middles[0] = 0.0
    assert np.sum(between * middles**2) == pytest.approx(variance, rel=1e-4)


def test_p_falls_with_the_size_and_ends_at_the_resolution() -> None:
    null = null_of(draws_of(POOLS["normal"], SHAPES["deep question"]))
    p = null.two_sided_p(np.linspace(0, 20 * null.sd, 500))
    assert p[0] == 1.0
    assert np.all(np.diff(p) <= 1e-9)
    assert p[-1] == RESOLUTION


def test_scale_changes_no_p() -> None:
    narrow, wide = POOLS["normal"], pool(POOLS["normal"].deviations * 37.0)
    shape = SHAPES["pilot question"]
    sizes = np.linspace(0, 4, 9)
    one = null_of(draws_of(narrow, shape))
    other = null_of(draws_of(wide, shape))
    assert one.two_sided_p(sizes * one.sd) == pytest.approx(other.two_sided_p(sizes * other.sd), rel=2e-3)


def test_shared_transforms_change_nothing() -> None:
    nulls = NoiseNulls()
    for shape in SHAPES.values():
        shared = nulls.null(draws_of(POOLS["skewed"], shape))
        assert shared is not None
        fresh = null_of(draws_of(POOLS["skewed"], shape))
        assert np.array_equal(shared.tails, fresh.tails)


def test_noise_without_spread_has_no_null() -> None:
    assert NoiseNulls().null([Draws(pool([0.0, 0.0]), 1.0, 3)]) is None
    assert NoiseNulls().null([]) is None
