"""A reply's body as the server meant it, or the reason why it cannot be had."""

from __future__ import annotations

import zlib

MAX_BODY = 8_000_000
"""Bytes of a reply, unpacked; an answer to the largest question allowed has some 10,000."""


class BrokenBody(Exception):
    """A body that did not arrive whole (`kind` is `truncated`) or that nobody wants (`invalid`)."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def unpacked(raw: bytes, encoding: str, largest: int = MAX_BODY) -> bytes:
    """Undo the `Content-Encoding`: none or gzip. Raises BrokenBody, also for a gzip stream without its end,
    which HTTP libraries pass on as if it were whole, and for one that unpacks to more than `largest` bytes.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return raw
    if name not in ("gzip", "x-gzip"):
        # Not shortened here: half of an echoed key would not be known for one.
        raise BrokenBody("invalid", f"the reply is packed as '{encoding}', which was not asked for")
    content = b""
    while True:  # a gzip stream may have several members (RFC 1952, section 2.2)
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            content += unpacker.decompress(raw, largest + 1 - len(content))
        except zlib.error:
            raise BrokenBody("truncated", "the reply's gzip body is damaged") from None
        if len(content) > largest:
            raise too_large(largest)
        if not unpacker.eof:
            raise BrokenBody("truncated", "the reply's gzip body ends too early")
        raw = unpacker.unused_data
        if not raw:
            return content


def too_large(largest: int = MAX_BODY) -> BrokenBody:
    """What a body beyond what is wanted is."""
    return BrokenBody("invalid", f"the reply is larger than {largest // 1_000_000} MB")
