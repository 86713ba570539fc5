import math

import numpy as np
import pytest

from jevbias.stats.spread_ratio import CellSpreads, cell_spreads, spread_ratio


def repeats(cells: int, asks: int, sd: float, stream: np.random.Generator) -> CellSpreads:
    values = stream.uniform(0.2, 0.8, (cells, 1)) + sd * stream.normal(size=(cells, asks))
    return cell_spreads(values.ravel(), np.repeat(np.arange(cells), asks))


def test_spreads_by_hand() -> None:
    found = cell_spreads(np.array([0.1, 0.5, 0.3, 0.2, 0.9]), np.array([7, 2, 7, 7, 4]))
    assert found.degrees.tolist() == [2], "a single answer says nothing"
    assert found.squares == pytest.approx([0.02])
    assert found.sd == pytest.approx(0.1)


def test_the_ratio_is_that_of_the_pooled_sds() -> None:
    stream = np.random.default_rng(3)
    first, second = repeats(9, 3, 0.02, stream), repeats(5, 8, 0.01, stream)
    found = spread_ratio(first, second)
    assert found is not None
    assert first.sd is not None
    assert second.sd is not None
    assert found.ratio == pytest.approx(first.sd / second.sd, rel=1e-12)
    back = spread_ratio(second, first)
    assert back is not None
    assert back.interval == pytest.approx((1 / found.interval[1], 1 / found.interval[0]), rel=1e-12)


def test_the_variance_is_the_jackknife_s() -> None:
    """Leaving cells out one by one, in so many words."""
    stream = np.random.default_rng(4)
    groups = repeats(9, 3, 0.02, stream), repeats(5, 8, 0.01, stream)
    variances = []
    for group in groups:
        logs = []
        for out in range(group.cells):
            left = np.arange(group.cells) != out
            logs.append(math.log(math.sqrt(group.squares[left].sum() / group.degrees[left].sum())))
        n = len(logs)
        variances.append((n - 1) / n * sum((value - np.mean(logs)) ** 2 for value in logs))
    found = spread_ratio(*groups)
    assert found is not None
    low, high = (math.log(bound) for bound in found.interval)
    freedom = sum(variances) ** 2 / (variances[0] ** 2 / 8 + variances[1] ** 2 / 4)
    from scipy.stats import t

    assert high - low == pytest.approx(2 * t.ppf(0.975, freedom) * math.sqrt(sum(variances)), rel=1e-9)


@pytest.mark.parametrize("sds", [(0.01, 0.01), (0.02, 0.01)], ids=["alike", "twice"])
@pytest.mark.parametrize("shape", [((20, 4), (4, 8)), ((8, 3), (3, 10))], ids=["pilot", "fewest"])
def test_the_interval_covers_the_true_ratio(
    shape: tuple[tuple[int, int], tuple[int, int]], sds: tuple[float, float]
) -> None:
    stream = np.random.default_rng(5)
    covered = 0
    for _ in range(600):
        found = spread_ratio(*(repeats(*s, sd, stream) for s, sd in zip(shape, sds, strict=True)))
        assert found is not None
        covered += found.interval[0] <= sds[0] / sds[1] <= found.interval[1]
    assert 0.92 <= covered / 600 <= 0.98


def test_too_few_cells_and_cells_without_spread_give_no_ratio() -> None:
    stream = np.random.default_rng(6)
    enough, few = repeats(9, 3, 0.02, stream), repeats(2, 3, 0.02, stream)
    assert spread_ratio(enough, few) is None
    assert spread_ratio(few, enough) is None
    silent = CellSpreads(np.zeros(5), np.full(5, 2))
    assert spread_ratio(silent, enough) is None
    in_one_cell = CellSpreads(np.array([0.0, 0.0, 0.0, 0.1]), np.full(4, 2))
    assert spread_ratio(enough, in_one_cell) is None
    nothing = cell_spreads(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert (nothing.cells, nothing.sd, spread_ratio(nothing, enough)) == (0, None, None)


def test_joined_groups_are_one() -> None:
    stream = np.random.default_rng(8)
    parts = repeats(4, 3, 0.02, stream), repeats(5, 6, 0.02, stream)
    joined = CellSpreads.joined(parts)
    assert joined.cells == 9
    assert joined.squares.sum() == pytest.approx(sum(part.squares.sum() for part in parts))
    assert CellSpreads.joined([]).cells == 0
