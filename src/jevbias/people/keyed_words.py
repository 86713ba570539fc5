"""Keyed draws by the array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jevbias.people.keyed import keyed_stream


def keyed_words(count: int, seed: int, *key: object) -> NDArray[np.int64]:
    """`count` uniform integers in [0, 2**32)."""
    return np.frombuffer(keyed_stream(4 * count, seed, *key), dtype=">u4").astype(np.int64)


def keyed_order(count: int, seed: int, *key: object) -> NDArray[np.intp]:
    """The numbers below `count` in a random order."""
    return np.argsort(keyed_words(count, seed, *key), kind="stable")
