"""What others wrote is shown as text and steers nothing."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.publish.plain_text import printable


@given(st.text())
@settings(derandomize=True, deadline=None, max_examples=150)
def test_no_control_sign_and_no_unpaired_direction_sign_survives(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in shown)
    inside = shown[1:-1] if shown.startswith("\u2068") else shown
    assert not any(
        sign in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c" for sign in inside
    )
    shown.encode("utf-8")


def test_escape_sequences_lose_their_escape_and_line_breaks_become_spaces() -> None:
    assert printable("a\x1b[31mb\nc\td\u2028e\x00f\x9b1m") == "a[31mb c d ef1m"


def test_right_to_left_names_are_kept_and_isolated() -> None:
    assert printable("مهند") == "\u2068مهند\u2069"
    assert printable("Łukasz O’Neill-Đặng") == "Łukasz O’Neill-Đặng"


def test_markup_is_left_to_those_who_escape_it() -> None:
    assert printable("[/b] <b>&amp;") == "[/b] <b>&amp;"
