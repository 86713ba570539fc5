"""What a random policy achieves on an instance: how hard it is, told by nobody's declaration."""

from __future__ import annotations

from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.people.keyed import keyed_choice

ROLLOUTS = 20
"""Random games for each instance."""


def plays_well(task: CheckedTask, start: Start, seed: int, rollout: int) -> bool:
    """Whether a game of random legal actions on an instance succeeds within its steps; `rollout` numbers the
    games of an instance.
    """
    state = start.state
    for step in range(start.most + 1):
        place = f"a random game, {start.level} {start.number}, step {step + 1}"
        look = task.look(state, place, to_show=False)
        if look.end is not None:
            return look.end == "success"
        if step == start.most:
            return False
        key = (start.level, start.number, rollout, step)
        state = task.apply(state, keyed_choice(list(look.actions), seed, "rollout", *key), place)
    return False
