"""Every figure is written in one place, and never says more or less than it knows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.publish import figures


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0123, "+0.0123"),
        (-0.05, "−0.0500"),
        (0.0, "0.0000"),
        (-0.00004, "0.0000"),
        (-0.00005000001, "−0.0001"),
        (0.03125, "+0.0313"),
        (-0.03125, "−0.0313"),
        (1.0, "+1.0000"),
        (None, "n/a"),
    ],
)
def test_a_delta_is_signed_with_a_true_minus_and_halves_round_away_from_zero(
    value: float | None, text: str
) -> None:
    assert figures.delta(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.00132, "0.0013"),
        (0.0001, "0.0001"),
        (0.0000999, "<0.0001"),
        (0.0, "<0.0001"),
        (1.0, "1.0000"),
        (None, "n/a"),
    ],
)
def test_a_p_is_never_written_as_zero(value: float | None, text: str) -> None:
    assert figures.p_value(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "n/a"), (0.0, "$0.0000"), (0.00003, "<$0.0001"), (8.02134, "$8.0213"), (1234.5, "$1,234.50")],
)
def test_an_unknown_cost_is_not_available_and_never_nothing(value: float | None, text: str) -> None:
    assert figures.money(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "<1 s"),
        (0.4, "<1 s"),
        (0.5, "<1 s"),
        (42, "42 s"),
        (99.4, "99 s"),
        (99.6, "2 min"),
        (108, "2 min"),
        (5364, "89 min"),
        (7500, "2 h 5 min"),
    ],
)
def test_a_length_of_time_is_never_written_as_nothing(seconds: float, text: str) -> None:
    assert figures.duration(seconds) == text


@pytest.mark.parametrize(
    ("stamp", "text"),
    [
        ("2026-09-20T10:02:11Z", "20 September 2026, 10:02 UTC"),
        ("2026-09-20T12:02:11+02:00", "20 September 2026, 10:02 UTC"),
        ("2026-01-05T00:00:00", "5 January 2026, 00:00 UTC"),
        ("soon\x1b[31m", "soon[31m"),
        (None, "n/a"),
    ],
)
def test_a_moment_is_told_in_utc(stamp: str | None, text: str) -> None:
    assert figures.moment(stamp) == text


@given(st.floats(min_value=-1, max_value=1, allow_nan=False))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_a_written_delta_is_within_half_of_its_last_digit(value: float) -> None:
    written = float(figures.delta(value).replace(figures.MINUS, "-"))
    assert abs(written - value) <= 0.00005 + 1e-12
    assert written * value >= 0


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 swaps"), (1, "1 swap"), (2, "2 swaps"), (12000, "12,000 swaps")]
)
def test_a_noun_follows_its_number(number: int, text: str) -> None:
    assert figures.counted(number, "swap") == text


def test_intervals_shares_and_lists_read_as_text() -> None:
    assert figures.interval((-0.06, 0.04)) == "−0.0600 to +0.0400"
    assert figures.interval(None) == figures.shares(None) == figures.half_width(None) == "n/a"
    assert figures.half_width((-0.06, 0.04)) == "0.0500"
    assert figures.shares((0.0, 0.0362167)) == "0.0% to 3.6%"
    assert figures.short(6.0) == "6"
    assert figures.short(5.4321) == "5.4"
    assert figures.share(0.3125) == "31.3%"
    assert figures.ratio(0.727273) == "0.73"
    assert figures.ratios((0.9, 1.125)) == "0.90 to 1.13"
    assert figures.points(0.1875) == "+18.8 points"
    assert figures.ratios(None) == figures.points(None) == "n/a"
    assert [figures.listed(list("abc"[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert figures.milliseconds(6.28) == "6.3 ms"
    assert figures.milliseconds(None) == "n/a"
    assert figures.plain(-0.5) == "−0.5"
