"""Text that others sent, shown sign for sign: nothing in it steers the terminal, and nothing is left out."""

from __future__ import annotations

import unicodedata

_RIGHT_TO_LEFT = {"R", "AL"}
_ISOLATE, _POP = "\u2068", "\u2069"


def visible(text: str, *, lines: bool = False) -> str:
    """`text` with every sign that does not print written as its escape, such as `\\x1b` or `\\u202e`.

    With `lines` its line ends stay what they are. A line with right-to-left letters is wrapped in a
    directional isolate (Unicode Standard Annex 9, 2023, section 2.4), so that it reorders nothing beside it.
    """
    if lines:
        return "\n".join(visible(line) for line in text.split("\n"))
    if text.isascii() and text.isprintable():
        return text
    written = "".join(sign if sign.isprintable() else _escape(sign) for sign in text)
    if any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in written):
        return f"{_ISOLATE}{written}{_POP}"
    return written


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
