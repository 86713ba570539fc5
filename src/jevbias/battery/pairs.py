"""Matched pairs: two replies to one prompt that differ in one surface feature."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.models import Key, Strict, Text
from jevbias.errors import UsageError

Control = Literal["positive", "negative"]
"""What an axis is for: a real improvement that must score, or a meaningless edit that must not."""
Side = Literal["with", "without"]
SIDES: tuple[Side, Side] = ("without", "with")


class PairEntry(Strict):
    """One pair as a file gives it."""

    axis: Key | None = Field(None, description="the feature that the sides differ in, such as 'verbosity'")
    family: Text = Field(max_length=120, description="which prompt it was written for; counts as one")
    prompt: Text = Field(description="what both replies answer")
    with_feature: Text = Field(alias="with", description="the reply that has the feature")
    without_feature: Text = Field(alias="without", description="the reply that lacks it")
    keep: list[Text] = Field(
        default_factory=list, description="content control: words that both replies must contain"
    )
    control: Control | None = Field(None, description="positive: must score; negative: must not")


class PairFile(Strict):
    """A file of pairs; `axis`, `control` and `about` hold for all that say nothing else."""

    axis: Key | None = Field(None, description="the axis of every pair that names none")
    about: Text | None = Field(None, description="what the axis is, and how its sides were kept alike")
    control: Control | None = Field(None, description="positive: must score; negative: must not")
    pairs: list[PairEntry] = Field(min_length=1)


@dataclass(frozen=True)
class Pair:
    """One pair of a set; `number` counts from 1 within its axis and family, `place` is its file and line."""

    axis: str
    family: str
    number: int
    prompt: str
    with_feature: str
    without_feature: str
    keep: tuple[str, ...] = ()
    place: str = ""

    @property
    def id(self) -> str:
        """`axis/family/number`."""
        return f"{self.axis}/{self.family}/{self.number}"

    def text(self, side: Side) -> str:
        """The reply of one side."""
        return self.with_feature if side == "with" else self.without_feature

    @property
    def content(self) -> dict[str, Any]:
        """The pair as JSON-ready data; `Pair.from_content` reads it back."""
        return {
            "axis": self.axis,
            "family": self.family,
            "number": self.number,
            "prompt": self.prompt,
            "with": self.with_feature,
            "without": self.without_feature,
            "keep": list(self.keep),
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Pair:
        """The pair whose `content` this is."""
        return cls(
            axis=content["axis"],
            family=content["family"],
            number=content["number"],
            prompt=content["prompt"],
            with_feature=content["with"],
            without_feature=content["without"],
            keep=tuple(content["keep"]),
        )


@dataclass(frozen=True)
class PairSet:
    """The pairs of a battery in the order of their files; `source` is what a report calls the set."""

    pairs: tuple[Pair, ...]
    source: str
    controls: Mapping[str, Control] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def by_axis(self) -> dict[str, tuple[Pair, ...]]:
        """The pairs of each axis, axes in the order in which they first come."""
        found: dict[str, list[Pair]] = {}
        for pair in self.pairs:
            found.setdefault(pair.axis, []).append(pair)
        return {axis: tuple(pairs) for axis, pairs in found.items()}

    def narrowed(self, axes: Sequence[str] | None) -> PairSet:
        """What the set says of these axes alone (None: all). Raises UsageError for an axis that it does not
        have, and where none is named.
        """
        if axes is None:
            return self
        unknown = [axis for axis in axes if axis not in self.by_axis]
        if unknown or not axes:
            listed = ", ".join(self.by_axis)
            raise UsageError(
                f"--axes: the set has no axis '{unknown[0] if unknown else ''}'; it has {listed}"
            )
        return PairSet(
            tuple(pair for pair in self.pairs if pair.axis in set(axes)),
            self.source,
            {axis: control for axis, control in self.controls.items() if axis in axes},
            {axis: about for axis, about in self.about.items() if axis in axes},
        )

    @property
    def content(self) -> dict[str, Any]:
        """The set as JSON-ready data, whatever its file is called; `PairSet.from_content` reads it back."""
        return {
            "controls": dict(self.controls),
            "about": dict(self.about),
            "pairs": [pair.content for pair in self.pairs],
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any], source: str) -> PairSet:
        """The set whose `content` this is."""
        return cls(
            pairs=tuple(Pair.from_content(pair) for pair in content["pairs"]),
            source=source,
            controls=content["controls"],
            about=content["about"],
        )

    @cached_property
    def hash(self) -> str:
        """SHA-256 (hex) of the pairs and controls, whatever the files are called."""
        return canonical_hash([[pair.content for pair in self.pairs], dict(self.controls)])


_WORD = re.compile(r"\w+(?:['’\-]\w+)*")
_NUMBERED = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)


def words(text: str) -> int:
    """How many words a text has; bullets, the numbers of list items, marks and emoji are none."""
    return len(_WORD.findall(_NUMBERED.sub("", text)))


def characters(text: str) -> int:
    """How many characters a text has, white space included."""
    return len(text)


def plain(text: str) -> str:
    """What is left of a text for comparing it with others: its words in lower case, one space between; of a
    text without words, such as emoji, all signs.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORD.findall(folded) or folded.split())
