"""How a set of pairs looks in a terminal, and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jevbias.battery.near_duplicates import NEAR, NearDuplicates, near_duplicates
from jevbias.battery.pairs import PairSet, characters, words
from jevbias.errors import UsageError
from jevbias.publish.plain_text import printable

_MOST_SHOWN = 20


@dataclass(frozen=True)
class PairsView:
    """A set with the families that repeat each other."""

    pairs: PairSet
    near: NearDuplicates

    @classmethod
    def of(cls, pairs: PairSet) -> PairsView:
        """The set, looked through for families that repeat each other."""
        return cls(pairs, near_duplicates(pairs))

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """One axis a line; lengths are means of side with less side without."""
        return [
            {
                "axis": axis,
                "control": self.pairs.controls.get(axis),
                "pairs": len(own),
                "families": len({pair.family for pair in own}),
                "words": fmean(words(pair.with_feature) - words(pair.without_feature) for pair in own),
                "characters": fmean(
                    characters(pair.with_feature) - characters(pair.without_feature) for pair in own
                ),
            }
            for axis, own in self.pairs.by_axis.items()
        ]

    @property
    def text(self) -> RenderableType:
        """What the set holds, and what repeats."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("axis", no_wrap=True)
        for heading in ("families", "pairs", "words", "characters"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("control", no_wrap=True)
        for line in self.lines:
            table.add_row(
                Text(line["axis"]),
                f"{line['families']:,}",
                f"{line['pairs']:,}",
                f"{line['words']:+.1f}",
                f"{line['characters']:+.1f}",
                line["control"] or "",
            )
        return Group(table, Text(""), *(Text(line) for line in self._repeats()))

    def _repeats(self) -> list[str]:
        if not self.near:
            return [f"sound; no two families share {NEAR:.0%} of a text or more"]
        inflating = int(self.near.same_axis.sum())
        lines = [
            f"{_pairs_of_families(len(self.near))} nearly the same, {inflating:,} of them on one axis, "
            "where they inflate n:"
        ]
        for near in self.near.most_alike(_MOST_SHOWN):
            first, second = printable(near.first), printable(near.second)
            lines.append(f"  {first} and {second}: {near.what}, {near.similarity:.0%} alike")
        if len(self.near) > _MOST_SHOWN:
            lines.append(f"  and {len(self.near) - _MOST_SHOWN:,} more (--json lists them)")
        return lines


def _pairs_of_families(number: int) -> str:
    return "1 pair of families says" if number == 1 else f"{number:,} pairs of families say"


def pairs_json(view: PairsView) -> dict[str, Any]:
    """The same as JSON-ready data."""
    near = [
        {
            "first": found.first,
            "second": found.second,
            "what": found.what,
            "similarity": round(found.similarity, 6),
            "same_axis": found.same_axis,
            "clones": found.clones,
        }
        for found in view.near
    ]
    return {"source": view.pairs.source, "hash": view.pairs.hash, "axes": view.lines, "near_duplicates": near}


def shown_pairs(view: PairsView, wanted: str) -> RenderableType:
    """Pairs in full. Raises UsageError where there is no such axis or family."""
    axis, _, family = wanted.partition("/")
    found = [pair for pair in view.pairs.by_axis.get(axis, ()) if not family or pair.family == family]
    if not found:
        raise UsageError(
            f"--show: the set has no '{printable(wanted)}'; axes are {', '.join(view.pairs.by_axis)}"
        )
    blocks: list[RenderableType] = []
    for pair in found:
        blocks.append(Text(f"{pair.id}  ({pair.place})", style="bold"))
        for name, text in (
            ("prompt", pair.prompt),
            ("without", pair.without_feature),
            ("with", pair.with_feature),
        ):
            shown = "\n           ".join(printable(line) for line in text.split("\n"))
            blocks.append(Text(f"  {name:<8} {shown}"))
    return Group(*blocks)
