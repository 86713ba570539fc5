"""What is known about a run besides its answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple, Protocol, TypeVar

from jevbias.store.tables import PROBE_STATUSES, Run

DEFAULT_THRESHOLD = 0.5
Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class RunFacts:
    """A run's declarations. Times are seconds since the epoch (UTC). `threshold` is the favourability from
    which a yes/no question counts as decided for the person.
    """

    name: str
    profile: str
    design: str
    driver: str
    model: str
    base_url: str
    seed: int
    margin: float
    alpha: float
    plan_hash: str
    catalogue_hash: str
    jevbias_version: str
    started_at: float | None = None
    finished_at: float | None = None
    threshold: float = DEFAULT_THRESHOLD

    @classmethod
    def of_run(cls, run: Run) -> RunFacts:
        """The facts of a stored run."""
        stored = {name: getattr(run, name) for name in cls.__dataclass_fields__ if name != "threshold"}
        return cls(**stored, threshold=run.settings.get("threshold", DEFAULT_THRESHOLD))


class PersonFacts(Protocol):
    """What the analysis needs of a person; `people.Person` and the stored rows have it."""

    @property
    def idx(self) -> int:
        """The person's number within the run."""

    @property
    def base(self) -> int | None:
        """The number of the anchor they belong to; None in a factorial run."""

    @property
    def is_anchor(self) -> bool:
        """Whether they are that anchor."""

    @property
    def swapped_attribute(self) -> str | None:
        """The attribute in which they differ from their anchor."""

    @property
    def swapped_level(self) -> str | None:
        """The level they have instead."""

    @property
    def levels(self) -> Mapping[str, str]:
        """Attribute: level, for every attribute of the person."""


class ProbeOutcome(NamedTuple):
    """What became of one probe, answers aside. `answered_at` is in seconds since the epoch (UTC)."""

    status: str = "answered"
    error_kind: str | None = None
    model_answered: str | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    answered_at: float | None = None


class OutcomeColumns(NamedTuple):
    """The same of many probes, field by field, one entry per probe."""

    status: Sequence[str]
    error_kind: Sequence[str | None]
    model_answered: Sequence[str | None]
    latency_ms: Sequence[float | None]
    input_tokens: Sequence[int | None]
    output_tokens: Sequence[int | None]
    cost: Sequence[float | None]
    answered_at: Sequence[float | None]


@dataclass(frozen=True)
class Outcomes:
    """What became of all probes. Sums are over the answered probes that said, None where none did."""

    by_status: Mapping[str, int]
    by_kind: Mapping[str, int]
    models_answered: tuple[str, ...]
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    mean_latency_ms: float | None
    without_tokens: int
    """Answered probes whose input tokens nobody said."""
    without_cost: int

    @property
    def planned(self) -> int:
        """All probes of the run."""
        return sum(self.by_status.values())

    @property
    def answered(self) -> int:
        """Probes with at least one usable answer."""
        return self.by_status["answered"]


def summarise_outcomes(outcomes: OutcomeColumns) -> Outcomes:
    """Count and sum the outcomes; their order does not matter."""
    statuses = Counter(outcomes.status)
    answered = [status == "answered" for status in outcomes.status]
    ended_without = [status in ("refused", "malformed", "failed") for status in outcomes.status]
    kinds = Counter(kind or "unknown" for kind in compress(outcomes.error_kind, ended_without))
    input_tokens = _said(outcomes.input_tokens, answered)
    output_tokens = _said(outcomes.output_tokens, answered)
    costs = _said(outcomes.cost, answered)
    latencies = _said(outcomes.latency_ms, answered)
    return Outcomes(
        by_status={status: statuses[status] for status in PROBE_STATUSES},
        by_kind=dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        models_answered=tuple(sorted(filter(None, set(compress(outcomes.model_answered, answered))))),
        input_tokens=sum(input_tokens) if input_tokens else None,
        output_tokens=sum(output_tokens) if output_tokens else None,
        cost=math.fsum(costs) if costs else None,
        mean_latency_ms=math.fsum(latencies) / len(latencies) if latencies else None,
        without_tokens=statuses["answered"] - len(input_tokens),
        without_cost=statuses["answered"] - len(costs),
    )


def _said(values: Sequence[Number | None], answered: Sequence[bool]) -> list[Number]:
    return [value for value in compress(values, answered) if value is not None]
