"""How every figure of a report is written, on the page and in the terminal: the only place that rounds.

A figure is a short text with a true minus sign (U+2212); `NOT_AVAILABLE` stands for None everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal

from jevbias.publish.plain_text import printable
from jevbias.report.base import Interval

NOT_AVAILABLE = "n/a"
MINUS = "\u2212"

_VAST = 1e15
"""From here on a figure is written in powers of ten, since its digits would be no digits of it."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def delta(value: float | None, places: int = 4) -> str:
    """A signed difference: `+0.0123`, `−0.0500`; one that rounds to nothing carries no sign."""
    if value is None:
        return NOT_AVAILABLE
    digits = _fixed(abs(value), places)
    if float(digits) == 0:
        return digits
    return f"{MINUS if value < 0 else '+'}{digits}"


def interval(bounds: Interval | None) -> str:
    """Both ends of an interval of differences: `−0.0600 to −0.0400`."""
    return NOT_AVAILABLE if bounds is None else f"{delta(bounds[0])} to {delta(bounds[1])}"


def half_width(bounds: Interval | None) -> str:
    """Half of an interval that is symmetric around its estimate, as the noise interval is."""
    return NOT_AVAILABLE if bounds is None else _fixed((bounds[1] - bounds[0]) / 2, 4)


def p_value(value: float | None) -> str:
    """A p or a q to four decimals, `<0.0001` below them."""
    if value is None:
        return NOT_AVAILABLE
    return "<0.0001" if value < 0.0001 else _fixed(value, 4)


def pairs(number: int, effective: float | None) -> str:
    """Pairs, and how many independent ones they are worth: `48 (6)`."""
    return f"{count(number)} ({short(effective)})" if effective is not None else count(number)


def level(value: float | None) -> str:
    """A favourability on [0, 1], to three decimals."""
    return NOT_AVAILABLE if value is None else _fixed(value, 3)


def spread(value: float | None) -> str:
    """A standard deviation, to four decimals."""
    return NOT_AVAILABLE if value is None else _fixed(value, 4)


def plain(value: float | None) -> str:
    """A declared number such as a margin or a step, as short as it can be said."""
    if value is None:
        return NOT_AVAILABLE
    return f"{value:.6g}".replace("-", MINUS)


def share(value: float | None) -> str:
    """A share on [0, 1] as a percentage with one decimal."""
    return NOT_AVAILABLE if value is None else f"{_fixed(100 * value, 1)}%"


def shares(bounds: Interval | None) -> str:
    """An interval of shares: `0.0% to 3.6%`."""
    return NOT_AVAILABLE if bounds is None else f"{share(bounds[0])} to {share(bounds[1])}"


def ratio(value: float | None) -> str:
    """A ratio, to two decimals."""
    return NOT_AVAILABLE if value is None else _fixed(value, 2)


def ratios(bounds: Interval | None) -> str:
    """An interval of ratios: `0.93 to 1.12`."""
    return NOT_AVAILABLE if bounds is None else f"{ratio(bounds[0])} to {ratio(bounds[1])}"


def points(value: float | None) -> str:
    """A signed difference of shares in percentage points: `+12.5 points`."""
    return NOT_AVAILABLE if value is None else f"{delta(100 * value, 1)} points"


def short(value: float | None) -> str:
    """An effective number, hours and the like: whole where it is whole, else one decimal."""
    return NOT_AVAILABLE if value is None else _fixed(value, 1).removesuffix(".0")


def count(value: int | None) -> str:
    """A whole number with thousands separated."""
    return NOT_AVAILABLE if value is None else f"{value:,}".replace("-", MINUS)


def counted(value: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 swap`, `120 swaps`."""
    return f"{count(value)} {noun if value == 1 else plural or noun + 's'}"


def none_of(value: int, noun: str, can: str) -> str:
    """`None of the 120 swaps … could`, of one `The only swap … could not`; `can` ends in its verb."""
    return f"None of the {counted(value, noun)} {can}" if value != 1 else f"The only {noun} {can} not"


def money(value: float | None) -> str:
    """US dollars: four decimals below ten dollars, two from there on."""
    if value is None:
        return NOT_AVAILABLE
    if 0 < value < 0.0001:
        return "<$0.0001"
    return f"${value:,.4f}" if value < 10 else f"${value:,.2f}"


def milliseconds(value: float | None) -> str:
    """A latency."""
    if value is None:
        return NOT_AVAILABLE
    return f"{value:.1f} ms" if value < 10 else f"{value:,.0f} ms"


def duration(seconds: float) -> str:
    """A length of time: `42 s`, `25 min`, `2 h 5 min`; `<1 s` where it rounds to nothing."""
    if seconds < 99.5:
        return f"{seconds:.0f} s" if seconds > 0.5 else "<1 s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def moment(stamp: str | None) -> str:
    """An ISO 8601 time stamp as `20 September 2026, 10:02 UTC`; what is no time stamp is shown as it is."""
    if stamp is None:
        return NOT_AVAILABLE
    try:
        parsed = datetime.fromisoformat(stamp)
    except ValueError:
        return printable(stamp)
    utc = parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    return f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M} UTC"


def listed(items: Sequence[str], conjunction: str = "and") -> str:
    """Words in a row: `a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def _fixed(value: float, places: int) -> str:
    """Halves away from zero, on the exact binary value: what `Number.prototype.toFixed` does in a browser."""
    if abs(value) >= _VAST:
        return f"{value:.6g}"
    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))
