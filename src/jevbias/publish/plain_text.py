"""Text that others wrote (names, levels, labels, models) made safe to set among our own words.

Escaping for HTML is the template's work, for the terminal `rich.text.Text`'s. What neither does is keep a
text from steering the display: escape sequences recolour a terminal, and one right-to-left override turns
the rest of a line around.
"""

from __future__ import annotations

import unicodedata

_SPACES = {"\t", "\n", "\r", "\v", "\f", "\u2028", "\u2029", "\x85"}
_STEERING = {"Cc", "Cs"}
_BIDI_CONTROLS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_BIDI_MARKS = {"\u200e", "\u200f", "\u061c"}
_RIGHT_TO_LEFT = {"R", "AL"}
_ISOLATE, _POP = "\u2068", "\u2069"

ISOLATES = dict.fromkeys(map(ord, (_ISOLATE, _POP)))
"""For `str.translate`: takes away what `printable` wraps a right-to-left text in."""


def printable(text: str) -> str:
    """`text` without control characters, surrogates and direction controls; line breaks become spaces.

    A text with right-to-left letters keeps them and is wrapped in a directional isolate (Unicode Standard
    Annex 9, 2023, section 2.4), so that it cannot reorder what stands beside it.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = "".join(" " if sign in _SPACES else sign for sign in text if sign in _SPACES or not _steers(sign))
    if any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in kept):
        return f"{_ISOLATE}{kept}{_POP}"
    return kept


def _steers(sign: str) -> bool:
    return (
        unicodedata.category(sign) in _STEERING
        or unicodedata.bidirectional(sign) in _BIDI_CONTROLS
        or sign in _BIDI_MARKS
    )
