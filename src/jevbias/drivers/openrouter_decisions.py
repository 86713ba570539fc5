"""Jev through OpenRouter: the questions and answers of System One, at another address."""

from __future__ import annotations

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import Prices, Question
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.questions import question_content
from jevbias.drivers.sendable import sendable
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.plan.model import Ask

PATH = "/alpha/decisions"


def decisions_root(base_url: str) -> str:
    """What `PATH` is appended to: OpenRouter's base URL without the version at its end."""
    return base_url.removesuffix("/v1")


def render_decisions(model: str, ask: Ask) -> bytes:
    """The request body for an ask, as System One's with plain strings alone in questions. Raises
    UnsendableText.
    """
    with sendable(ask):
        questions = {key: _plain_question(question) for key, question in ask.frame.questions.items()}
        return canonical_json({"model": model, "state": ask.state, "questions": questions})


class OpenRouterDecisionsDriver(SystemOneDriver):
    """Asks Jev at OpenRouter, which reports what a call cost. The transport starts at `decisions_root`."""

    server = "OpenRouter's decisions API"

    def __init__(self, model: str, transport: HttpTransport, prices: Prices | None = None) -> None:
        super().__init__("openrouter-decisions", model, transport, prices, path=PATH)

    def render(self, ask: Ask) -> bytes:
        """The request body for an ask; see `render_decisions`."""
        return render_decisions(self.model, ask)


def _plain_question(question: Question) -> dict[str, object]:
    content = question_content(question)
    criteria = content["criteria"]
    if isinstance(criteria, list):
        plain: object = [_plain(level) for level in criteria]
    else:
        plain = {option: _plain(meaning) for option, meaning in criteria.items()}
    return {**content, "instructions": _plain(content["instructions"]), "criteria": plain}


def _plain(text: object) -> str:
    """Text as it is; anything else as its JSON."""
    return text if isinstance(text, str) else canonical_json(text).decode()
