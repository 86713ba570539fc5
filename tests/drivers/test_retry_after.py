"""The server's hint: `retry-after-ms`, then seconds, then a date."""

from __future__ import annotations

import time
from email.utils import format_datetime, formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drivers.retry_after import retry_after_seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e400"}, None),
        ({"retry-after-ms": "1500", "retry-after": "3600"}, 1.5),
        ({"retry-after-ms": "later", "retry-after": "3600"}, 3600.0),
        ({"retry-after-ms": "-1", "retry-after": "2"}, 2.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, 0.0),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_hints(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers) == seconds


def test_a_date_to_come_is_the_time_until_then() -> None:
    hint = retry_after_seconds({"retry-after": formatdate(time.time() + 90, usegmt=True)})
    assert hint is not None
    assert 85 < hint <= 90


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.datetimes())
def test_any_date_is_a_wait_of_at_least_nothing(moment) -> None:  # type: ignore[no-untyped-def]
    hint = retry_after_seconds({"retry-after": format_datetime(moment)})
    assert hint is None or hint >= 0


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms"]), st.text(max_size=40)))
def test_no_header_raises(headers: dict[str, str]) -> None:
    hint = retry_after_seconds(headers)
    assert hint is None or 0 <= hint < float("inf")
