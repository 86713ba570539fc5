"""What the lines of an archive say: one strict model for each kind of line."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints, TypeAdapter

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import Condition, Variant

FORMAT: Literal["jevbias run archive"] = "jevbias run archive"
VERSION: Literal[1] = 1
"""Goes up whenever a line says something that an older jevbias would not understand."""
LONGEST_LINE = 2**25
"""Bytes: room for the largest reply that a driver takes, several times over."""


def _without_nul(text: str) -> str:
    if "\x00" in text:
        raise ValueError("holds a NUL character")
    return text


Text = Annotated[str, AfterValidator(_without_nul)]
"""PostgreSQL stores no NUL in a text."""
Count = Annotated[int, Field(ge=0, lt=2**31)]
Tokens = Annotated[int, Field(ge=0, le=2**53)]
Real = Annotated[float, Field(ge=-1e15, le=1e15)]
Moment = Annotated[float, Field(ge=0, lt=253_402_300_800)]
"""Seconds since the epoch (UTC), up to the year 9999."""
OnUnitInterval = Annotated[float, Field(ge=0, le=1)]
Sha256 = Annotated[str, StringConstraints(pattern=r"\A[0-9a-f]{64}\z")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Undecodable(_Strict):
    """Bytes that are no UTF-8 text."""

    base64: str


Response = str | Undecodable
"""A raw body: as text where it is UTF-8."""


def pack_response(raw: bytes | None) -> Response | None:
    """A raw body as a line holds it."""
    if raw is None:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return Undecodable(base64=base64.b64encode(raw).decode("ascii"))


def unpack_response(held: Response | None) -> bytes | None:
    """The raw body that a line holds. Raises ValueError where it is held in another way than it is packed."""
    if held is None or isinstance(held, str):
        return None if held is None else held.encode("utf-8")
    try:
        raw = base64.b64decode(held.base64, validate=True)
    except binascii.Error:
        raise ValueError("a response is not base64") from None
    if pack_response(raw) != held:
        raise ValueError("a response is text and not written as such")
    return raw


class RunFields(_Strict):
    """A run at rest. Times are seconds since the epoch (UTC)."""

    name: Text
    kind: Literal["bias", "testbench", "collab", "battery"]
    profile: Text
    design: Text
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)]
    driver: Text
    model: Text
    base_url: Text
    settings: dict[str, JsonValue]
    catalogue_hash: Sha256
    plan_hash: Sha256
    margin: OnUnitInterval
    alpha: OnUnitInterval
    status: Literal["planned", "stopped", "finished"]
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    jevbias_version: Text
    stop_reason: Text | None


class RunLine(_Strict):
    """The first line."""

    record: Literal["run"] = "run"
    format: Literal["jevbias run archive"] = FORMAT
    version: Literal[1] = VERSION
    run: RunFields
    catalogue: dict[str, JsonValue]


class HypothesisLine(_Strict):
    """What a confirmatory run claims in advance, in the order of `position`."""

    record: Literal["hypothesis"] = "hypothesis"
    comparison: Text
    position: Count
    direction: Literal["down", "up"]
    margin: OnUnitInterval
    alpha: OnUnitInterval
    frozen_hash: Text
    frozen_at: Moment
    source_run: Text


class BatchLine(_Strict):
    """Requests that a provider answered later. Batches are numbered from 0, oldest first."""

    record: Literal["batch"] = "batch"
    number: Count
    provider_id: Text | None
    content_hash: Text
    status: Literal["submitting", "submitted", "collected", "withdrawn"]
    provider_status: Text | None
    requests: Count
    answered: Count
    unanswered: Count
    cost: Real | None
    created_at: Moment
    submitted_at: Moment | None
    collected_at: Moment | None
    error: Text | None


class PersonLine(_Strict):
    """One person; `idx` counts from 0."""

    record: Literal["person"] = "person"
    idx: Count
    base: Count | None
    is_anchor: bool
    swapped_attribute: Text | None
    swapped_level: Text | None
    full_name: Text
    attributes: dict[str, str]
    age: Count | None
    height_cm: Count | None
    weight_kg: Count | None


class FrameContent(_Strict):
    """What `plan.model.Frame.content` says; the questions are checked by `Frame` itself."""

    scenario: Text
    variant: Variant
    title: Text
    role: Text
    case_key: Text
    case: dict[str, JsonValue]
    questions: dict[str, JsonValue]


class FrameLine(_Strict):
    """A scenario's variant with its questions, in payload order; the hash is over the content."""

    record: Literal["frame"] = "frame"
    hash: Sha256
    content: FrameContent


class AskLine(_Strict):
    """The frame above it and the block of one person, in payload order; the hash is over both."""

    record: Literal["ask"] = "ask"
    hash: Sha256
    person: dict[str, str]


class Send(_Strict):
    """One attempt of a probe."""

    number: Count
    started_at: Moment
    duration_ms: Real | None
    outcome: Text | None
    http_status: Count | None
    body_sha256: Text | None
    possibly_billed: bool
    input_tokens: Tokens | None
    output_tokens: Tokens | None
    cached_tokens: Tokens | None
    cost: Real | None
    response: Response | None


class Answered(_Strict):
    """What one question of a probe came back as."""

    question: Text
    kind: Literal["noul", "score", "choice"]
    value: OnUnitInterval
    favourability: OnUnitInterval
    confidence: OnUnitInterval | None
    flags: Text


class ProbeLine(_Strict):
    """One call that asks what the ask above it says. `person` is a person's `idx`, `batch` a batch's number;
    `sends` go up by their numbers, `answers` by their questions.
    """

    record: Literal["probe"] = "probe"
    position: Count
    person: Count
    condition: Condition
    replicate: Count
    status: Literal["pending", "answered", "refused", "malformed", "failed"]
    attempts: Count
    last_attempt: Count
    batch: Count | None
    not_before: Moment | None
    error_kind: Text | None
    error: Text | None
    model_answered: Text | None
    request_id: Text | None
    latency_ms: Real | None
    input_tokens: Tokens | None
    output_tokens: Tokens | None
    cached_tokens: Tokens | None
    cost: Real | None
    answered_at: Moment | None
    response: Response | None
    sends: list[Send]
    answers: list[Answered]


class Counts(_Strict):
    """How many lines of each kind there are, and how many sends and answers in them."""

    hypotheses: Count = 0
    batches: Count = 0
    people: Count = 0
    frames: Count = 0
    asks: Count = 0
    probes: Count = 0
    sends: Count = 0
    answers: Count = 0


class EndLine(_Strict):
    """The last line. `sha256` is over every line before it, their ends included."""

    record: Literal["end"] = "end"
    counts: Counts
    sha256: Sha256


Line = RunLine | HypothesisLine | BatchLine | PersonLine | FrameLine | AskLine | ProbeLine | EndLine
_LINE: TypeAdapter[Line] = TypeAdapter(Annotated[Line, Field(discriminator="record")])


def as_bytes(line: Line) -> bytes:
    """A line as it is written, with its end. Raises ValueError for what JSON cannot say."""
    return canonical_json(line.model_dump()) + b"\n"


def as_line(content: Any) -> Line:
    """A line from its JSON content. Raises pydantic's ValidationError, which is a ValueError."""
    return _LINE.validate_python(content)
