"""JSON as servers and models write it, read without choosing between two values of one key."""

from __future__ import annotations

import json
import re

_OPEN_NUMBER = re.compile(r"-|\.|[eE][-+]?")
"""What of a number cannot be its end."""


class BrokenJson(ValueError):
    """Text that is no JSON, or that nests too deep to be read. `ends_early`: more of it may have made it
    JSON.
    """

    def __init__(self, *, ends_early: bool = False) -> None:
        super().__init__("the text ends too early" if ends_early else "the text is not JSON")
        self.ends_early = ends_early


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
    except json.JSONDecodeError as error:
        raise BrokenJson(ends_early=_ends_early(error)) from None
    except (ValueError, RecursionError):
        raise BrokenJson from None
    return content


def _ends_early(error: json.JSONDecodeError) -> bool:
    """Whether a decoder that read up to `pos` met the end of the text there, or inside of a string."""
    rest = error.doc[error.pos :].strip()
    inside = error.msg.startswith("Unterminated string") or (
        error.msg.startswith("Invalid \\") and len(rest) < len("\\uXXXX")
    )
    literal = any(word.startswith(rest) for word in ("true", "false", "null"))
    return not rest or inside or literal or _OPEN_NUMBER.fullmatch(rest) is not None


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    content = dict(pairs)
    if len(content) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                content[key] = REPEATED
            seen.add(key)
    return content
