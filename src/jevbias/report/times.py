"""Times as reports write them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso_time(seconds: float | None) -> str | None:
    """A time in seconds since the epoch as ISO 8601, UTC, to the second."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
