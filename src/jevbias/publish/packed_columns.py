"""Columns that nearly follow from others: an interval's second end from its first, a ratio from its parts.

Of such a column the page holds what the others do not say, which mostly is nothing: a `Packed` column lists,
row by row, what has to be added to the figure that follows before it is rounded to six significant digits, as
the report rounds. `static/script/unpack.js` does that, with the same formulas in the same order, and gets the
report's figures back to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from statistics import median_low

from jevbias.report.rounding import round_figure

Column = Sequence[float | None]
Columns = Mapping[str, Column]
Row = Callable[[str], float]
"""The figure of one row in a column; NaN where it has none."""


@dataclass(frozen=True)
class Packed:
    """A column as what is missing from the figures that follow; None where the report has none.

    `share` is the table's own constant in the column's formula, 1 where it has none.
    """

    share: float
    rest: tuple[float | None, ...]


FOLLOWING: dict[str, Callable[[Row, float], float]] = {
    "mdeAlone": lambda at, share: share * at("mde"),
    "noiseLow": lambda at, share: at("delta") - share * at("mde"),
    "noiseHigh": lambda at, _: 2 * at("delta") - at("noiseLow"),
    "peopleHigh": lambda at, _: 2 * at("delta") - at("peopleLow"),
    "people90Low": lambda at, share: at("delta") - share * (at("delta") - at("peopleLow")),
    "people90High": lambda at, _: 2 * at("delta") - at("people90Low"),
    "mdePeople": lambda at, share: share * (at("delta") - at("peopleLow")),
    "sd": lambda at, share: share * (at("delta") - at("peopleLow")),
    "d": lambda at, _: at("delta") / at("sd"),
    "bases": lambda at, _: at("pairs"),
    "up": lambda at, _: at("bases") - at("down"),
    "scenariosDown": lambda at, _: float(at("delta") < 0),
    "scenariosUp": lambda at, _: float(at("delta") > 0),
    "excessFlips": lambda at, _: at("flips") - at("repeatFlips"),
    "fourFifths": lambda at, _: at("favourable") / at("anchorFavourable"),
}
"""In this order: each uses only columns that are not packed, or that stand before it."""

NEARLY_HALF = 0.499
"""Of a digit: no two ways of rounding can disagree about less."""


def packed(table: Columns) -> dict[str, Packed]:
    """The columns of `table` that follow from others; one that could not be put back exactly stays whole."""
    columns = {name: _packed(table, name) for name in FOLLOWING if name in table}
    return {name: column for name, column in columns.items() if column is not None}


def _packed(table: Columns, name: str) -> Packed | None:
    share = _share(table, name)
    rest: list[float | None] = []
    for place, value in enumerate(table[name]):
        missing = None if value is None else _rest(value, _follows(table, name, place, share))
        if missing is None and value is not None:
            return None
        rest.append(missing)
    return Packed(share, tuple(rest))


def _share(table: Columns, name: str) -> float:
    """The constant that makes most figures follow: the middle of what the rows would have it be."""
    wanted = []
    for place, value in enumerate(table[name]):
        at_none, at_one = (_follows(table, name, place, share) for share in (0.0, 1.0))
        if value is not None and at_one != at_none:
            wanted.append((value - at_none) / (at_one - at_none))
    return median_low(wanted) if wanted else 1.0


def _follows(table: Columns, name: str, place: int, share: float) -> float:
    """The figure that follows; 0 where one that it needs is missing, or is a zero to divide by."""

    def at(key: str) -> float:
        value = table[key][place] if key in table else None
        return nan if value is None else value

    try:
        following = FOLLOWING[name](at, share)
    except ZeroDivisionError:
        return 0.0
    return following if isfinite(following) else 0.0


def _rest(value: float, following: float) -> float | None:
    """What to add before rounding: 0 if nothing, else the shortest number that will do; None if none does."""
    reach = _reach(value)
    if abs(following - value) < reach:
        return 0
    lacking = value - following
    candidates = (*(float(f"{lacking:.{digits}g}") for digits in (1, 2, 3, 6)), lacking)
    near = (rest for rest in candidates if abs(following + rest - value) < reach or following + rest == value)
    return next((rest for rest in near if round_figure(following + rest) == value), None)


def _reach(value: float) -> float:
    """How far a sum may lie from `value` and surely be rounded to it: less than half of its sixth digit.

    Below a power of ten that is a digit finer.
    """
    if value == 0:
        return 0.0
    mantissa, _, exponent = f"{value:.5e}".partition("e")
    digit = 10.0 ** (int(exponent) - 5)
    return NEARLY_HALF * (digit / 10 if mantissa.strip("-") == "1.00000" else digit)
