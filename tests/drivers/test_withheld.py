"""A key is blotted out of whatever echoes it, in the forms in which programs write text into text."""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from jevbias.drivers.withheld import SHORTEST_KEY, WITHHELD, KeyFilter
from tests.drivers.loopback import ask_once, http_reply

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=SHORTEST_KEY, max_size=60)
AROUND = st.binary(max_size=20)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(key=KEYS, before=AROUND, behind=AROUND)
def test_a_key_is_blotted_out_whatever_stands_around_it(key: str, before: bytes, behind: bytes) -> None:
    blot = KeyFilter(SecretStr(key))
    assert key.encode() not in blot(before + key.encode() + behind)
    percent = quote(key, safe="")
    lower = re.sub("%..", lambda escape: escape[0].lower(), percent)
    escapes = "".join(f"\\u{ord(char):04x}" for char in key)
    some = "".join(f"\\u{ord(char):04X}" if place % 2 else char for place, char in enumerate(key))
    nested = json.dumps(escapes)[1:-1]
    for echoed in (percent, lower, key.replace("/", "\\/"), escapes, some, nested):
        assert blot.text(f"«{echoed}»") == f"«{WITHHELD.decode()}»"


@settings(derandomize=True, deadline=None, max_examples=80)
@given(key=KEYS, before=AROUND, behind=AROUND)
def test_inside_of_base64_too_little_of_a_key_is_left_to_use_it(
    key: str, before: bytes, behind: bytes
) -> None:
    blot = KeyFilter(SecretStr(key))
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(before + key.encode() + behind)
        blotted = blot(encoded)
        assert WITHHELD in blotted
        left = [part for part in blotted.split(WITHHELD) if part]
        assert sum(map(len, left)) <= len(encoded) - (8 * len(key) // 6 - 1)


def test_what_does_not_hold_the_key_stays_as_it_is() -> None:
    blot = KeyFilter(SecretStr("sk-or-v1-0123456789abcdef"))
    content = json.dumps({"note": "sk-or-v1-0123456789abcdee", "other": "Ọlá"}).encode()
    assert blot(content) == content


@pytest.mark.parametrize("key", [None, "", "x", "none", "1234567"])
def test_a_key_that_is_part_of_any_text_is_not_looked_for(key: str | None) -> None:
    blot = KeyFilter(None if key is None else SecretStr(key))
    assert blot(b"x none 1234567") == b"x none 1234567"


LONG = "sk-proj-" + "0123456789abcdef" * 8


@pytest.mark.parametrize("header", ["Content-Encoding", "X-Request-Id", "Location", "Retry-After"])
def test_a_key_in_a_header_is_not_cut_in_half_before_it_is_known(header: str) -> None:
    reply, _ = ask_once(http_reply(200, b"{}", f"{header}: Bearer {LONG}"), key=LONG)
    assert LONG[8:24] not in repr(reply)


@pytest.mark.parametrize("head", ["HTTP/1.1 401 Bearer {key}", "HTTP/1.1 200 OK\r\nbroken {key}", "{key}"])
def test_a_key_in_a_reply_that_breaks_the_rules_of_http_is_blotted_out(head: str) -> None:
    broken = (head.format(key=LONG) + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}").encode()
    reply, _ = ask_once(broken, key=LONG)
    assert LONG[8:24] not in repr(reply)
