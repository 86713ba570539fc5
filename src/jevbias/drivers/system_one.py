"""System One servers: Jev at TypeSafe, the embedded model, the mock, and any compatible server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import Prices
from jevbias.drivers.answers import judged, read_answers
from jevbias.drivers.base import Reading
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import read_paid
from jevbias.drivers.providers import find_provider
from jevbias.drivers.questions import question_content
from jevbias.drivers.sendable import sendable
from jevbias.drivers.served import ServedDriver
from jevbias.plan.model import Ask, Frame

PATH = "/v1/systemone"


def render_system_one(model: str, ask: Ask) -> bytes:
    """The request body `{"model", "state", "questions"}` for an ask; the same ask gives the same bytes.

    Raises UnsendableText.
    """
    with sendable(ask):
        return _around(model, ask.frame).body(ask)


class _Around(NamedTuple):
    """What a body holds before and after the person: the same for every ask of a frame."""

    before: bytes
    after: bytes

    def body(self, ask: Ask) -> bytes:
        return self.before + canonical_json(dict(ask.person)) + self.after


def _around(model: str, frame: Frame) -> _Around:
    questions = {key: question_content(question) for key, question in frame.questions.items()}
    opened = canonical_json({"model": model, "state": {frame.case_key: dict(frame.case)}})
    return _Around(
        before=opened.removesuffix(b"}}") + b"," + canonical_json(frame.role_key) + b":",
        after=b'},"questions":' + canonical_json(questions) + b"}",
    )


class SystemOneDriver(ServedDriver):
    """Asks one System One server. `name` is `jev` or `local`."""

    server = "a System One server"

    def __init__(
        self,
        name: str,
        model: str,
        transport: HttpTransport,
        prices: Prices | None = None,
        *,
        path: str = PATH,
    ) -> None:
        super().__init__(find_provider(name), model, transport, path, prices)
        self._around: dict[str, _Around] = {}

    def render(self, ask: Ask) -> bytes:
        """The request body for an ask; see `render_system_one`."""
        with sendable(ask):
            around = self._around.get(ask.frame.hash)
            if around is None:
                around = self._around[ask.frame.hash] = _around(self.model, ask.frame)
            return around.body(ask)

    def read_content(self, ask: Ask, content: Mapping[str, object]) -> Reading:
        """What a success with this JSON object means for an ask."""
        paid = read_paid(content, self.name, self.model, self._prices)
        answers, error = content.get("answers"), content.get("error")
        if isinstance(answers, Mapping):
            return paid.on(judged(read_answers(ask.frame.questions, answers)))
        if error is not None:
            return paid.on(self.read_error_object(error))
        return paid.on(
            Reading("malformed", error_kind="no_answers", error="the reply has no 'answers' object")
        )
