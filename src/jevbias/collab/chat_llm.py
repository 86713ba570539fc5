"""An LLM behind an OpenAI-compatible server, which acts and proposes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jevbias.catalogue.canonical import canonical_json
from jevbias.collab.asking import Answered, Asking
from jevbias.collab.prompts import answer_schema, system_text, user_text
from jevbias.collab.situation import Doubt, Named, Proposal, Proposed, Situation, without_repeats
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.chat_answers import NoAnswerObject, object_in
from jevbias.drivers.chat_prompt import most_tokens
from jevbias.drivers.failures import one_line
from jevbias.plan.model import Ask, Frame

LONGEST_RATIONALE = 400
_NOTHING_ASKED = Ask(Frame("collab", "mid", "", "actor", "state", {}, {}), {})


class ChatMessages(ChatDriver):
    """A chat server that is asked for a message of a given shape, and not for answers to questions."""

    def read_text(self, ask: Ask, text: str) -> Reading:
        """The message as it is."""
        del ask
        return Reading("answered", text=text)

    def read_message(self, reply: Reply) -> Reading:
        """What a reply means; its text is in `text` where there is one."""
        return self.read(_NOTHING_ASKED, reply)


class ChatLlm:
    """Puts a situation to a chat model and reads the action, or the proposals, out of its message.

    Nothing is read from prose: a message that is no such object names no action. `effort` says how long the
    model may think, None leaves that to it.
    """

    is_real = True

    def __init__(self, driver: ChatMessages, asking: Asking, effort: str | None = None) -> None:
        self.model = driver.model
        self._driver, self._asking, self._effort = driver, asking, effort

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        """The action to take now."""
        answered = await self._ask(situation, doubt, key, None)
        call = answered.made("llm", "act" if doubt is None else "act again")
        try:
            return Named(_proposal(_content(answered)), call)
        except NoAnswerObject as fault:
            return Named(None, call, str(fault))

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        """`most` actions or fewer, best first."""
        answered = await self._ask(situation, doubt, key, most)
        call = answered.made("llm", "propose" if doubt is None else "propose again")
        try:
            listed = _content(answered).get("proposals")
            if not isinstance(listed, list):
                raise NoAnswerObject("the message has no list of proposals")
            found = [_proposal(entry) for entry in listed[:most]]
        except NoAnswerObject as fault:
            return Proposed((), call, str(fault))
        return Proposed(without_repeats(found), call)

    async def _ask(self, situation: Situation, doubt: Doubt | None, key: str, most: int | None) -> Answered:
        body = self.render(system_text(situation, most), user_text(situation, doubt), answer_schema(most))
        return await self._asking.ask(key, body, self._driver.read_message)

    def render(self, system: str, user: str, schema: Mapping[str, Any]) -> bytes:
        """The request body; the same texts give the same bytes."""
        through_openrouter = self._driver.name == "openrouter"
        instructions: object = system
        if through_openrouter:
            instructions = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": user},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            },
            "max_tokens": most_tokens(self._effort),
        }
        if through_openrouter:
            body["provider"] = {"require_parameters": True}
        if self._effort is not None:
            effort = {"reasoning": {"effort": self._effort}}
            body.update(effort if through_openrouter else {"reasoning_effort": self._effort})
        return canonical_json(body)


def _content(answered: Answered) -> Mapping[str, Any]:
    text = answered.reading.text
    if text is None:
        raise NoAnswerObject(answered.reading.error or "the model gave no message")
    return object_in(text.strip())[0]


def _proposal(entry: object) -> Proposal:
    action = entry.get("action") if isinstance(entry, Mapping) else None
    if not isinstance(action, str) or not action.strip():
        raise NoAnswerObject("the message names no action")
    rationale = entry.get("rationale") if isinstance(entry, Mapping) else None
    said = one_line(rationale, LONGEST_RATIONALE) if isinstance(rationale, str) else ""
    return Proposal(one_line(action, 80), said)
