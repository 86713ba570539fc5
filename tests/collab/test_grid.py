"""The worked example: the way that is called shortest is one, and none is shorter."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.grid import LEVELS, MOVES, GridNavigation, shortest_way
from jevbias.people.keyed import keyed_choice


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(LEVELS)), st.integers(0, 2**63 - 1))
def test_following_the_best_action_takes_as_many_steps_as_were_said(level: str, seed: int) -> None:
    task = CheckedTask(GridNavigation())
    start = task.start(seed, level, 0)
    assert start.optimal is not None
    assert start.optimal >= LEVELS[level][2]
    state = start.state
    for left in range(start.optimal, 0, -1):
        look = task.look(state, "here")
        assert look.end is None
        after = {action: task.apply(state, action, "here") for action in look.actions}
        steps = {action: task.optimal_steps(found, "here") for action, found in after.items()}
        assert min(found for found in steps.values() if found is not None) == left - 1
        state = after[min(steps, key=lambda action: steps[action] or 0)]
    assert task.look(state, "here").end == "success"


@settings(max_examples=100, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=10))
def test_the_shortest_way_is_that_of_trying_everything(walls: set[tuple[int, int]]) -> None:
    def reached(steps: int) -> set[tuple[int, int]]:
        cells = {(0, 0)}
        for _ in range(steps):
            beside = {(r + dr, c + dc) for r, c in cells for dr, dc in MOVES.values()}
            cells = {cell for cell in beside if all(0 <= x < 4 for x in cell) and cell not in walls}
        return cells

    walls -= {(0, 0)}
    found = shortest_way(4, walls, (0, 0), (3, 3))
    expected = next((steps for steps in range(17) if (3, 3) in reached(steps)), None)
    assert found == expected


def test_what_models_are_shown_holds_neither_the_steps_left_nor_the_seed() -> None:
    task = CheckedTask(GridNavigation())
    shown = task.look(task.start(5, "maze", 3).state, "here").shown
    assert set(shown) == {"goal", "robot_at", "goal_at", "map"}


def test_random_walks_stay_on_the_grid() -> None:
    task = CheckedTask(GridNavigation())
    start = task.start(7, "walls", 0)
    state = start.state
    for step in range(40):
        look = task.look(state, "here")
        if look.end:
            break
        state = task.apply(state, keyed_choice(list(look.actions), 1, step), "here")
