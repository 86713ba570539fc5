"""What a task is: a game of one player whose legal actions code can list at every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

End = Literal["success", "failure"]

MOST_ACTIONS = 255
"""Options that one choice of a decision model may have."""
MOST_STEPS = 10_000
MOST_STATE_BYTES = 200_000


class Task(Protocol):
    """A task for the bench, written by its user. Every method is a pure function of its arguments.

    A state is JSON. It comes back as JSON reads it: tuples are lists, keys are strings. Two members may be
    added: `question`, a string, what a decision model is asked at a step (default: which action is best now),
    and `describe(state)`, JSON, what models are shown of a state (default: all of it).
    """

    name: str
    """One to sixty printable characters."""
    instructions: str
    """What an LLM is told, once: the aim, the rules, the names of the actions. It is not told which of them
    are legal in a state."""

    @property
    def difficulties(self) -> Sequence[str]:
        """The levels, from the easiest to the hardest."""
        ...

    def initial_state(self, difficulty: str, seed: int) -> Any:
        """The state in which an episode of this level begins; the same seed gives the same."""
        ...

    def legal_actions(self, state: Any) -> Mapping[str, str]:
        """Each action that is legal in a state, with what it does in a few words; never empty before the end,
        255 at most.
        """
        ...

    def apply(self, state: Any, action: str) -> Any:
        """The state after a legal action."""
        ...

    def terminal(self, state: Any) -> End | None:
        """How the episode has ended in this state; None where it goes on."""
        ...

    def optimal_steps(self, state: Any) -> int | None:
        """The fewest steps from here to success; None where nobody knows."""
        ...

    def maximum_steps(self, state: Any) -> int:
        """How many steps an episode that begins in this state may take, 10,000 at most."""
        ...
