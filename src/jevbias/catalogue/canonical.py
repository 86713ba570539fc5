"""One way to turn content into bytes, and bytes into a hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(content: Any) -> bytes:
    """UTF-8 JSON without white space, keys in the order given (a payload's order is part of its content).

    Raises ValueError for NaN and infinities, UnicodeEncodeError for a lone surrogate.
    """
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def canonical_hash(content: Any) -> str:
    """SHA-256 of `canonical_json(content)`, in hex."""
    return hashlib.sha256(canonical_json(content)).hexdigest()
