"""How the analysis' sentences put lists into words."""

from __future__ import annotations

from collections.abc import Iterable


def count(number: int) -> str:
    """A whole number with thousands separated, as page and terminal write it."""
    return f"{number:,}"


def listed(items: Iterable[str], most: int = 6) -> str:
    """`a, b and c`; of more than `most`, the first and how many follow."""
    names = list(items)
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
