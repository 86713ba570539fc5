"""What a run of the test bench will send, before a call is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from jevbias.plan.estimate import BYTES_PER_TOKEN
from jevbias.plan.model import Ask
from jevbias.testbench.cases import PLACES, ambiguous_ask, sized_ask
from jevbias.testbench.context import FIRST_WORDS
from jevbias.testbench.options import BenchOptions, ContextOptions
from jevbias.testbench.semantics_asks import semantics_case
from jevbias.testbench.truncation import SHORT, TO_LEARN

BYTES_PER_WORD = 5.2
"""Of the filler."""
_AGAIN = 3
"""Calls once the ceiling is found: at both sizes, and at twice the one that failed."""


def calls_to_make(options: BenchOptions, asks: Sequence[Ask]) -> list[tuple[Ask, int]]:
    """Every ask with how often it is put. `asks` are the cases of the semantics part. The search for the
    ceiling is counted up to its largest size, or its cap on tokens: at most, that is.
    """
    calls: list[tuple[Ask, int]] = []
    for part in options.parts:
        match part:
            case "determinism":
                calls.append((ambiguous_ask(), options.determinism.requests))
            case "latency":
                calls.append((sized_ask(12), 1))
                calls += [(sized_ask(words), options.latency.repeats) for words in options.latency.words]
            case "context":
                calls += _context_calls(options.context)
            case "semantics":
                cases = (semantics_case(number, ask) for number, ask in enumerate(asks))
                calls += [(ask, 1) for case in cases for _, ask in case.asks]
            case "concurrency":
                wanted = options.concurrency
                calls.append((ambiguous_ask(), 1 + wanted.repeats * sum(wanted.bursts)))
    return calls


def _context_calls(options: ContextOptions) -> list[tuple[Ask, int]]:
    """The ramp, a search from the largest size downwards, the facts, and a search for where one is lost, as
    far as the cap on tokens goes; retries are not counted.
    """
    counts = Counter[int]()
    left = float(options.max_tokens)
    per_word = BYTES_PER_WORD / BYTES_PER_TOKEN
    for most in _context_sizes(options):
        # Beyond the cap as many calls, but small ones: where text is lost early, they are that.
        words = most if most * per_word <= left else SHORT
        left -= words * per_word
        counts[words] += 1
    return [(sized_ask(words), times) for words, times in counts.items()]


def _context_sizes(options: ContextOptions) -> Iterator[int]:
    largest = max(FIRST_WORDS, int(options.largest * BYTES_PER_TOKEN / BYTES_PER_WORD))
    words = FIRST_WORDS
    while words < largest:
        yield words
        words *= 2
    halves = math.ceil(math.log2(1 / options.precision)) + 1
    yield from [largest] * (1 + halves + _AGAIN)
    yield from [SHORT] * (2 * TO_LEARN * options.repeats)
    yield from [largest] * (2 * options.repeats * len(PLACES))
    doublings = math.ceil(math.log2(max(2.0, math.log2(max(2.0, largest / SHORT)))))
    yield from [largest] * (2 * options.repeats * (halves + doublings))
