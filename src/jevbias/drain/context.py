"""What the parts of one drain share."""

from __future__ import annotations

from dataclasses import dataclass

from aiolimiter import AsyncLimiter

from jevbias.drain.halt import Halt
from jevbias.drain.keeper import LeaseKeeper
from jevbias.drain.options import DrainOptions
from jevbias.drain.progress import ProgressView
from jevbias.drain.tally import Tally
from jevbias.drivers.base import Driver
from jevbias.store.queue import ProbeQueue
from jevbias.store.writer import StoreWriter


@dataclass(frozen=True)
class DrainContext:
    """Everything there is one of in a drain; `limiter` is None where no rate was asked for."""

    queue: ProbeQueue
    writer: StoreWriter
    keeper: LeaseKeeper
    driver: Driver
    options: DrainOptions
    halt: Halt
    tally: Tally
    view: ProgressView
    limiter: AsyncLimiter | None
