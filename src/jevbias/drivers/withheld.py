"""Keeping a key out of what a server says: some echo the header that it came in."""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import quote

from pydantic import SecretStr

SHORTEST_KEY = 8
"""A shorter key (`x`, `none`, for a server that wants none) is not looked for: it is part of any text."""
WITHHELD = b"[key withheld]"
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class KeyFilter:
    """Blots a key out of bytes and text: as it is, percent-encoded, with its slashes escaped as some write
    JSON, and inside of base64.
    """

    def __init__(self, key: SecretStr | None) -> None:
        secret = key.get_secret_value().encode() if key is not None else b""
        self._forms = _forms(secret) if len(secret) >= SHORTEST_KEY else ()

    def __call__(self, content: bytes) -> bytes:
        """The content without the key."""
        for form in self._forms:
            content = content.replace(form, WITHHELD)
        return content

    def text(self, content: str) -> str:
        """The text without the key."""
        return self(content.encode(errors="replace")).decode(errors="replace")


def _forms(key: bytes) -> tuple[bytes, ...]:
    """What the key looks like where it is echoed, longer forms first."""
    percent = quote(key, safe="").encode()
    lower = re.sub(rb"%..", lambda escape: escape[0].lower(), percent)
    forms = {key, percent, lower, key.replace(b"/", b"\\/")}
    for before in range(3):
        encoded = b64encode(b"\0" * before + key)
        # Only the characters whose six bits are all of the key: those at its ends depend on its neighbours.
        inner = encoded[-(-8 * before // 6) : 8 * (before + len(key)) // 6]
        forms |= {inner, inner.translate(_URL_SAFE)}
    return tuple(sorted(forms, key=len, reverse=True))
