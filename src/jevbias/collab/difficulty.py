"""What a random policy achieves on an instance: how hard it is, told by nobody's declaration."""

from __future__ import annotations

from jevbias.catalogue.canonical import canonical_hash
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.people.keyed import keyed_choice

ROLLOUTS = 20
"""Random games for each instance."""
_CHECKED_STEPS = 200
"""Of the game that is played to know a task again: long enough, and never too slow for one call."""


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


def checked_game(task: CheckedTask, start: Start, seed: int) -> str:
    """The hash of a game of random legal actions on an instance: what was seen at each step, and done. Every
    call is made twice: raises TaskError where a method is no function of its arguments.
    """
    state = start.state
    seen: list[object] = []
    for step in range(min(start.most, _CHECKED_STEPS) + 1):
        place = f"a random game, {start.level} {start.number}, step {step + 1}"
        look = task.look_twice(state, place)
        seen.append([state.decode(), look.end, list(look.actions.items()), look.shown])
        if look.end is not None or step == min(start.most, _CHECKED_STEPS):
            break
        key = (start.level, start.number, "checked", step)
        state = task.apply_twice(state, keyed_choice(list(look.actions), seed, "rollout", *key), place)
    return canonical_hash(seen)
