"""Chat models, which write their answers down as JSON: at OpenRouter or any OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Mapping

from jevbias.catalogue.models import Prices
from jevbias.drivers.answers import judged
from jevbias.drivers.base import Reading
from jevbias.drivers.chat_answers import NoAnswerObject, read_chat_answers
from jevbias.drivers.chat_prompt import most_tokens, render_chat
from jevbias.drivers.failures import one_line
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import read_paid
from jevbias.drivers.providers import find_provider
from jevbias.drivers.served import ServedDriver
from jevbias.plan.model import Ask

PATH = "/chat/completions"

_DECLINED = ("content_filter", "refusal")
"""Values of `finish_reason` under which the model, or a filter before it, would not answer."""
_DECLINED_CODES = frozenset({"content_filter", "content_policy_violation"})
_WITHOUT_CREDIT = "insufficient_quota"


class ChatDriver(ServedDriver):
    """Asks one chat model. `name` is `openrouter` or `openai`; `reasoning_effort` says how long it may
    think, None leaves that to the server.
    """

    server = "a chat completions server"

    def __init__(
        self,
        name: str,
        model: str,
        transport: HttpTransport,
        prices: Prices | None = None,
        reasoning_effort: str | None = None,
    ) -> None:
        super().__init__(find_provider(name), model, transport, PATH, prices)
        self._reasoning_effort = reasoning_effort

    def render(self, ask: Ask) -> bytes:
        """The request body for an ask; see `render_chat`."""
        return render_chat(self.name, self.model, ask, self._reasoning_effort)

    def read_content(self, ask: Ask, content: Mapping[str, object]) -> Reading:
        """What a success with this JSON object means for an ask."""
        paid = read_paid(content, self.name, self.model, self._prices)
        choice = _first(content.get("choices"))
        error = content.get("error") or choice.get("error")
        return paid.on(self.read_error_object(error) if error else self._read_choice(ask, choice))

    def read_known_error(self, status: int, message: str, error: Mapping[str, object]) -> Reading | None:
        """What a chat server's error means where its status does not say it."""
        codes = {value for name in ("code", "type") if isinstance(value := error.get(name), str)}
        details = error.get("metadata")
        moderated = status == 403 and isinstance(details, Mapping) and "reasons" in details
        if moderated or codes & _DECLINED_CODES:
            return Reading("refused", error_kind="content_filter", error=message or "declined by a filter")
        if status == 429 and _WITHOUT_CREDIT in codes:
            return self.stopped(status, message, "the account has no credit; add some and resume the run")
        if status == 404 and self.name == "openrouter" and "no endpoints" in message.lower():
            return self.stopped(status, message, self._advice_without_endpoints(message))
        return None

    def read_text(self, ask: Ask, text: str) -> Reading:
        """What a model that neither declined nor broke off wrote means for an ask; never raises."""
        try:
            return judged(read_chat_answers(ask.frame.questions, text))
        except NoAnswerObject as reason:
            return Reading("malformed", error_kind="no_answer_object", error=str(reason))

    def _read_choice(self, ask: Ask, choice: Mapping[str, object]) -> Reading:
        message = choice.get("message")
        if not isinstance(message, Mapping):
            return Reading("malformed", error_kind="no_message", error="the reply has no message of a model")
        finish = choice.get("finish_reason")
        text, refusal = _text(message.get("content")), _refusal(message)
        if refusal or finish in _DECLINED:
            line = one_line(refusal or text) or "the model declined without a reason"
            return Reading("refused", error_kind="refused" if refusal else str(finish), error=line)
        unusable = self._unusable(finish, text)
        if unusable is not None:
            return unusable
        return self.read_text(ask, text)

    def _advice_without_endpoints(self, message: str) -> str:
        if "policy" in message.lower():
            return f"allow the providers of {self.model} in your OpenRouter account's privacy settings"
        needed = "structured outputs (response_format: json_schema, strict)"
        if self._reasoning_effort is not None:
            needed += " and reasoning (reasoning: effort)"
        return (
            f"no provider of {self.model} takes {needed}, which this driver needs: choose a model that "
            "`jevbias doctor --driver openrouter --models` lists"
        )

    def _unusable(self, finish: object, text: str) -> Reading | None:
        """Why there is nothing to read in a message that ended so; None where there is."""
        if finish == "error":
            line = "the model broke off with an error that the reply does not explain"
            return Reading("malformed", error_kind="error_in_reply", error=line)
        if finish == "length":
            most = most_tokens(self._reasoning_effort)
            line = f"the answer was cut off for its length; {most:,} tokens were allowed, thinking included"
            return Reading("malformed", error_kind="truncated", error=line)
        if not text.strip():
            return Reading("malformed", error_kind="no_content", error="the model's message is empty")
        return None


def _first(choices: object) -> Mapping[str, object]:
    """The first of the choices; empty where there is none."""
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _text(content: object) -> str:
    """The text of a message, whose content is a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type", "text") == "text"
    ]
    return "".join(text for text in texts if isinstance(text, str))


def _refusal(message: Mapping[str, object]) -> str:
    """What a model says in place of an answer, in the field for that or in a part of its content."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    said = [message.get("refusal"), *(part.get("refusal") for part in parts if isinstance(part, Mapping))]
    return " ".join(text for text in said if isinstance(text, str) and text.strip())
