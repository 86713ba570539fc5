"""Where something stands in a YAML file, and how a message shows it."""

from __future__ import annotations

from typing import TypeAlias

YamlValue: TypeAlias = "bool | int | float | str | list[YamlValue] | dict[str, YamlValue] | None"
"""What a file may hold."""

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys of mappings and positions in lists, outermost first; () is the whole file."""


def dotted(path: KeyPath) -> str:
    """A path as people write it: `questions.advance.criteria[2]`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{one_line(part)}" for part in path]
    return "".join(parts).removeprefix(".")


def one_line(text: str, limit: int = 60) -> str:
    """A value of a file fit for a message: one line, no control characters, cut at `limit`."""
    plain = "".join(ch if ch.isprintable() else " " for ch in " ".join(text.split()))
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def child(data: YamlValue, part: str | int) -> YamlValue:
    """What is inside `data` under a key or at an index; None where nothing is."""
    if isinstance(data, dict) and isinstance(part, str):
        return data.get(part)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return None
