"""The four drivers that speak to a server, and how each of their servers says the same answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.openrouter_decisions import OpenRouterDecisionsDriver
from jevbias.drivers.served import ServedDriver
from jevbias.drivers.system_one import SystemOneDriver
from tests.drivers.asks import GOOD_ANSWERS
from tests.drivers.loopback import open_transport

NOWHERE = "http://127.0.0.1:9"
SERVED = ("jev", "openrouter-decisions", "openrouter", "openai")
CHAT = ("openrouter", "openai")

GOOD_NUMBERS: dict[str, Any] = {
    "approve": 0.7,
    "risk": 0.5,
    "rate": {"low": 0.4, "middle": 0.3, "high": 0.2, "top": 0.1},
}
"""What a chat model writes down to say GOOD_ANSWERS."""


def driver_called(
    name: str,
    transport: HttpTransport | None = None,
    *,
    key: str | None = "sk-1234567890",
    reasoning_effort: str | None = None,
) -> ServedDriver:
    """The driver of this name, by default with a key and at an address where nobody listens."""
    transport = transport or open_transport(NOWHERE, key=key)
    if name in CHAT:
        return ChatDriver(name, "some/model", transport, None, reasoning_effort)
    if name == "jev":
        return SystemOneDriver("jev", "jev-latest", transport)
    return OpenRouterDecisionsDriver("typesafe/jev-1.13", transport)


def reply_content(name: str, replaced: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What this driver's server answers; `replaced` holds System One answers in place of good ones."""
    if name in CHAT:
        numbers = {
            **GOOD_NUMBERS,
            **{key: _as_number(answer) for key, answer in (replaced or {}).items()},
        }
        return chat_content(json.dumps(numbers))
    content: dict[str, Any] = {"model": "jev-1.13.0", "answers": {**GOOD_ANSWERS, **(replaced or {})}}
    if name == "jev":
        return {**content, "usage": {"input_tokens": 812, "output_tokens": 24}}
    usage = {"input_tokens": 812, "output_tokens": 24, "cost": 0.0000341}
    return {"id": "gen-1", "provider": "TypeSafe", **content, "usage": usage}


def chat_content(text: object, *, finish: object = "stop", **message: object) -> dict[str, Any]:
    """A chat server's success whose first choice says this."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "some/model-0926",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {
            "prompt_tokens": 900,
            "completion_tokens": 60,
            "prompt_tokens_details": {"cached_tokens": 768},
            "cost": 0.0021,
        },
    }


def _as_number(answer: Any) -> Any:
    if not isinstance(answer, Mapping):
        return answer
    return answer.get("noul", answer.get("probabilities", answer.get("score")))
