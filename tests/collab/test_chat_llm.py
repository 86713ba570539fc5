"""Whatever a chat model writes, an action is read out of it or none is; nothing raises."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.collab.asking import Answered, Asking
from jevbias.collab.chat_llm import ChatLlm, ChatMessages
from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.situation import Named, Proposed
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import NOTHING_SAID
from tests.collab.scripted import situation
from tests.collab.tasks import Line

AT = situation(CheckedTask(Line()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["right", "left"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["action", "rationale", "proposals", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


class Written:
    """Stands in for the calls: the reply holds this message."""

    def __init__(self, message: object) -> None:
        self._body = json.dumps(
            {"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": message}}]}
        ).encode()

    async def ask(self, key: str, body: bytes, read: Callable[[Reply], Reading]) -> Answered:
        reply = Reply(200, self._body, 1.0)
        return Answered(read(reply), reply, NOTHING_SAID)


def read(message: object) -> tuple[Named, Proposed]:
    async def both() -> tuple[Named, Proposed]:
        transport = HttpTransport("http://127.0.0.1:1", key=None, timeout=1, connections=1)
        chat = ChatMessages("openai", "m", transport)
        llm = ChatLlm(chat, cast("Asking", Written(message)))
        try:
            return await llm.act(AT, None, "k"), await llm.propose(AT, 3, None, "k")
        finally:
            await chat.aclose()

    return asyncio.run(both())


@settings(max_examples=150, deadline=None)
@given(JSON.map(json.dumps) | st.text(max_size=40) | JSON)
def test_anything_is_read_without_an_exception(message: Any) -> None:
    named, proposed = read(message)
    assert (named.proposal is None) == (named.fault is not None)
    actions = [proposal.action for proposal in proposed.proposals]
    assert len(actions) == len(set(actions)) <= 3
    assert all(action.strip() for action in actions)


def test_a_fence_is_taken_off_and_the_first_of_equal_proposals_counts() -> None:
    named, _ = read('```json\n{"action": "right", "rationale": "a\\nb"}\n```')
    assert named.proposal is not None
    assert (named.proposal.action, named.proposal.rationale) == ("right", "a b")
    entries = [
        {"action": a, "rationale": r} for a, r in (("left", "1"), ("right", "2"), ("left", "3"), ("up", "4"))
    ]
    _, proposed = read(json.dumps({"proposals": entries}))
    assert [(p.action, p.rationale) for p in proposed.proposals] == [("left", "1"), ("right", "2")]


def test_a_key_that_comes_twice_names_nothing() -> None:
    named, _ = read('{"action": "right", "action": "left"}')
    assert named.proposal is None
