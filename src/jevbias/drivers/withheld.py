"""Keeping a key out of what a server says: some echo the header that it came in."""

from __future__ import annotations

import re
from base64 import b64encode

from pydantic import SecretStr

SHORTEST_KEY = 8
"""A shorter key (`x`, `none`, for a server that wants none) is not looked for: it is part of any text."""
WITHHELD = b"[key withheld]"
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class KeyFilter:
    """Blots a key out of bytes and text: as it is and inside of base64, each also where any of its characters
    is escaped as JSON (`\\u002b`, `\\/`, also JSON within JSON) or as a URL (`%2b`) writes it.
    """

    def __init__(self, key: SecretStr | None) -> None:
        secret = key.get_secret_value().encode() if key is not None else b""
        self._forms = _forms(secret) if len(secret) >= SHORTEST_KEY else ()
        self._escaped = re.compile(b"|".join(map(_escapable, self._forms)) or b"(?!)")

    def __call__(self, content: bytes) -> bytes:
        """The content without the key."""
        if self._forms and (b"\\" in content or b"%" in content):
            content = self._escaped.sub(WITHHELD, content)
        for form in self._forms:
            content = content.replace(form, WITHHELD)
        return content

    def text(self, content: str) -> str:
        """The text without the key."""
        return self(content.encode(errors="replace")).decode(errors="replace")


def _forms(key: bytes) -> tuple[bytes, ...]:
    """What the key looks like where it is echoed without escapes, longer forms first."""
    forms = {key}
    for before in range(3):
        encoded = b64encode(b"\0" * before + key)
        # Only the characters whose six bits are all of the key: those at its ends depend on its neighbours.
        inner = encoded[-(-8 * before // 6) : 8 * (before + len(key)) // 6]
        forms |= {inner, inner.translate(_URL_SAFE)}
    return tuple(sorted(forms, key=len, reverse=True))


def _escapable(form: bytes) -> bytes:
    """A pattern of the form in which each character may be escaped, by JSON up to three levels deep."""
    pattern = rb"(?:\\{1,8}u00(?i:%02x)|%%(?i:%02x)|\\{0,8}%s)"
    return b"".join(pattern % (char, char, re.escape(bytes([char]))) for char in form)
