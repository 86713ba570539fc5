"""Numbers that models return, read without guessing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drivers.probabilities import (
    NUMERIC_STRING,
    RENORMALISED,
    Position,
    UnusableNumber,
    expected_position,
    read_number,
    read_probability,
)


@pytest.mark.parametrize("raw", [0, 1, 0.0, 1.0, 0.73, -0.0, 1 + 1e-12])
def test_a_probability_is_a_number_from_0_to_1(raw: float) -> None:
    read = read_probability(raw)
    assert read == Position(min(raw, 1.0))
    assert math.copysign(1, read.value) == 1


@pytest.mark.parametrize(
    "raw",
    [True, False, None, math.nan, math.inf, -math.inf, -0.01, 1.01, 70, 10**400, [], {}, [0.5], {"p": 0.5}],
)
def test_booleans_percents_and_what_is_out_of_range_are_rejected(raw: object) -> None:
    with pytest.raises(UnusableNumber) as caught:
        read_probability(raw)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(("raw", "value"), [("0.7", 0.7), ("1", 1.0), (".5", 0.5), ("7e-1", 0.7), ("0", 0.0)])
def test_a_plain_numeric_string_is_accepted_and_flagged(raw: str, value: float) -> None:
    assert read_probability(raw) == Position(value, (NUMERIC_STRING,))


@pytest.mark.parametrize(
    "raw",
    [
        "70%",
        "0,7",
        "nan",
        "inf",
        "Infinity",
        "1_0",
        "0x1",
        " 0.7",
        "0.7\n",
        "",
        "high",
        "٠٫٧",
        "1e400",
        "70",
        "0.7 of 1",
    ],
)
def test_any_other_string_is_rejected(raw: str) -> None:
    with pytest.raises(UnusableNumber):
        read_probability(raw)


def test_a_sum_within_a_half_percent_per_option_is_renormalised() -> None:
    read = expected_position(["a", "b", "c"], {"a": 0.33, "b": 0.33, "c": 0.33})
    assert read.value == pytest.approx(0.5, abs=1e-15)
    assert read.flags == (RENORMALISED,)


@pytest.mark.parametrize(
    "raw",
    [
        {"a": 33, "b": 33, "c": 34},
        {"a": 0.3, "b": 0.3, "c": 0.3},
        {"a": 0.4, "b": 0.4, "c": 0.25},
        {"a": 0, "b": 0, "c": 0},
    ],
)
def test_a_sum_further_from_one_is_rejected(raw: dict[str, float]) -> None:
    with pytest.raises(UnusableNumber):
        expected_position(["a", "b", "c"], raw)


def test_the_edge_of_the_tolerance_counts_as_inside() -> None:
    four = ["a", "b", "c", "d"]
    assert expected_position(four, {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.23}).flags == (RENORMALISED,)
    assert expected_position(four, {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.27}).flags == (RENORMALISED,)


def test_a_missing_or_extra_option_is_rejected() -> None:
    with pytest.raises(UnusableNumber, match="no probability for 'b'"):
        expected_position(["a", "b"], {"a": 1.0})
    with pytest.raises(UnusableNumber, match="'c', which is no option"):
        expected_position(["a", "b"], {"a": 0.5, "b": 0.5, "c": 0.0})
    with pytest.raises(UnusableNumber, match="a list, not an object"):
        expected_position(["a", "b"], [0.5, 0.5])


def test_positions_count_in_the_order_asked_not_in_the_order_answered() -> None:
    read = expected_position(["low", "middle", "high"], {"high": 0.75, "low": 0.25, "middle": 0.0})
    assert read == Position(0.75)


@settings(derandomize=True, deadline=None, max_examples=75)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=12).filter(lambda weights: sum(weights) > 0.01))
def test_the_value_is_the_expected_position_of_the_normalised_distribution(weights: list[float]) -> None:
    total = math.fsum(weights)
    options = [str(index) for index in range(len(weights))]
    read = expected_position(options, {name: w / total for name, w in zip(options, weights, strict=True)})
    expected = math.fsum(i * w / total for i, w in enumerate(weights)) / (len(weights) - 1)
    assert read.value == pytest.approx(expected, abs=1e-12)
    assert 0 <= read.value <= 1


@settings(derandomize=True, deadline=None, max_examples=75)
@given(st.lists(st.integers(0, 1000), min_size=2, max_size=10).filter(lambda weights: sum(weights) > 0))
def test_two_decimals_are_never_too_coarse(weights: list[int]) -> None:
    options = [str(index) for index in range(len(weights))]
    rounded = {name: round(w / sum(weights), 2) for name, w in zip(options, weights, strict=True)}
    assert 0 <= expected_position(options, rounded).value <= 1


@settings(derandomize=True, deadline=None, max_examples=75)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    )
)
def test_anything_else_is_a_short_reason_and_nothing_worse(raw: object) -> None:
    rejection = "none"
    try:
        assert 0 <= read_number(raw, upper=4, what="score").value <= 1
    except UnusableNumber as reason:
        rejection = str(reason)
    assert rejection.isprintable()
    assert len(rejection) < 120
