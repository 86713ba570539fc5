"""Random draws keyed by what they are for, instead of taken from one stream.

A draw depends on the run's seed and its own key alone, so narrowing a run changes nobody, and the same
seed gives the same people on every platform: only SHA-256 and integer arithmetic are involved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def keyed_bytes(seed: int, *key: object) -> bytes:
    """32 bytes that depend on the seed and the key; key parts are told apart by their position."""
    text = "\x1f".join(map(str, (seed, *key)))
    return hashlib.sha256(text.encode("utf-8")).digest()


def keyed_int(seed: int, *key: object) -> int:
    """A uniform integer in [0, 2**64)."""
    return int.from_bytes(keyed_bytes(seed, *key)[:8], "big")


def keyed_choice(items: Sequence[T], seed: int, *key: object) -> T:
    """One item, each equally likely (bias below 2**-50 for any sequence that fits in memory)."""
    return items[keyed_int(seed, *key) % len(items)]


def keyed_shuffle(items: Sequence[T], seed: int, *key: object) -> list[T]:
    """The items in a uniformly random order."""
    order = sorted(range(len(items)), key=lambda i: keyed_bytes(seed, *key, i))
    return [items[i] for i in order]


def keyed_stream(length: int, seed: int, *key: object) -> bytes:
    """`length` random bytes, for draws by the thousand."""
    start = hashlib.sha256(keyed_bytes(seed, *key))
    blocks = []
    for number in range(-(-length // start.digest_size)):
        block = start.copy()
        block.update(b"%d" % number)
        blocks.append(block.digest())
    return b"".join(blocks)[:length]
