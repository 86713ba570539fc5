"""JSON as servers and models write it, read without choosing between two values of one key."""

from __future__ import annotations

import json


class BrokenJson(ValueError):
    """Text that is no JSON, or that nests too deep to be read."""


class Repeated:
    """Stands in place of a value whose key is in its object more than once: nobody knows which is meant."""


REPEATED = Repeated()


def read_json(text: bytes | str) -> object:
    """The value of a JSON text, with REPEATED under every key that an object has twice. Raises BrokenJson.

    NaN, infinities and half surrogate pairs pass, as the standard library lets them: who uses a value checks
    it.
    """
    try:
        content: object = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        raise BrokenJson from None
    return content


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content = dict(pairs)
    if len(content) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                content[key] = REPEATED
            seen.add(key)
    return content
