"""Near-orthogonal arrays: balance, how close to crossed, the same everywhere, in bounded time."""

from __future__ import annotations

import hashlib
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.people.array import balanced_shuffle, extend_array, layout_quality, near_orthogonal_array
from jevbias.people.layouts import compare_layouts

LEVEL_COUNTS = [9, 3, 3, 8, 8, 5, 4, 8, 7, 3, 3, 4, 6, 5, 7, 5, 5, 5, 5, 6, 2, 2, 3, 4, 3, 4]
"""The attributes without a measure that ship with the project."""


def counts(column: np.ndarray, levels: int) -> list[int]:
    return np.bincount(column, minlength=levels).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("seed", [1, 20260920])
def test_160_people_beat_a_plain_search_by_far_on_every_seed(seed: int) -> None:
    start = process_time()
    array = near_orthogonal_array(LEVEL_COUNTS, 160, seed)
    seconds = process_time() - start
    quality = layout_quality(array, LEVEL_COUNTS)
    assert quality.imbalance < 4_800
    assert quality.worst_pair <= 0.38
    assert quality.empty_pairs <= 1
    assert seconds < 20


def test_the_level_counts_are_those_that_ship(catalogue: Catalogue) -> None:
    attributes = catalogue.person_attributes.values()
    assert [len(a.levels) for a in attributes if a.measure is None] == LEVEL_COUNTS


@settings(derandomize=True, deadline=None, max_examples=12)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.integers(1, 40), st.integers(0, 2**63))
def test_every_column_is_balanced_whatever_the_size(level_counts: list[int], people: int, seed: int) -> None:
    for array in (
        near_orthogonal_array(level_counts, people, seed),
        balanced_shuffle(level_counts, people, seed),
    ):
        assert array.shape == (people, len(level_counts))
        for column, levels in enumerate(level_counts):
            occur = counts(array[:, column], levels)
            assert len(occur) == levels
            assert max(occur) - min(occur) <= 1


@settings(derandomize=True, deadline=None, max_examples=4)
@given(st.integers(0, 2**63))
def test_the_search_never_harms_what_it_optimises(seed: int) -> None:
    level_counts = [3, 3, 3, 3]
    shuffled = layout_quality(balanced_shuffle(level_counts, 27, seed), level_counts)
    searched = layout_quality(near_orthogonal_array(level_counts, 27, seed), level_counts)
    assert searched.imbalance <= shuffled.imbalance


def test_an_orthogonal_array_is_found_where_one_exists() -> None:
    """Nine people on four attributes of three levels: the Graeco-Latin square."""
    found = [layout_quality(near_orthogonal_array([3] * 4, 9, seed), [3] * 4).imbalance for seed in range(5)]
    assert min(found) == 0


def test_the_seed_decides_which_levels_get_the_extra_people() -> None:
    arrays = [near_orthogonal_array([3, 2], 4, seed) for seed in range(15)]
    assert {int(np.argmax(np.bincount(array[:, 0]))) for array in arrays} == {0, 1, 2}


def test_the_same_seed_gives_the_same_array_on_every_platform() -> None:
    array = near_orthogonal_array([4, 3, 5, 2, 6], 40, 20260920)
    digest = hashlib.sha256(array.astype("<i4").tobytes()).hexdigest()
    assert digest == "16a06be4a5c59717bc668795ae2842c36b20e9dcccaaa9db0327601c56fcd7fe"
    assert not np.array_equal(array, near_orthogonal_array([4, 3, 5, 2, 6], 40, 1))


def test_more_people_than_are_compared_at_a_time_are_laid_out_together() -> None:
    level_counts = [5, 4, 3]
    quality = layout_quality(near_orthogonal_array(level_counts, 300, 5), level_counts)
    shuffled = layout_quality(balanced_shuffle(level_counts, 300, 5), level_counts)
    assert quality.imbalance < shuffled.imbalance / 50


def test_the_time_for_a_thousand_people_is_bounded() -> None:
    start = process_time()
    near_orthogonal_array(LEVEL_COUNTS, 1_000, 1)
    assert process_time() - start < 40


def test_an_extension_leaves_the_array_and_the_counts_of_its_columns_as_they_are() -> None:
    array = near_orthogonal_array([4, 3], 48, 1)
    added = np.array([[0] * 24 + [1] * 12 + [2] * 12, [0, 1] * 24], np.int32).T
    extended = extend_array(array, added, [4, 3, 3, 2], 1)
    assert np.array_equal(extended[:, :2], array)
    assert counts(extended[:, 2], 3) == [24, 12, 12]
    assert layout_quality(extended[:, [0, 1, 3]], [4, 3, 2]).imbalance == 0
    crossed = np.bincount(extended[:, 0] * 3 + extended[:, 2]).reshape(4, 3)
    assert crossed.tolist() == [[6, 3, 3]] * 4


def test_layouts_are_compared_on_the_attributes_without_a_measure(catalogue: Catalogue) -> None:
    shuffled, searched = compare_layouts(catalogue, 24, 1)
    assert searched.quality == layout_quality(near_orthogonal_array(LEVEL_COUNTS, 24, 1), LEVEL_COUNTS)
    assert searched.quality.imbalance < shuffled.quality.imbalance
    assert searched.quality.empty_pairs < shuffled.quality.empty_pairs
