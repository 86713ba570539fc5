"""What the parts of one drain share."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.drain.admission import Admission
from jevbias.drain.budget import Budget
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
    """Everything there is one of in a drain."""

    queue: ProbeQueue
    writer: StoreWriter
    keeper: LeaseKeeper
    driver: Driver
    options: DrainOptions
    halt: Halt
    tally: Tally
    view: ProgressView
    budget: Budget
    admission: Admission
