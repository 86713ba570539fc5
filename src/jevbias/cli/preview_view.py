"""How a payload and the diff of two payloads look in a terminal."""

from __future__ import annotations

import difflib
import json

from rich.text import Text


def pretty_body(body: bytes) -> str:
    """The body's JSON, indented, with the order and the characters that are sent."""
    return json.dumps(json.loads(body), ensure_ascii=False, indent=2)


def diff_text(anchor: bytes, swap: bytes, anchor_label: str, swap_label: str) -> Text:
    """A unified diff of two bodies, indented one value to a line; removed red, added green."""
    lines = difflib.unified_diff(
        pretty_body(anchor).splitlines(),
        pretty_body(swap).splitlines(),
        anchor_label,
        swap_label,
        lineterm="",
        n=2,
    )
    text = Text()
    for line in lines:
        text.append(line + "\n", style=_style(line))
    if not text:
        text.append("no difference: this condition does not show the swap, so the comparison is a control\n")
    text.rstrip()
    return text


def _style(line: str) -> str:
    if line.startswith(("---", "+++")):
        return "bold"
    return {"-": "red", "+": "green", "@": "cyan"}.get(line[:1], "")
