import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from jevbias.stats.multiplicity import benjamini_hochberg, holm

P_VALUES = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), min_size=1, max_size=60
)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(P_VALUES)
def test_q_agrees_with_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(np.array(p)) == pytest.approx(false_discovery_control(p), rel=1e-12, abs=1e-15)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(P_VALUES, st.integers(0, 10))
def test_a_member_without_a_p_leaves_the_family(p: list[float], missing: int) -> None:
    padded = benjamini_hochberg(np.array(p + [np.nan] * missing))
    assert padded[: len(p)] == pytest.approx(benjamini_hochberg(np.array(p)), rel=1e-12)
    assert np.isnan(padded[len(p) :]).all()


def test_the_example_of_benjamini_and_hochberg_rejects_the_first_four() -> None:
    smallest = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p = np.array([*smallest, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0])
    assert (benjamini_hochberg(p) < 0.05).sum() == 4


def test_an_empty_family_has_no_q() -> None:
    assert benjamini_hochberg(np.zeros(0)).size == 0
    assert np.isnan(benjamini_hochberg(np.array([np.nan]))).all()


@settings(derandomize=True, deadline=None, max_examples=12)  # the oracle collects garbage at each call
@given(P_VALUES)
def test_holm_agrees_with_statsmodels(p: list[float]) -> None:
    assert holm(np.array(p)) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12, abs=1e-15)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(P_VALUES, st.integers(0, 10))
def test_a_declared_test_without_a_p_counts_as_one_that_did_not_come_out(
    p: list[float], missing: int
) -> None:
    padded = holm(np.array([np.nan] * missing + p))
    assert padded[missing:] == pytest.approx(holm(np.array(p + [1.0] * missing))[: len(p)], rel=1e-12)
    assert np.isnan(padded[:missing]).all()


def test_no_test_has_no_adjusted_p() -> None:
    assert holm(np.zeros(0)).size == 0
