"""What everything done with a run's batches shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import Engine

from jevbias.drivers.base import Driver
from jevbias.drivers.openrouter_batches import OpenRouterBatches
from jevbias.store.clock import Clock


def _say_nothing(_line: str) -> None:
    pass


@dataclass(frozen=True)
class BatchContext:
    """A run, the provider of its batches, and the driver that renders its asks and reads its replies; `tell`
    gets one line at a time for the user.
    """

    engine: Engine
    run_id: int
    seed: int
    driver: Driver
    client: OpenRouterBatches
    tell: Callable[[str], None] = _say_nothing
    clock: Clock = field(default_factory=Clock)
