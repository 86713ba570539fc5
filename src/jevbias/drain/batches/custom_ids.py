"""The names of requests in a batch: they say which batch, which probe and which attempt a result is for."""

from __future__ import annotations

import re

from jevbias.store.outcomes import Lease

_KEY_LENGTH = 24
_FORM = re.compile(r"jevbias-([0-9a-f]{24})-([1-9][0-9]{0,17})-([1-9][0-9]{0,8})")


def batch_key(content_hash: str) -> str:
    """What the names of all requests of a batch have in common, and no other batch's of any database."""
    return content_hash[:_KEY_LENGTH]


def custom_id(content_hash: str, lease: Lease) -> str:
    """The name of one attempt's request."""
    return f"jevbias-{batch_key(content_hash)}-{lease.probe_id}-{lease.attempt}"


def read_custom_id(text: str) -> tuple[str, Lease] | None:
    """The batch's key and the attempt that a name stands for; None for a name that is not of ours."""
    found = _FORM.fullmatch(text)
    return None if found is None else (found[1], Lease(int(found[2]), int(found[3])))
