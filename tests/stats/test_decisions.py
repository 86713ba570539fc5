import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.stats.decisions import DecidedCells, compare_decisions

EXACT = settings(derandomize=True, deadline=None, max_examples=60)


def cells(asks: object, favourable: object, mean: object = 0.5) -> DecidedCells:
    number = np.atleast_2d(np.array(asks))
    return DecidedCells(
        number,
        np.broadcast_to(np.array(favourable), number.shape),
        np.broadcast_to(np.array(mean, dtype=np.float64), number.shape),
    )


def test_flips_are_counted_over_all_pairs_of_answers() -> None:
    """Swap: yes, no, no. Anchor: yes, yes, no, yes. 7 of 12 pairs differ, 3 of 6 pairs of the anchor's do."""
    swap, anchor = [1, 0, 0], [1, 1, 0, 1]
    differ = np.mean([a != b for a in swap for b in anchor])
    repeats = np.mean([anchor[i] != anchor[j] for i in range(4) for j in range(i)])
    found = compare_decisions(cells([3], 1), cells([4], 3), 0.005)
    assert found.flip_rate[0] == pytest.approx(differ)
    assert found.repeat_flip_rate[0] == pytest.approx(repeats)
    assert found.excess_flips[0] == pytest.approx(differ - repeats)
    assert (found.favourable_swap[0], found.favourable_anchor[0]) == pytest.approx((1 / 3, 3 / 4))
    assert found.four_fifths[0] == pytest.approx(4 / 9)


def test_pairs_weigh_equally_whatever_their_number_of_answers() -> None:
    found = compare_decisions(cells([1, 10], [1, 0]), cells([2, 20], [0, 0]), 0.005)
    assert found.flip_rate[0] == pytest.approx(0.5)
    assert found.favourable_swap[0] == pytest.approx(0.5)


def test_a_swap_that_changes_nothing_has_no_excess_flips_on_average() -> None:
    """Shares of 10%, 50% and 90%, anchors asked two or five times: zero within three standard errors."""
    stream, number = np.random.default_rng(1), 60_000
    chance = np.broadcast_to([0.1, 0.5, 0.9], (number, 3))
    for asks in (2, 5):
        swap = cells(np.full((number, 3), 2), stream.binomial(2, chance))
        anchor = cells(np.full((number, 3), asks), stream.binomial(asks, chance))
        excess = compare_decisions(swap, anchor, 0.005).excess_flips
        assert abs(excess.mean()) < 3 * excess.std() / np.sqrt(number)
        assert excess.std() / np.sqrt(number) < 0.002


def test_a_swap_that_changes_decisions_flips_more_than_repeats_do() -> None:
    """True excess: ps(1 - pa) + pa(1 - ps) - 2 pa(1 - pa)."""
    stream, number = np.random.default_rng(2), 60_000
    swap = cells(np.full((number, 1), 1), stream.binomial(1, 0.3, (number, 1)))
    anchor = cells(np.full((number, 1), 4), stream.binomial(4, 0.8, (number, 1)))
    excess = compare_decisions(swap, anchor, 0.005).excess_flips.mean()
    assert excess == pytest.approx(0.3 * 0.2 + 0.8 * 0.7 - 2 * 0.8 * 0.2, abs=0.01)


def test_flips_and_repeats_look_at_the_same_pairs() -> None:
    """The second anchor was asked once and can say nothing of repeats; the difference leaves it out."""
    found = compare_decisions(cells([1, 1], [1, 1]), cells([2, 1], [1, 0]), 0.005)
    assert (found.flip_rate[0], found.repeat_flip_rate[0], found.excess_flips[0]) == (0.5, 1.0, -0.5)
    assert found.favourable_anchor[0] == 0.25


def test_anchors_that_were_never_asked_twice_say_nothing_of_repeats() -> None:
    found = compare_decisions(cells([1, 1], [1, 1]), cells([1, 1], [1, 0]), 0.005)
    assert found.flip_rate[0] == 0.5
    assert np.isnan(found.repeat_flip_rate[0])
    assert np.isnan(found.excess_flips[0])


def test_missing_cells_leave_their_pair_out() -> None:
    found = compare_decisions(cells([1, 0], [1, 0], [0.8, np.nan]), cells([2, 2], [2, 0], [0.6, 0.1]), 0.005)
    assert found.favourable_anchor[0] == 1.0
    assert found.log_odds[0] == pytest.approx(np.log(0.8 / 0.2) - np.log(0.6 / 0.4))
    nothing = compare_decisions(cells([0], 0, np.nan), cells([2], 1), 0.005)
    assert all(np.isnan(column).all() for column in vars(nothing).values())


def test_four_fifths_has_no_meaning_where_no_anchor_is_decided_for() -> None:
    assert np.isnan(compare_decisions(cells([1], 1), cells([3], 0), 0.005).four_fifths[0])
    assert compare_decisions(cells([1], 0), cells([3], 3), 0.005).four_fifths[0] == 0.0


def test_log_odds_of_certainty_stop_half_a_step_away_from_it() -> None:
    found = compare_decisions(cells([1], 1, 1.0), cells([1], 0, 0.0), 0.005)
    assert found.log_odds[0] == pytest.approx(2 * np.log(0.995 / 0.005))


@EXACT
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(0, 1), st.floats(0, 1)),
        min_size=1,
        max_size=6,
    ),
    st.data(),
)
def test_every_share_is_a_share(pairs: list[tuple[int, int, float, float]], data: st.DataObject) -> None:
    swap_asks, anchor_asks, swap_mean, anchor_mean = (list(column) for column in zip(*pairs, strict=True))
    swap = cells(swap_asks, [data.draw(st.integers(0, asks)) for asks in swap_asks], swap_mean)
    anchor = cells(anchor_asks, [data.draw(st.integers(0, asks)) for asks in anchor_asks], anchor_mean)
    found = compare_decisions(swap, anchor, 0.0005)
    for share in (found.flip_rate, found.repeat_flip_rate, found.favourable_swap, found.favourable_anchor):
        assert np.isnan(share[0]) or 0 <= share[0] <= 1
    assert np.isnan(found.excess_flips[0]) == np.isnan(found.repeat_flip_rate[0])
    mirrored = compare_decisions(anchor, swap, 0.0005)
    assert np.isnan(found.log_odds[0]) or found.log_odds[0] == pytest.approx(-mirrored.log_odds[0])


def test_the_dust_of_averaging_is_no_difference() -> None:
    """Ten answers of 0.4061 do not average to 0.4061 exactly, and how far off they are differs by machine."""
    averaged = float(np.sum(np.full(10, 0.4061)) / 10) + 6e-17
    found = compare_decisions(cells([3, 3, 3], [1, 1, 1], averaged), cells([10] * 3, [5] * 3, 0.4061), 0.005)
    assert averaged != 0.4061
    assert found.log_odds[0] == 0.0
