"""Which counts of tokens are kept."""

from __future__ import annotations

_LARGEST = 2**31 - 1
"""What an integer column of PostgreSQL holds."""


def kept_count(tokens: int | None) -> int | None:
    """A count that a server gave, or None for one that cannot be (negative) or that no column holds."""
    return tokens if tokens is not None and 0 <= tokens <= _LARGEST else None
