"""Small tasks for the tests: a walk along a line, and ways to get a task wrong."""

from __future__ import annotations

import sys
from typing import Any

from jevbias.collab.task import End


class Line:
    """From a cell of a line to its right end; `short` is two steps away, `long` four."""

    name = "line"
    instructions = "Walk right to the end. The actions are left and right."
    question = "Which way leads to the end?"
    difficulties: Any = ("short", "long")

    def initial_state(self, difficulty: str, seed: int) -> Any:
        return {"at": 0, "end": 2 if difficulty == "short" else 4, "seed": seed % 7}

    def legal_actions(self, state: Any) -> Any:
        return {"right": "one cell to the right"} | ({"left": "one cell to the left"} if state["at"] else {})

    def apply(self, state: Any, action: str) -> Any:
        return {**state, "at": state["at"] + (1 if action == "right" else -1)}

    def terminal(self, state: Any) -> End | None:
        return "success" if state["at"] >= state["end"] else None

    def optimal_steps(self, state: Any) -> int | None:
        return int(state["end"] - state["at"])

    def maximum_steps(self, state: Any) -> int:
        return int(state["end"]) + 3


class Printing(Line):
    """Prints on the way."""

    def apply(self, state: Any, action: str) -> Any:
        sys.stdout.write("applied\n")
        return super().apply(state, action)


def broken(**members: Any) -> Any:
    """A line task with these members in place of its own."""
    return type("Broken", (Line,), members)()
