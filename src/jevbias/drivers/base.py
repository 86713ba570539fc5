"""What every way of asking has in common: one small protocol and the values that pass through it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from jevbias.plan.model import Ask

QuestionKind = Literal["noul", "choice", "score"]

Verdict = Literal["answered", "refused", "malformed", "failed", "retry", "stop"]
"""What a reply means for its probe.

`answered`: at least one question has a usable answer. `refused`: the model declined. `malformed`: a reply
arrived and no answer in it is usable. `failed`: permanent for this probe, no retry. `retry`: may pass later.
`stop`: no probe of this run can succeed (a refused key, an unknown model, a wrong address).
"""


@dataclass(frozen=True)
class Reply:
    """What came back over the wire, before anything is read into it.

    `status` is None when nothing usable came back; then `fault` names the kind (`timeout`, `connection`,
    `dns`, `truncated`, `tls`, `server_died`, `invalid`) and `fault_message` says it in one line.
    `retry_after` is the server's hint in seconds (0 for a date in the past). `possibly_billed` is true where
    the request may have been processed although no answer arrived. `location` is where a redirect points;
    redirects are never followed. A reply holds no key, even where the server echoed one.
    """

    status: int | None
    body: bytes
    latency_ms: float
    request_id: str | None = None
    retry_after: float | None = None
    fault: str | None = None
    fault_message: str | None = None
    possibly_billed: bool = False
    location: str | None = None


@dataclass(frozen=True)
class Answer:
    """One question's answer: `value` and `favourability` on [0, 1], `flags` for anything tolerated
    (`renormalised`, `numeric_string`, `repaired`, `from_score`).
    """

    question: str
    kind: QuestionKind
    value: float
    favourability: float
    confidence: float | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What a reply means: the verdict, the usable answers, and what was missing or wrong.

    `error_kind` is a short stable word (`http_500`, `timeout`, `bad_probabilities`, …) and `error` one line
    without keys or control characters; both None when all is well. Tokens and cost are None where nobody
    said (a server that reports 0 input tokens has not counted).
    """

    verdict: Verdict
    answers: tuple[Answer, ...] = ()
    rejected: dict[str, str] = field(default_factory=dict)
    """Question: why its answer is missing or unusable."""
    error_kind: str | None = None
    error: str | None = None
    model_answered: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached_tokens: int | None = None
    """Of the input tokens, those that the provider's cache served."""
    text: str | None = None
    """What a chat model wrote, where that is what was asked for; None elsewhere."""


class Driver(Protocol):
    """One way of asking a model. `render` and `read` are pure; `send` returns faults as replies."""

    name: str
    model: str
    base_url: str

    def render(self, ask: Ask) -> bytes:
        """The request body for an ask, byte for byte what is sent.

        Raises a UsageError that is a ValueError too for what cannot be sent: half of a surrogate pair.
        """
        ...

    async def send(self, body: bytes) -> Reply:
        """Send one body once."""
        ...

    def read(self, ask: Ask, reply: Reply) -> Reading:
        """What a reply to this ask means."""
        ...

    async def aclose(self) -> None:
        """Close connections and stop whatever the driver started."""
        ...
