"""Whatever a user's task does wrong becomes one line that names the task, the call and the fault."""

from __future__ import annotations

import asyncio
import threading
from enum import Enum
from typing import Any

import pytest

from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.difficulty import checked_game
from jevbias.collab.task_thread import TaskThread
from jevbias.collab.watch import Watch
from jevbias.errors import TaskError
from tests.collab.tasks import Line, broken


def method(value: object) -> Any:
    return lambda *_: value


def raising(*_: object) -> Any:
    raise KeyError("at")


def leaving(*_: object) -> Any:
    raise SystemExit(3)


class Evil(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


class Unshown(dict[str, int]):
    def items(self) -> Any:
        raise Evil


class Loud(str):
    def __str__(self) -> str:
        raise Evil


def throwing(kind: type[BaseException]) -> Any:
    def method(*_: object) -> Any:
        raise kind

    return method


WRONG = {
    "no name": (broken(name=None), "task Broken: name: None is not 1 to 60 printable"),
    "a name that steers the terminal": (broken(name="a\x1b[31m"), "is not 1 to 60 printable"),
    "levels twice": (broken(difficulties=("easy", "easy")), "levels differ from each other"),
    "no levels": (broken(difficulties=()), "is no list of levels"),
    "one word for levels": (broken(difficulties="easy"), "'easy' is no list of levels"),
    "not a method": (broken(apply=7), "has no method apply()"),
    "raises": (broken(initial_state=raising), "initial_state(), the start of short 0: raised KeyError: 'at'"),
    "ends the process": (broken(terminal=leaving), "raised SystemExit: 3"),
    "cancels": (broken(terminal=throwing(asyncio.CancelledError)), "raised CancelledError"),
    "closes": (broken(legal_actions=throwing(GeneratorExit)), "raised GeneratorExit"),
    "an action with two spaces": (broken(legal_actions=method({"a  b": "x"})), "cannot be told from another"),
    "an action that is none": (broken(legal_actions=method({"(no action)": "x"})), "cannot be told from"),
    "an exception that cannot say what it is": (broken(terminal=throwing(Evil)), "raised Evil"),
    "a member that raises": (broken(name=property(throwing(Evil))), "name: raised Evil"),
    "a text that cannot be shown": (broken(terminal=method(Loud("draw"))), "'draw' is none of"),
    "a state that cannot be": (
        broken(describe=method(Unshown(at=1))),
        "describe(), the start of short 0: raised Evil",
    ),
    "a state that is not JSON": (broken(initial_state=method({1, 2})), "the state is not JSON"),
    "a state with NaN": (broken(initial_state=method({"at": float("nan")})), "the state is not JSON"),
    "half a surrogate pair": (broken(initial_state=method({"at": "\ud800"})), "the state is not JSON"),
    "a huge state": (broken(initial_state=method({"at": "x" * 300_000})), "bytes, more than 200,000"),
    "no legal action": (broken(legal_actions=method({})), "there is none, and terminal() says"),
    "actions that are a list": (broken(legal_actions=method(["right"])), "a list is no mapping of actions"),
    "an action that is a number": (broken(legal_actions=method({3: "three"})), "name of an action: 3 is not"),
    "an empty action": (broken(legal_actions=method({"": "nothing"})), "name of an action: '' is not"),
    "an action of two lines": (broken(legal_actions=method({"a\nb": "x"})), "has more than one line"),
    "an action without a meaning": (broken(legal_actions=method({"right": None})), "what 'right' does: None"),
    "too many actions": (
        broken(legal_actions=method({f"go {n}": "away" for n in range(256)})),
        "256 are more than the 255",
    ),
    "a third end": (broken(terminal=method("draw")), "'draw' is none of 'success', 'failure' and None"),
    "over before it begins": (broken(terminal=method("success")), "ended before its first step"),
    "steps below none": (broken(optimal_steps=method(-1)), "-1 is no number of steps"),
    "yes as a number of steps": (broken(optimal_steps=method(True)), "True is no number of steps"),
    "no steps at all": (broken(maximum_steps=method(0)), "0 is not from 1 to 10,000"),
    "endless steps": (broken(maximum_steps=method(10**9)), "1000000000 is not from 1 to 10,000"),
    "too few steps": (broken(maximum_steps=method(1)), "is not from 1 to its maximum of 1"),
    "a description that is not JSON": (broken(describe=method(object())), "describe(), the start"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_a_task_does_wrong_is_one_line(wrong: str) -> None:
    task, said = WRONG[wrong]
    with pytest.raises(TaskError) as refused:
        CheckedTask(task).start(1, "short", 0)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_the_same_seed_has_to_give_the_same_state() -> None:
    states = iter(range(100))
    task = broken(initial_state=lambda *_: {"at": 0, "end": 2, "seed": next(states)})
    with pytest.raises(TaskError, match="the same seed gave another state"):
        CheckedTask(task).start(1, "short", 0)


def test_a_task_that_changes_what_it_is_given_changes_nothing() -> None:
    def spoil(_: object, state: Any, action: str) -> Any:
        state["at"] = 99
        return {**state, "at": 1}

    task = CheckedTask(broken(apply=spoil))
    start = task.start(1, "long", 0)
    task.apply(start.state, "right", "here")
    assert task.look(start.state, "here").end is None
    assert b'"at":0' in start.state


def test_success_in_fewer_steps_than_the_best_is_the_tasks_fault() -> None:
    task = CheckedTask(Line())
    start = task.start(1, "long", 0)
    task.check_efficiency(start, 4)
    with pytest.raises(TaskError, match="it says 4, and an arm succeeded in 3"):
        task.check_efficiency(start, 3)


def test_a_task_that_never_returns_ends_in_a_message() -> None:
    async def wait() -> None:
        thread = TaskThread(0.05)
        assert await thread.run("a quick call", lambda: 7) == 7
        task = CheckedTask(broken(apply=lambda *_: stuck.wait(60)), thread.watch)
        start = await thread.run("the start", task.start, 1, "long", 0)
        with pytest.raises(
            TaskError, match=r"^task line: apply\(\), step 3: has not returned within 0\.05 s$"
        ):
            await thread.run("a game", task.apply, start.state, "right", "step 3")
        with pytest.raises(TaskError, match="has not returned"):
            await thread.run("another call", lambda: 7)

    stuck = threading.Event()
    asyncio.run(wait())
    stuck.set()


def test_every_call_has_its_own_time_and_one_that_may_take_longer_has_more() -> None:
    now = 0.0
    watch = Watch(10, clock=lambda: now)
    with watch.during("a game"):
        for call in range(5):
            with watch.during(f"call {call}"):
                now += 9
                assert watch.late is None
        with watch.during("loading", 60):
            now += 59
            assert watch.late is None
            assert watch.left == pytest.approx(1)
            now += 1
            assert watch.late == "loading: has not returned within 60 s"
        now += 11
        assert watch.late == "a game: has not returned within 10 s"
    assert watch.late is None


def test_calls_that_wait_for_others_are_not_late() -> None:
    async def wait() -> list[bool]:
        thread, event = TaskThread(0.1), threading.Event()
        return await asyncio.gather(*(thread.run("task", event.wait, 0.02) for _ in range(20)))

    assert asyncio.run(wait()) == [False] * 20


def test_a_task_that_interrupts_ends_in_a_message() -> None:
    task = CheckedTask(broken(terminal=throwing(KeyboardInterrupt)))
    with pytest.raises(TaskError, match="raised KeyboardInterrupt"):
        asyncio.run(TaskThread().run("task", task.start, 1, "short", 0))


@pytest.mark.parametrize("name", ["apply", "legal_actions", "terminal", "describe"])
def test_a_method_that_is_no_function_of_its_arguments_is_refused(name: str) -> None:
    asked = iter(range(10**6))
    ways: dict[str, Any] = {
        "apply": lambda *_: {"at": next(asked) % 2, "end": 9, "seed": 0},
        "legal_actions": lambda *_: {"right": f"step {next(asked)}"},
        "terminal": lambda *_: None if next(asked) % 2 == 0 else "failure",
        "describe": lambda *_: next(asked),
    }
    line = CheckedTask(Line())
    start = line.start(1, "long", 0)
    with pytest.raises(TaskError, match=rf"{name}\(\), a random game.*something else the second time"):
        checked_game(CheckedTask(broken(**{name: ways[name]})), start, 1)


def test_members_of_an_enumeration_are_the_texts_that_they_stand_for() -> None:
    Move = Enum("Move", {"RIGHT": "right"}, type=str)
    task = CheckedTask(broken(legal_actions=method({Move("right"): "on"})))
    look = task.look(task.start(1, "long", 0).state, "here")
    assert [f"{name}" for name in look.actions] == ["right"]
