"""A broken rule, before it is known on which line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jevbias.catalogue.keypath import KeyPath


@dataclass(frozen=True)
class Fault:
    """A rule that the value at `path` of a file breaks."""

    path: KeyPath
    message: str


def same_text(text: str) -> str:
    """What two texts have in common when a reader takes them for the same."""
    return unicodedata.normalize("NFC", " ".join(text.split()).casefold())


def repeated_texts(texts: Iterable[tuple[KeyPath, str]], message: str) -> Iterator[Fault]:
    """A fault for every text that an earlier one already says; `{}` in the message is the text."""
    seen: set[str] = set()
    for path, text in texts:
        if same_text(text) in seen:
            yield Fault(path, message.format(text))
        seen.add(same_text(text))


def named(values: Iterable[str]) -> str:
    """Names as a message lists them."""
    return ", ".join(values) or "none"
