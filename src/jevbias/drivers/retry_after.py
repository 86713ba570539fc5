"""How long a server asks to be left alone."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The hint in seconds, at least 0, or None where there is no readable one.

    `retry-after-ms` comes before `Retry-After`, which is seconds or an HTTP date (RFC 9110, section 10.2.3);
    a date in the past means now. `headers` must find its keys in lower case.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    hint = headers.get("retry-after")
    seconds = _seconds(hint)
    return _until(hint) if seconds is None else seconds


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - time.time())
