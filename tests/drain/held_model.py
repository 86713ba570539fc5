"""The mock, which answers no further than it is told: no run can outpace the test that interrupts it."""

from __future__ import annotations

import threading
from typing import Any

from jevbias.mock.model import MockModel


class HeldModel(MockModel):
    """Answers so many bodies as it is allowed, and then blocks the whole server for at most two minutes."""

    answered, allowed = 0, 0
    _moved = threading.Condition()

    def answer(self, body: bytes) -> dict[str, Any]:
        with self._moved:
            self._moved.wait_for(lambda: self.answered < self.allowed, 120)
            self.answered += 1
        return super().answer(body)

    def allow(self, answers: int) -> None:
        with self._moved:
            self.allowed = answers
            self._moved.notify_all()

    def has_answered(self, bodies: int) -> bool:
        return self.answered >= bodies
