"""Draws depend on seed and key alone, and on nothing that differs between platforms."""

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.people.keyed import keyed_bytes, keyed_choice, keyed_shuffle, keyed_stream
from jevbias.people.keyed_words import keyed_order, keyed_words

KEYS = st.lists(st.one_of(st.integers(), st.text(max_size=8)), max_size=4)
DETERMINED = settings(derandomize=True, deadline=None, max_examples=60)


def test_draws_are_those_of_sha256() -> None:
    assert keyed_bytes(1, "a", 2) == hashlib.sha256(b"1\x1fa\x1f2").digest()
    assert (
        keyed_stream(40, 1, "a").hex()
        == (
            hashlib.sha256(keyed_bytes(1, "a") + b"0").digest()
            + hashlib.sha256(keyed_bytes(1, "a") + b"1").digest()
        )[:40].hex()
    )
    assert keyed_words(3, 1, "a").tolist() == [
        int.from_bytes(keyed_stream(12, 1, "a")[place : place + 4], "big") for place in (0, 4, 8)
    ]


@DETERMINED
@given(st.integers(0, 2**63), KEYS, st.integers(0, 200))
def test_shuffles_and_orders_are_permutations(seed: int, key: list[object], size: int) -> None:
    assert sorted(keyed_shuffle(range(size), seed, *key)) == list(range(size))
    assert sorted(keyed_order(size, seed, *key).tolist()) == list(range(size))
    assert len(keyed_stream(size, seed, *key)) == size


@DETERMINED
@given(st.integers(0, 2**63), KEYS)
def test_a_longer_stream_begins_with_the_shorter_one(seed: int, key: list[object]) -> None:
    assert keyed_stream(100, seed, *key).startswith(keyed_stream(33, seed, *key))


def test_choices_are_uniform_and_independent_of_each_other() -> None:
    choices = [keyed_choice("abc", 7, "choice", number) for number in range(3_000)]
    assert all(abs(choices.count(letter) - 1_000) < 4 * 26 for letter in "abc")
    words = keyed_words(30_000, 7, "words") >> 29
    assert np.abs(np.bincount(words, minlength=8) - 3_750).max() < 4 * 58
