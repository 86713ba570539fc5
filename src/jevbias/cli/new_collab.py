"""What the command line says about a new collaboration bench."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from jevbias.collab.models import WantedLlm
from jevbias.drivers.failures import one_line
from jevbias.errors import UsageError


@dataclass(frozen=True)
class NewCollab:
    """What the command line says about a new bench; `arms` None: the usual ones, `name` None: one is made."""

    task: str
    llm: WantedLlm
    arms: list[str] | None
    name: str | None
    episodes: int = 30
    threshold: float = 0.6
    escalations: int = 1
    proposals: int = 3

    def check(self) -> None:
        """Raises UsageError for a threshold that is none."""
        if not 0 < self.threshold <= 1:
            raise UsageError(
                f"--threshold: {self.threshold:g} is not allowed; give a number above 0, up to 1"
            )

    def told(self, **numbers: float | None) -> NewCollab:
        """The same with these numbers, of which those that are None stay as they are."""
        given = {name: number for name, number in numbers.items() if number is not None}
        return replace(self, **given)  # type: ignore[arg-type]


def read_price(text: str) -> tuple[float, float]:
    """US dollars per million tokens, in and out, from `IN,OUT`. Raises UsageError."""
    parts = text.split(",")
    try:
        prices = [float(part) for part in parts]
    except ValueError:
        prices = []
    if len(prices) != 2 or not all(math.isfinite(price) and price >= 0 for price in prices):
        raise UsageError(
            f"--llm-price: '{one_line(text, 40)}' is not IN,OUT in US dollars per million tokens, such as "
            "0.5,1.5"
        )
    return prices[0], prices[1]
