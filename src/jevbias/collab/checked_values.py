"""Values that code of a user's returned, looked at without believing them."""

from __future__ import annotations

from typing import Any

from jevbias.drivers.failures import one_line
from jevbias.errors import TaskError

LONGEST_ACTION = 80
"""Signs that a name of one line may have."""


def plain_text(value: Any) -> Any:
    """A text as it is and nothing more: a member of an enumeration that is one may show itself otherwise."""
    return str.__str__(value) if isinstance(value, str) else value


def checked_text(value: object, what: str, longest: int) -> str:
    """Text that can be shown and sent. Raises TaskError."""
    text = plain_text(value)
    printable = isinstance(text, str) and all(sign.isprintable() or sign == "\n" for sign in text)
    if not printable or not text.strip() or text != text.strip() or len(text) > longest:
        raise TaskError(
            f"{what}: {as_shown(text)} is not 1 to {longest:,} printable characters without spaces around "
            "them"
        )
    if longest <= LONGEST_ACTION and "\n" in text:
        raise TaskError(f"{what}: {as_shown(text)} has more than one line")
    return str(text)


def as_shown(value: object) -> str:
    """A value for a message; its own `repr` may be anything, so only plain ones are asked for it."""
    if value is None or type(value) in (str, int, float, bool):
        return one_line(repr(value), 60)
    return f"a {one_line(type(value).__name__, 40)}"
