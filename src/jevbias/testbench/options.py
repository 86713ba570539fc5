"""What a run of the test bench asks; stored with the run, so that it goes on with the same requests."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from jevbias.catalogue.lookup import USUAL_SCENARIO

Part = Literal["determinism", "latency", "context", "semantics", "concurrency"]
PARTS: tuple[Part, ...] = get_args(Part)
OPTIONS, CASES = "testbench", "cases"
"""Where a run's settings keep the options, and the cases of the scenario."""


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DeterminismOptions(_Options):
    """So many identical requests in a burst, `at_once` in flight, and as many scattered over `minutes`; with
    0 minutes there is only the burst.
    """

    repeats: int = Field(30, ge=2, le=100_000)
    minutes: float = Field(5.0, ge=0, le=24 * 60)
    at_once: int = Field(10, ge=1, le=512)

    @property
    def requests(self) -> int:
        """How many in all."""
        return self.repeats * (2 if self.minutes else 1)


class LatencyOptions(_Options):
    """So many calls of each size, in words of the state; the smallest is about 15 tokens."""

    repeats: int = Field(20, ge=1, le=10_000)
    words: tuple[Annotated[int, Field(ge=12, le=1_000_000)], ...] = (12, 200, 2_000, 10_000)


class ContextOptions(_Options):
    """The largest request to try and the most that all of them together may send, in input tokens.

    The search ends where the sizes that worked and failed are within `precision` of each other. A fact is
    looked for with so many pairs of requests.
    """

    largest: int = Field(150_000, ge=500, le=100_000_000)
    max_tokens: int = Field(4_000_000, ge=500)
    precision: float = Field(0.01, gt=0, le=0.5)
    repeats: int = Field(3, ge=2, le=100)


class SemanticsOptions(_Options):
    """So many cases of one scenario of the catalogue, with `at_once` calls in flight."""

    scenario: str = USUAL_SCENARIO
    cases: int = Field(12, ge=3, le=1_000)
    at_once: int = Field(4, ge=1, le=512)


class ConcurrencyOptions(_Options):
    """Bursts of these sizes, each so often, with `pause` seconds between two."""

    bursts: tuple[Annotated[int, Field(ge=1, le=512)], ...] = (1, 5, 10, 20, 40)
    repeats: int = Field(1, ge=1, le=1_000)
    pause: float = Field(2.0, ge=0, le=3_600)


class BenchOptions(_Options):
    """Which parts to ask, in this order, and how."""

    parts: tuple[Part, ...] = PARTS
    determinism: DeterminismOptions = DeterminismOptions()
    latency: LatencyOptions = LatencyOptions()
    context: ContextOptions = ContextOptions()
    semantics: SemanticsOptions = SemanticsOptions()
    concurrency: ConcurrencyOptions = ConcurrencyOptions()

    @property
    def connections(self) -> int:
        """How many requests are in flight at a time, at most."""
        most = [1]
        if "determinism" in self.parts:
            most.append(self.determinism.at_once)
        if "semantics" in self.parts:
            most.append(self.semantics.at_once)
        if "concurrency" in self.parts:
            most.extend(self.concurrency.bursts)
        return max(most)
