"""How a payload and the diff of two payloads look in a terminal."""

from __future__ import annotations

import difflib
import json
from typing import Any

from rich.text import Text


def pretty_body(body: bytes) -> str:
    """The body's JSON, indented, with the order and the characters that are sent.

    What a chat body's messages say stands below it, line by line, with the JSON among the lines indented too.
    """
    content = json.loads(body)
    messages = content.get("messages", [])
    laid_out = [f"\n{message['role']} message:\n{_laid_out(_take_text(message))}" for message in messages]
    return "\n".join([json.dumps(content, ensure_ascii=False, indent=2), *laid_out])


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


def _take_text(message: dict[str, Any]) -> str:
    """The text of a message, which is left with a mark in its place."""
    holder, key = message, "content"
    if not isinstance(message["content"], str):
        holder, key = message["content"][0], "text"
    text: str = holder[key]
    holder[key] = f"(the {message['role']} message below)"
    return text


def _laid_out(text: str) -> str:
    return "\n".join(_indented(line) if line.startswith("{") else line for line in text.split("\n"))


def _indented(line: str) -> str:
    try:
        return json.dumps(json.loads(line), ensure_ascii=False, indent=2)
    except ValueError:
        return line


def _style(line: str) -> str:
    if line.startswith(("---", "+++")):
        return "bold"
    return {"-": "red", "+": "green", "@": "cyan"}.get(line[:1], "")
