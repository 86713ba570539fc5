"""What a trace is made of: rows that join to a figure, and one pair or cell opened down to its answers.

Favourability, its differences and SDs are on [0, 1], at full precision; times are in seconds since the epoch
(UTC). Fields that are left out of the `repr` are for the analysis itself, and no part of the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Who:
    """A person: `idx` counts from 0 within the run, `swap` is `attribute=level`, None for anchors and for
    people of a factorial run.
    """

    idx: int
    base: int | None
    is_anchor: bool
    swap: str | None
    full_name: str

    @property
    def label(self) -> str:
        """Who they are, in a few words."""
        if self.base is None:
            return f"person {self.idx}"
        return f"anchor {self.base}" if self.is_anchor else f"{self.swap} of base {self.base}"


@dataclass(frozen=True)
class Pair:
    """A swap beside its anchor: cell means over the questions that enter, and what they add to delta.

    `swap_asks` and `anchor_asks` are the answers behind each; of a pooled pair the fewest behind any of its
    questions. Where there is no `difference`, `problem` says why, and the pair has no part in the delta.
    """

    base: int
    scenario: str
    variant: str
    swap: float | None
    anchor: float | None
    difference: float | None
    swap_asks: int
    anchor_asks: int
    weight: float
    contribution: float | None
    problem: str | None = None
    cells: tuple[int, int] = field(default=(-1, -1), repr=False)
    """The swap's and the anchor's place among the run's cells."""


@dataclass(frozen=True)
class QuestionOfPair:
    """One question of one pair; `enters` says whether it is part of the pair's difference."""

    question: str
    swap: float | None
    anchor: float | None
    difference: float | None
    enters: bool


@dataclass(frozen=True)
class CellRow:
    """One cell and the answers of it that enter a figure, with the probes that gave them."""

    who: str
    scenario: str
    variant: str
    condition: str
    mean: float
    sd: float | None
    values: tuple[float, ...]
    probes: tuple[int, ...]
    cell: int = field(default=-1, repr=False)
    """Its place among the run's cells."""


@dataclass(frozen=True)
class Listing:
    """Rows of one kind, those that matter most first; `sums` says in sentences how they make the figure."""

    title: str
    rows: tuple[Any, ...]
    sums: tuple[str, ...] = ()


@dataclass(frozen=True)
class GivenAnswer:
    """What one question of a probe came back as."""

    question: str
    kind: str
    value: float
    favourability: float
    confidence: float | None
    flags: str


@dataclass(frozen=True)
class Send:
    """One attempt of a probe. `as_rendered`: whether what was sent is the body that is shown; None where
    nobody knows what was sent. `response` is a reply that did not become the probe's.
    """

    number: int
    started_at: float
    outcome: str | None
    http_status: int | None
    body_sha256: str | None
    as_rendered: bool | None
    response: str | None = None


@dataclass(frozen=True)
class ProbeEvidence:
    """A probe with its sends and its answers; `response` is the reply as it came, where it was asked for."""

    probe: int
    replicate: int
    status: str
    error_kind: str | None
    error: str | None
    model_answered: str | None
    request_id: str | None
    answered_at: float | None
    latency_ms: float | None
    answers: tuple[GivenAnswer, ...]
    sends: tuple[Send, ...]
    response: str | None = None


@dataclass(frozen=True)
class OpenedCell:
    """A cell down to its answers: the body that the run's driver renders for it, and whether that was sent.

    `verified` says in a sentence whether the SHA-256 of the body is that of every request that was sent;
    `as_sent` is False where one differs and None where no request is known.
    """

    id: str
    run: str
    who: Who
    scenario: str
    variant: str
    condition: str
    body: str | None
    body_sha256: str | None
    as_sent: bool | None
    verified: str
    probes: tuple[ProbeEvidence, ...]


@dataclass(frozen=True)
class OpenedPair:
    """A pair down to its answers."""

    pair: Pair
    questions: tuple[QuestionOfPair, ...]
    swap: OpenedCell
    anchor: OpenedCell


@dataclass(frozen=True)
class Trace:
    """A figure of a report: the row it stands in, one line that says it, and what it is made of."""

    id: str
    run: str
    says: str
    row: dict[str, Any]
    listings: tuple[Listing, ...]
    pairs: tuple[Pair, ...] = field(default=(), repr=False)
    questions: dict[tuple[int, str], tuple[QuestionOfPair, ...]] = field(default_factory=dict, repr=False)
    """The questions of every pair, by base and scenario."""
    opened: OpenedPair | None = None
