"""A user's task, every call of it checked: what it does wrong becomes one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from jevbias.catalogue.canonical import canonical_json
from jevbias.collab.checked_values import LONGEST_ACTION, as_shown, checked_text, plain_text
from jevbias.collab.foreign_errors import described, is_users_interrupt
from jevbias.collab.task import MOST_ACTIONS, MOST_STATE_BYTES, MOST_STEPS, End, Task
from jevbias.collab.watch import Watch
from jevbias.drivers.failures import one_line
from jevbias.errors import TaskError
from jevbias.people.keyed import keyed_int

_METHODS = ("initial_state", "legal_actions", "apply", "terminal", "optimal_steps", "maximum_steps")
UNREADABLE = "(no action)"
"""Stands in place of an action where none could be read; no action of a task has this name."""
_LONGEST_NAME = 60
_LONGEST_MEANING = 500
_MOST_KNOWN = 10_000
"""Actions that are remembered as checked."""
_DEFAULT_QUESTION = "Which action is best now?"


@dataclass(frozen=True)
class Start:
    """How an episode begins, the same for every arm. `state` is canonical JSON; `optimal` the fewest steps to
    success, None where nobody knows; `most` how many there may be.
    """

    level: str
    number: int
    state: bytes
    optimal: int | None
    most: int


@dataclass(frozen=True)
class Look:
    """A state as code sees it: how the episode has ended, or its legal actions with what they do."""

    end: End | None
    actions: Mapping[str, str]
    shown: Any
    """What models are shown of it."""


class CheckedTask:
    """Calls a task with copies of what it is given, and believes nothing of what it returns.

    Raises TaskError, here and in every method, that names the task, the call and what is wrong with it.
    """

    def __init__(self, task: Task, watch: Watch | None = None) -> None:
        self._task, self._watch = task, watch or Watch()
        self._known: set[tuple[str, str]] = set()
        self.name = one_line(type(task).__name__, _LONGEST_NAME)
        missing = [name for name in _METHODS if not callable(self._member(name))]
        if missing:
            raise TaskError(f"{self._who}: has no method {missing[0]}(); see docs/collab.md")
        self.name = checked_text(self._member("name"), f"{self._who}: name", _LONGEST_NAME)
        self.instructions = checked_text(self._member("instructions"), f"{self._who}: instructions", 20_000)
        self.question = checked_text(
            self._member("question", _DEFAULT_QUESTION), f"{self._who}: question", 2_000
        )
        self.levels = self._levels()
        self._describes = callable(self._member("describe"))

    def start(self, seed: int, level: str, number: int) -> Start:
        """The beginning of an episode; it must not have ended yet, and be the same when asked again."""
        place = f"the start of {level} {number}"
        drawn = keyed_int(seed, "collab", "episode", level, number) >> 1
        state = self._state("initial_state", place, lambda: self._task.initial_state(level, drawn))
        again = self._state("initial_state", place, lambda: self._task.initial_state(level, drawn))
        if state != again:
            raise TaskError(f"{self._who}: initial_state(), {place}: the same seed gave another state")
        if self.look(state, place).end is not None:
            raise TaskError(f"{self._who}: terminal(), {place}: the episode has ended before its first step")
        most = self._call("maximum_steps", place, lambda: self._task.maximum_steps(_copy(state)))
        if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= MOST_STEPS:
            raise TaskError(
                f"{self._who}: maximum_steps(), {place}: {as_shown(most)} is not from 1 to {MOST_STEPS:,}"
            )
        optimal = self.optimal_steps(state, place)
        if optimal is not None and not 1 <= optimal <= most:
            raise TaskError(
                f"{self._who}: optimal_steps(), {place}: {optimal} is not from 1 to its maximum of {most}"
            )
        return Start(level, number, state, optimal, most)

    def look(self, state: bytes, place: str, *, to_show: bool = True) -> Look:
        """The legal actions of a state, or how the episode has ended in it; `to_show`: what models are shown
        of it too, else nothing is.
        """
        end = plain_text(self._call("terminal", place, lambda: self._task.terminal(_copy(state))))
        if end is not None and not (isinstance(end, str) and end in ("success", "failure")):
            raise TaskError(
                f"{self._who}: terminal(), {place}: {as_shown(end)} is none of 'success', 'failure' and None"
            )
        actions = {} if end is not None else self._actions(state, place)
        if not to_show:
            return Look(cast("End | None", end), actions, None)
        shown = _copy(state)
        if self._describes:
            told = self._state("describe", place, lambda: cast(Any, self._task).describe(_copy(state)))
            shown = _copy(told)
        return Look(cast("End | None", end), actions, shown)

    def look_twice(self, state: bytes, place: str) -> Look:
        """As `look`, and raises TaskError where a second look sees something else."""
        look, again = self.look(state, place), self.look(state, place)
        seen = (
            ("terminal", look.end, again.end),
            ("legal_actions", list(look.actions.items()), list(again.actions.items())),
            ("describe", look.shown, again.shown),
        )
        for method, first, second in seen:
            if first != second:
                raise self._differs(method, place)
        return look

    def apply_twice(self, state: bytes, action: str, place: str) -> bytes:
        """As `apply`, and raises TaskError where it comes to another state the second time."""
        after = self.apply(state, action, place)
        if after != self.apply(state, action, place):
            raise self._differs("apply", place)
        return after

    def _differs(self, method: str, place: str) -> TaskError:
        return TaskError(
            f"{self._who}: {method}(), {place}: the same arguments gave something else the second time; "
            "every method has to be a pure function"
        )

    def apply(self, state: bytes, action: str, place: str) -> bytes:
        """The state after a legal action."""
        return self._state("apply", place, lambda: self._task.apply(_copy(state), action))

    def optimal_steps(self, state: bytes, place: str) -> int | None:
        """The fewest steps from a state to success; None where nobody knows."""
        steps = self._call("optimal_steps", place, lambda: self._task.optimal_steps(_copy(state)))
        if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or steps < 0):
            raise TaskError(f"{self._who}: optimal_steps(), {place}: {as_shown(steps)} is no number of steps")
        return steps

    def check_efficiency(self, start: Start, steps: int) -> None:
        """Raises TaskError where an arm succeeded in fewer steps than the task calls optimal."""
        if start.optimal is not None and steps < start.optimal:
            raise TaskError(
                f"{self._who}: optimal_steps(), the start of {start.level} {start.number}: it says "
                f"{start.optimal}, and an arm succeeded in {steps}"
            )

    @property
    def _who(self) -> str:
        return f"task {self.name}"

    def _member(self, name: str, default: object = None) -> Any:
        return self._checked(name, lambda: getattr(self._task, name, default))

    def _levels(self) -> tuple[str, ...]:
        levels = self._member("difficulties")
        if isinstance(levels, Sequence) and not isinstance(levels, str):
            levels = self._checked("difficulties", lambda: list(levels))
        if isinstance(levels, str) or not isinstance(levels, Sequence) or not levels:
            raise TaskError(f"{self._who}: difficulties: {as_shown(levels)} is no list of levels")
        names = tuple(checked_text(level, f"{self._who}: difficulties", _LONGEST_NAME) for level in levels)
        if "/" in "".join(names) or len(set(names)) < len(names):
            raise TaskError(f"{self._who}: difficulties: levels differ from each other and hold no '/'")
        return names

    def _actions(self, state: bytes, place: str) -> dict[str, str]:
        def listed() -> object:
            found = self._task.legal_actions(_copy(state))
            if not isinstance(found, Mapping):
                return found
            return {plain_text(name): plain_text(meaning) for name, meaning in found.items()}

        actions = self._call("legal_actions", place, listed)
        said = f"{self._who}: legal_actions(), {place}:"
        if not isinstance(actions, dict):
            raise TaskError(f"{said} {as_shown(actions)} is no mapping of actions to what they do")
        if not actions:
            raise TaskError(f"{said} there is none, and terminal() says that the episode goes on")
        if len(actions) > MOST_ACTIONS:
            raise TaskError(
                f"{said} {len(actions):,} are more than the {MOST_ACTIONS} that can be chosen from"
            )
        for name, meaning in actions.items():
            if isinstance(name, str) and isinstance(meaning, str) and (name, meaning) in self._known:
                continue
            checked_text(name, f"{said} the name of an action", LONGEST_ACTION)
            if one_line(name, LONGEST_ACTION) != name or name == UNREADABLE:
                raise TaskError(
                    f"{said} the name of an action: {as_shown(name)} cannot be told from another text"
                )
            checked_text(meaning, f"{said} what '{name}' does", _LONGEST_MEANING)
            if len(self._known) < _MOST_KNOWN:
                self._known.add((name, meaning))
        return actions

    def _state(self, method: str, place: str, make: Callable[[], object]) -> bytes:
        def encoded() -> object:
            state = make()
            try:
                return canonical_json(state)
            except (TypeError, ValueError, RecursionError) as error:
                raise TaskError(
                    f"{self._who}: {method}(), {place}: the state is not JSON: {described(error)}"
                ) from None

        state = cast("bytes", self._call(method, place, encoded))
        if len(state) > MOST_STATE_BYTES:
            raise TaskError(
                f"{self._who}: {method}(), {place}: the state has {len(state):,} bytes, more than "
                f"{MOST_STATE_BYTES:,}"
            )
        return state

    def _call(self, method: str, place: str, call: Callable[[], object]) -> object:
        return self._checked(f"{method}(), {place}", call)

    def _checked(self, what: str, call: Callable[[], object]) -> object:
        try:
            with self._watch.during(f"{self._who}: {what}"):
                return call()
        except TaskError:
            raise
        except BaseException as error:
            if is_users_interrupt(error):
                raise
            raise TaskError(f"{self._who}: {what}: raised {described(error)}") from error


def _copy(state: bytes) -> Any:
    return json.loads(state)
