"""System One servers: Jev at TypeSafe, the embedded model, the mock, and any compatible server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import Prices, Question
from jevbias.drivers.answers import ReadAnswers, read_answers
from jevbias.drivers.base import Reading, Reply, Verdict
from jevbias.drivers.failures import (
    error_message,
    message_of_error,
    one_line,
    status_line,
    verdict_of_fault,
    verdict_of_status,
)
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.pricing import price_of
from jevbias.errors import UsageError
from jevbias.plan.model import Ask

PATH = "/v1/systemone"
LARGEST_COUNT = 2**53
_ERROR_CODES = frozenset(str(code) for code in range(400, 600))


class UnsendableText(UsageError, ValueError):
    """Text with half of a surrogate pair, which no server could read as it was meant."""


def render_system_one(model: str, ask: Ask) -> bytes:
    """The request body `{"model", "state", "questions"}` for an ask; the same ask gives the same bytes.

    Raises UnsendableText.
    """
    questions = {key: _question(question) for key, question in ask.frame.questions.items()}
    try:
        return canonical_json({"model": model, "state": ask.state, "questions": questions})
    except UnicodeEncodeError as error:
        around = one_line(error.object[max(0, error.start - 20) : error.start])
        place = f"{ask.frame.scenario}, {ask.frame.variant}"
        raise UnsendableText(f"{place}: half of a surrogate pair after '…{around}' cannot be sent") from None


def _question(question: Question) -> dict[str, object]:
    criteria: object = question.criteria
    if question.kind == "noul":
        criteria = {"true": question.criteria.true, "false": question.criteria.false}
    return {"type": question.kind, "instructions": question.instructions, "criteria": criteria}


class SystemOneDriver:
    """Asks one System One server. `name` is `jev` or `local`; `prices` is where a cost comes from when the
    server reports none.
    """

    def __init__(self, name: str, model: str, transport: HttpTransport, prices: Prices | None = None) -> None:
        self.name, self.model, self.base_url = name, model, transport.base_url
        self._transport, self._prices = transport, prices

    def render(self, ask: Ask) -> bytes:
        """The request body for an ask; see `render_system_one`."""
        return render_system_one(self.model, ask)

    async def send(self, body: bytes) -> Reply:
        """Send one body once; faults come back as replies."""
        return await self._transport.post(PATH, body)

    def read(self, ask: Ask, reply: Reply) -> Reading:
        """What a reply to this ask means; never raises, whatever came back."""
        if reply.status is None:
            fault = reply.fault or "invalid"
            return Reading(verdict_of_fault(fault), error_kind=fault, error=reply.fault_message or fault)
        if not 200 <= reply.status < 300:
            return self._read_error(reply.status, error_message(reply), reply.location)
        return self._read_success(ask, reply)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    def _read_error(self, status: int, message: str, location: str | None = None) -> Reading:
        verdict = verdict_of_status(status)
        line = f"{status_line(status)}: {message}" if message else status_line(status)
        if verdict == "stop":
            line = f"{self.base_url}{PATH} answered {line}; {self._advice(status, location)}"
        return Reading(verdict, error_kind=f"http_{status}", error=line)

    def _advice(self, status: int, location: str | None) -> str:
        if status in (401, 403) and not self._transport.sends_key:
            return "no key was sent and the server wants one: set TYPESAFE_API_KEY"
        if status == 401:
            return "the key in TYPESAFE_API_KEY is not accepted"
        if status == 402:
            return "the account has no credit; add some and resume the run"
        if status == 403:
            return f"the key in TYPESAFE_API_KEY may not use model {self.model}"
        if status == 404:
            return f"check TYPESAFE_BASE_URL, and that there is a model {self.model}"
        target = f" to {location}" if location else ""
        return f"it redirects{target}: set TYPESAFE_BASE_URL to where the server is"

    def _read_success(self, ask: Ask, reply: Reply) -> Reading:
        try:
            content: object = json.loads(reply.body)
        except (ValueError, RecursionError):
            return self._read_no_json(reply.body.strip())
        if not isinstance(content, Mapping):
            return self._wrong_address("JSON that is no object")
        answers = content.get("answers")
        error = content.get("error")
        if not isinstance(answers, Mapping):
            if error is not None:
                return self._read_error_object(error)
            paid = self._read_answers(content, ReadAnswers())
            return replace(paid, error_kind="no_answers", error="the reply has no 'answers' object")
        return self._read_answers(content, read_answers(ask.frame.questions, answers))

    def _read_error_object(self, error: object) -> Reading:
        """A success that carries an error: its own `code` says what it means, else the reply is malformed."""
        code = error.get("code") if isinstance(error, Mapping) else None
        message = message_of_error(error)
        if str(code) in _ERROR_CODES:
            return self._read_error(int(str(code)), message)
        return Reading(
            "malformed", error_kind="error_in_reply", error=message or "an error without a message"
        )

    def _read_no_json(self, body: bytes) -> Reading:
        if not body or (body.startswith(b"{") and not body.endswith(b"}")):
            what = "ends too early" if body else "is empty"
            return Reading("retry", error_kind="truncated", error=f"the reply {what}")
        if body.startswith(b"{"):
            return Reading("malformed", error_kind="invalid_json", error="the reply is not valid JSON")
        return self._wrong_address("something that is not JSON")

    def _wrong_address(self, what: str) -> Reading:
        line = f"{self.base_url}{PATH} answered 200 with {what}; is that a System One server?"
        return Reading("stop", error_kind="not_system_one", error=line)

    def _read_answers(self, content: Mapping[str, object], read: ReadAnswers) -> Reading:
        verdict: Verdict = "answered" if read.usable else "malformed"
        asked = len(read.usable) + len(read.rejected)
        first = next(iter(read.rejected.items()), None)
        kind = None
        line = None
        if first is not None:
            kind = "incomplete" if read.usable else "no_usable_answer"
            line = one_line(f"{len(read.rejected)} of {asked} answers unusable, first {first[0]}: {first[1]}")
        answered = content.get("model")
        model = one_line(answered, 120) if isinstance(answered, str) else ""
        usage = content.get("usage")
        counts: Mapping[str, object] = usage if isinstance(usage, Mapping) else {}
        tokens_in = _count(counts.get("input_tokens")) or None
        tokens_out = _count(counts.get("output_tokens"))
        if tokens_in is None:
            tokens_out = tokens_out or None
        cost = _cost(counts.get("cost"))
        if cost is None:
            cost = price_of(self._prices, self.name, model or self.model, tokens_in, tokens_out)
        return Reading(
            verdict, read.usable, read.rejected, kind, line, model or None, tokens_in, tokens_out, cost
        )


def _count(raw: object) -> int | None:
    """A count of tokens; None for what is no whole number."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= LARGEST_COUNT:
        return None
    return int(raw) if raw == int(raw) else None


def _cost(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1e6:
        return None
    return float(raw)
