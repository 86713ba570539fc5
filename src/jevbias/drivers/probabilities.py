"""Numbers that models return, read without guessing.

A plain numeric string is accepted and flagged. Booleans, percents, NaN, infinities and anything outside its
range are rejected, and so is a distribution that lacks an option or has one too many.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jevbias.drivers.json_text import REPEATED

NUMERIC_STRING = "numeric_string"
RENORMALISED = "renormalised"
FROM_SCORE = "from_score"
SUM_TOLERANCE_PER_OPTION = 0.005
"""Two decimals put each probability up to this far off, so a sum of n of them up to n times as far."""
TIE = 1e-9

_PLAIN_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")


class UnusableNumber(ValueError):
    """A value that is no usable number; its text is the reason, in one line."""


class Position(NamedTuple):
    """A value on [0, 1] and what was tolerated to read it."""

    value: float
    flags: tuple[str, ...] = ()


def read_probability(raw: object) -> Position:
    """A single probability. Raises UnusableNumber."""
    return read_number(raw, upper=1.0, what="probability")


def read_number(raw: object, *, upper: float, what: str) -> Position:
    """A number from 0 to `upper`, divided by `upper`. Raises UnusableNumber."""
    if type(raw) is float and 0.0 < raw <= upper:
        return Position(raw / upper)
    flags: tuple[str, ...] = ()
    number: float | int
    if isinstance(raw, str):
        if len(raw) > 40 or not _PLAIN_NUMBER.fullmatch(raw):
            raise UnusableNumber(f"{what} {_shown(raw)} is not a number")
        number, flags = float(raw), (NUMERIC_STRING,)
    elif isinstance(raw, bool) or not isinstance(raw, int | float):
        raise UnusableNumber(f"{what} {_shown(raw)} is not a number")
    else:
        number = raw
    if not -TIE <= number <= upper + TIE:  # NaN fails this too
        raise UnusableNumber(f"{what} {_shown(raw)} is not from 0 to {upper:g}")
    return Position(min(max(0.0, number / upper), 1.0), flags)


def expected_position(options: Sequence[str], raw: object) -> Position:
    """The expected position of a distribution over ordered options, divided by (options - 1).

    `raw` must map exactly the options to probabilities. A sum within 0.005 × options of 1 is renormalised,
    any other is rejected. Raises UnusableNumber.
    """
    if not isinstance(raw, Mapping):
        raise UnusableNumber(f"probabilities are {_shown(raw)}, not an object")
    if raw.keys() != set(options):
        raise UnusableNumber(_not_exactly(options, raw))
    read = [read_number(raw[option], upper=1.0, what="probability") for option in options]
    total = math.fsum(position.value for position in read)
    if abs(total - 1) > SUM_TOLERANCE_PER_OPTION * len(options) + TIE:
        raise UnusableNumber(f"probabilities add up to {total:.4g}, too far from 1")
    flags = [NUMERIC_STRING] if any(position.flags for position in read) else []
    if abs(total - 1) > TIE:
        flags.append(RENORMALISED)
    mean = math.fsum(index * position.value for index, position in enumerate(read)) / total
    return Position(min(mean / (len(options) - 1), 1.0), tuple(flags))


def _not_exactly(options: Sequence[str], raw: Mapping[object, object]) -> str:
    if missing := [option for option in options if option not in raw]:
        return f"no probability for {_shown(missing[0])}{_and_more(len(missing))}"
    extra = [option for option in raw if option not in set(options)]
    return f"probability for {_shown(extra[0])}, which is no option{_and_more(len(extra))}"


def _shown(raw: object) -> str:
    """A value for a message: short, and never a whole structure."""
    if raw is REPEATED:
        return "given more than once"
    if isinstance(raw, Mapping | list):
        return "an object" if isinstance(raw, Mapping) else "a list"
    if isinstance(raw, int) and not isinstance(raw, bool) and abs(raw) > 10**18:
        return "a huge number"
    text = repr(raw) if not isinstance(raw, str) else f"'{raw[:40]}'"
    return "".join(ch if ch.isprintable() else "?" for ch in text)


def _and_more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""
