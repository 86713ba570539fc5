"""A worked example: walking over a grid with walls to a goal, the shortest way found breadth first."""

from __future__ import annotations

from collections import deque
from typing import Any

from jevbias.collab.task import End
from jevbias.people.keyed import keyed_choice, keyed_int

MOVES = {"north": (-1, 0), "south": (1, 0), "west": (0, -1), "east": (0, 1)}
LEVELS = {"open": (4, 0.10, 2), "walls": (6, 0.25, 4), "maze": (8, 0.35, 7)}
"""Of each level: cells along a side, the share of walls, and the least length of the shortest way."""

Cell = tuple[int, int]


class GridNavigation:
    """Walk from a cell to a goal. A state holds the map, where the walker is, and where the goal is.

    An episode may take twice the shortest way and four steps more.
    """

    name = "grid"
    question = "Which way should the robot walk to reach the goal?"
    instructions = (
        "A robot walks over a grid to a goal. Rows are counted from north to south, columns from west to "
        "east, both from 0. In the map '#' is a wall, 'R' the robot, 'G' the goal. Each step is one of the "
        "actions north, south, west and east, and moves the robot by one cell. Walking into a wall or off "
        "the grid is not legal. Reach the goal in as few steps as you can."
    )
    difficulties = tuple(LEVELS)

    def initial_state(self, difficulty: str, seed: int) -> dict[str, Any]:
        """A map that is drawn again until its goal is at least as far away as the level says."""
        side, share, fewest = LEVELS[difficulty]
        cells = [(row, column) for row in range(side) for column in range(side)]
        for attempt in range(1_000):
            walls = {cell for cell in cells if keyed_int(seed, "wall", attempt, *cell) < share * 2**64}
            free = [cell for cell in cells if cell not in walls]
            if len(free) < 2:
                continue
            robot = keyed_choice(free, seed, "robot", attempt)
            goal = keyed_choice(free, seed, "goal", attempt)
            steps = shortest_way(side, walls, robot, goal)
            if steps is not None and steps >= fewest:
                return {
                    "side": side,
                    "walls": sorted(walls),
                    "robot": robot,
                    "goal": goal,
                    "shortest": steps,
                }
        raise RuntimeError("no map of this level can be drawn")

    def legal_actions(self, state: dict[str, Any]) -> dict[str, str]:
        """The directions in which the next cell is free."""
        return {
            name: f"walk {name}, to the {name} side"
            for name, step in MOVES.items()
            if _is_free(state, _after(state["robot"], step))
        }

    def apply(self, state: dict[str, Any], action: str) -> dict[str, Any]:
        """The robot one cell further."""
        return {**state, "robot": _after(state["robot"], MOVES[action])}

    def terminal(self, state: dict[str, Any]) -> End | None:
        """Success at the goal; there is no failure but running out of steps."""
        return "success" if state["robot"] == state["goal"] else None

    def optimal_steps(self, state: dict[str, Any]) -> int | None:
        """The length of the shortest way."""
        walls = {(row, column) for row, column in state["walls"]}
        (row, column), (goal_row, goal_column) = state["robot"], state["goal"]
        return shortest_way(state["side"], walls, (row, column), (goal_row, goal_column))

    def maximum_steps(self, state: dict[str, Any]) -> int:
        """Twice the shortest way and four more."""
        return 2 * int(state["shortest"]) + 4

    def describe(self, state: dict[str, Any]) -> dict[str, Any]:
        """The map and both places, and in words where the goal lies; not how far it is on foot."""
        return {
            "goal": f"the goal is to the {_direction(state['robot'], state['goal'])}",
            "robot_at": {"row": state["robot"][0], "column": state["robot"][1]},
            "goal_at": {"row": state["goal"][0], "column": state["goal"][1]},
            "map": _drawn(state),
        }


def shortest_way(side: int, walls: set[Cell], start: Cell, goal: Cell) -> int | None:
    """How many steps the shortest way takes, by breadth-first search; None where there is no way."""
    seen, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        if cell == goal:
            return seen[cell]
        for rows, columns in MOVES.values():
            beside = cell[0] + rows, cell[1] + columns
            inside = 0 <= beside[0] < side and 0 <= beside[1] < side
            if inside and beside not in walls and beside not in seen:
                seen[beside] = seen[cell] + 1
                queue.append(beside)
    return None


def _after(cell: list[int], step: Cell) -> list[int]:
    return [cell[0] + step[0], cell[1] + step[1]]


def _is_free(state: dict[str, Any], cell: list[int]) -> bool:
    return all(0 <= place < state["side"] for place in cell) and cell not in state["walls"]


def _direction(robot: list[int], goal: list[int]) -> str:
    rows, columns = goal[0] - robot[0], goal[1] - robot[1]
    words = ["north" if rows < 0 else "south"] * bool(rows) + ["west" if columns < 0 else "east"] * bool(
        columns
    )
    return " and ".join(words) or "here"


def _drawn(state: dict[str, Any]) -> list[str]:
    side = state["side"]
    rows = [["." for _ in range(side)] for _ in range(side)]
    for row, column in state["walls"]:
        rows[row][column] = "#"
    for sign, (row, column) in (("G", state["goal"]), ("R", state["robot"])):
        rows[row][column] = sign
    return ["".join(row) for row in rows]
