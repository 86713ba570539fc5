"""What is known about a run besides its answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from jevbias.store.tables import PROBE_STATUSES, Run

DEFAULT_THRESHOLD = 0.5


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


class ProbeOutcome(NamedTuple):
    """What became of one probe, answers aside."""

    status: str = "answered"
    error_kind: str | None = None
    model_answered: str | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


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


def summarise_outcomes(outcomes: Iterable[ProbeOutcome]) -> Outcomes:
    """Count and sum the outcomes; their order does not matter."""
    outcomes = list(outcomes)
    statuses = Counter(outcome.status for outcome in outcomes)
    ended_without = [o for o in outcomes if o.status in ("refused", "malformed", "failed")]
    kinds = Counter(o.error_kind or "unknown" for o in ended_without)
    answered = [o for o in outcomes if o.status == "answered"]
    input_tokens = [o.input_tokens for o in answered if o.input_tokens is not None]
    output_tokens = [o.output_tokens for o in answered if o.output_tokens is not None]
    costs = [o.cost for o in answered if o.cost is not None]
    latencies = [o.latency_ms for o in answered if o.latency_ms is not None]
    return Outcomes(
        by_status={status: statuses[status] for status in PROBE_STATUSES},
        by_kind=dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        models_answered=tuple(sorted({o.model_answered for o in answered if o.model_answered})),
        input_tokens=sum(input_tokens) if input_tokens else None,
        output_tokens=sum(output_tokens) if output_tokens else None,
        cost=math.fsum(costs) if costs else None,
        mean_latency_ms=math.fsum(latencies) / len(latencies) if latencies else None,
        without_tokens=len(answered) - len(input_tokens),
        without_cost=len(answered) - len(costs),
    )


def iso_time(seconds: float | None) -> str | None:
    """A time in seconds since the epoch as ISO 8601, UTC, to the second."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
