"""A server on loopback that is both: a decision model, and a chat model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.cli.answering import Asked, Said, answering


@dataclass
class Models:
    """What both say. `say` is given what the LLM is shown and says what it names; `prefer` gives an option's
    or a question's probability. `fault` may answer a request in its own way first.
    """

    say: Callable[[dict[str, Any]], list[str]] = lambda shown: ["right"]
    prefer: Callable[[str], float] = lambda option: 0.1 if option == "left" else 0.9
    fault: Callable[[Asked], Said | None] = lambda asked: None
    usage: bool = True
    chats: list[dict[str, Any]] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """Both addresses, as the environment names them."""
        return {"TYPESAFE_BASE_URL": self.url, "OPENAI_BASE_URL": f"{self.url}/v1"}

    def react(self, asked: Asked) -> Said:
        fault = self.fault(asked)
        if fault is not None:
            return fault
        if not asked.body:
            return Said(404, b"{}")
        body = json.loads(asked.body)
        if asked.path.endswith("/chat/completions"):
            self.chats.append(body)
            return Said(body=json.dumps(self._chat(body)).encode())
        self.decisions.append(body)
        return Said(body=json.dumps(self._decision(body)).encode())

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        named = [
            {"action": action, "rationale": "so"}
            for action in self.say(json.loads(body["messages"][1]["content"]))
        ]
        proposes = "proposals" in body["response_format"]["json_schema"]["schema"]["properties"]
        content: Any = {"proposals": named} if proposes else named[0]
        reply: dict[str, Any] = {
            "model": "chatty-1",
            "choices": [{"finish_reason": "stop", "message": {"content": json.dumps(content)}}],
        }
        if self.usage:
            reply["usage"] = {"prompt_tokens": 1000, "completion_tokens": 100}
        return reply

    def _decision(self, body: dict[str, Any]) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for name, question in body["questions"].items():
            if question["type"] == "noul":
                answers[name] = {"type": "noul", "noul": self.prefer(name)}
            elif question["type"] == "score":
                last = len(question["criteria"]) - 1
                sure = self.prefer(name)
                answers[name] = {"type": "score", "probabilities": {str(n): 0.0 for n in range(last)}}
                answers[name]["probabilities"] |= {"0": 1 - sure, str(last): sure}
            else:
                weights = {option: self.prefer(option) for option in question["criteria"]}
                total = sum(weights.values())
                shares = {option: weight / total for option, weight in weights.items()}
                answers[name] = {"type": "choice", "probabilities": shares, "confidence": 0.5}
        return {"model": "jev-9", "answers": answers, "usage": {"input_tokens": 50, "output_tokens": 1}}


@contextmanager
def serving(models: Models) -> Iterator[Models]:
    """Serve both for the length of a block."""
    with answering(models.react) as server:
        models.url = server.url
        yield models
