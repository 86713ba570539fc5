"""Would the sign of an axis hold for other families? Sign flips of whole families."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.people.keyed import keyed_stream
from jevbias.stats.arrays import FloatArray
from jevbias.stats.sign_flips import (
    MOST_EXACT_UNITS,
    RANDOM_PATTERNS,
    FlipPatterns,
    flip_patterns,
    sign_flip_tests,
    smallest_p,
)

_SIGNS_AT_ONCE = 20_000_000
_ONE = np.ones(1, dtype=np.bool_)


@dataclass(frozen=True)
class SignTest:
    """The two-sided p and the smallest that so many families allow; both None for a single family."""

    p: float | None
    smallest: float | None


def family_sign_test(means: FloatArray, seed: int) -> SignTest:
    """Flip the signs of whole families: all patterns up to 16 families, else 100,000 that depend on the
    seed and the number of families alone.
    """
    families = len(means)
    if families < 2:
        return SignTest(None, None)
    largest = float(np.abs(means).max())
    row = (means / largest if largest > 0 else means)[None, :]
    if families <= MOST_EXACT_UNITS:
        return SignTest(float(sign_flip_tests(row, flip_patterns(families), _ONE).p[0]), smallest_p(families))
    at_once = max(1, min(RANDOM_PATTERNS, _SIGNS_AT_ONCE // families))
    reached, bytes_each = 0, -(-families // 8)
    for chunk, start in enumerate(range(0, RANDOM_PATTERNS, at_once)):
        number = min(at_once, RANDOM_PATTERNS - start)
        raw = keyed_stream(number * bytes_each, seed, "battery-signs", families, chunk)
        bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8).reshape(number, -1), axis=1)[:, :families]
        patterns = FlipPatterns(1 - 2 * bits.astype(np.float32), exact=False)
        reached += round(float(sign_flip_tests(row, patterns, _ONE).p[0]) * (number + 1)) - 1
    return SignTest((reached + 1) / (RANDOM_PATTERNS + 1), smallest_p(families))
