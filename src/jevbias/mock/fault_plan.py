"""Fault plans: files that say which request gets which fault, and how batches end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import Strict
from jevbias.catalogue.shape import read_shape
from jevbias.catalogue.yaml12 import read_yaml

Face = Literal[
    "systemone", "decisions", "chat", "models", "batch_submit", "batch_list", "batch_get", "batch_request"
]
"""What a request came to; `batch_request` is one of those inside a batch."""
Count = Annotated[int, Field(ge=1, le=10_000_000)]
Cut = Literal["close", "half_body", "truncate_gzip"]
HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]+$", max_length=60)]
HeaderValue = Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]*$", max_length=4000)]
_FRAMING = ("content-length", "transfer-encoding", "connection")
_PATH_FACES = ("batch_get", "batch_request")


class Above(Strict):
    """Only requests beyond a limit that the client is not told: the others pass."""

    per_second: float | None = Field(None, gt=0, le=1e6, description="so many a second pass, refilled evenly")
    burst: Count | None = Field(None, description="so many pass at once [what passes in a second]")
    concurrent: Count | None = Field(None, description="so many pass while they are being answered")


class When(Strict):
    """Which requests a rule is for: those that fit everything it says. Without anything, every request."""

    face: Face | None = None
    path: str | None = Field(None, pattern=r"^/", description="the whole path, such as /v1/systemone")
    contains: str | None = Field(None, min_length=1, description="text of the body, as it is sent")
    nth: Count | None = Field(None, description="only the nth of the requests that fit the keys above")
    every: Count | None = Field(None, description="only every nth of them")
    first: Count | None = Field(None, description="from the nth of them on")
    last: Count | None = Field(None, description="up to the nth of them")
    share: float | None = Field(
        None, ge=0, le=1, description="this share of all bodies, always the same ones"
    )
    times: Count | None = Field(None, description="only the first so many times that a body comes")
    above: Above | None = None


class FaultReply(Strict):
    """What such a request gets. With `status`, `body` or `json` the model is not asked; without any of them
    it answers, and `headers`, `delay_ms` and `cut` are done to its answer.
    """

    status: int | None = Field(None, ge=200, le=599)
    headers: dict[HeaderName, HeaderValue] | None = None
    delay_ms: float = Field(0, ge=0, le=3_600_000)
    body: str | None = None
    json_: JsonValue = Field(None, alias="json")
    cut: Cut | None = Field(
        None,
        description="close: the connection closes without a reply; half_body: in the middle of one; "
        "truncate_gzip: it is packed, without its last 8 bytes",
    )

    @property
    def replaces(self) -> bool:
        """Whether it is the reply, so that the model is not asked."""
        return self.status is not None or self.body is not None or "json_" in self.model_fields_set


class FaultRule(Strict):
    """Requests and their fault; the first rule that fits a request decides."""

    when: When
    reply: FaultReply


class BatchLife(Strict):
    """How a batch goes: its statuses, one after the other, and what it has to show at the end."""

    nth: Count | None = Field(None, description="only the nth batch that is submitted")
    statuses: list[Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]] = Field(
        default=["validating", "in_progress", "finalizing", "completed"], min_length=1
    )
    looks: Count = Field(1, description="how often a status is seen before the next one")
    not_found_gets: int = Field(0, ge=0, le=10_000, description="404 for so many gets at first")
    not_found_seconds: float = Field(0, ge=0, le=3600, description="404 for so long at first")
    listed: bool = Field(True, description="whether the listing shows it")
    shows_requests: bool = Field(False, description="whether it names its requests before it has ended")
    answered: float = Field(
        1, ge=0, le=1, description="the share of its requests, from the first, with a result"
    )

    @property
    def asked(self) -> bool:
        """Whether its requests are put to the model at all."""
        return self.statuses[-1] not in ("failed", "cancelled")


class FaultPlan(Strict):
    """A file such as `mock/faults/example.yaml`."""

    seed: int = Field(1, ge=0, description="decides which bodies a share is")
    faults: list[FaultRule] = Field([], description="the first that fits a request decides")
    batches: list[BatchLife] = Field([], description="the first that fits a batch decides")


def load_fault_plan(path: Path) -> FaultPlan:
    """Read a fault plan. Raises CatalogueError with file, line and key."""
    document = read_yaml(path)
    reading = read_shape(document, FaultPlan)
    if reading.errors or reading.content is None:
        raise reading.errors[0]
    for key, message in _contradictions(reading.content):
        raise document.error(key, message)
    return reading.content


def _contradictions(plan: FaultPlan) -> Iterator[tuple[KeyPath, str]]:
    for index, rule in enumerate(plan.faults):
        when, reply = rule.when, rule.reply
        at: KeyPath = ("faults", index)
        if when.first is not None and when.last is not None and when.first > when.last:
            yield (*at, "when", "last"), f"comes before first ({when.first})"
        if when.above is not None and when.above.per_second is None and when.above.concurrent is None:
            yield (*at, "when", "above"), "needs per_second, concurrent or both"
        if reply.body is not None and "json_" in reply.model_fields_set:
            yield (*at, "reply", "json"), "cannot stand beside body"
        for name in reply.headers or {}:
            if name.lower() in _FRAMING:
                yield (*at, "reply", "headers", name), "is set by the server; use cut to break a reply"
        if reply.status in (204, 304) and (reply.body is not None or "json_" in reply.model_fields_set):
            yield (*at, "reply", "status"), f"a {reply.status} has no body"
        if not reply.model_fields_set:
            yield (*at, "reply"), "does nothing; expected any of status, headers, delay_ms, body, json, cut"
        if when.face in _PATH_FACES and when.path is not None:
            yield (*at, "when", "path"), f"cannot stand beside face {when.face}"
