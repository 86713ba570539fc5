"""The tables. SQLModel classes with `table=True` do not validate, so the database's own constraints do."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    LargeBinary,
    Table,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlmodel import Field, SQLModel

from jevbias.store.call_tables import CALL, EPISODE
from jevbias.store.constraints import one_of

PROBE_STATUSES = ("pending", "running", "answered", "refused", "malformed", "failed")
FINISHED_STATUSES = ("answered", "refused", "malformed", "failed")
RUN_STATUSES = ("planning", "planned", "running", "stopped", "finished")
RUN_KINDS = ("bias", "testbench", "collab", "battery")
BATCH_STATUSES = ("submitting", "submitted", "collected", "withdrawn")
DIRECTIONS = ("down", "up")


class Run(SQLModel, table=True):
    """One plan put to one model. Times are seconds since the epoch (UTC). An id is never used again, so that
    an answer to a deleted run finds nothing it could be mistaken for.
    """

    __tablename__ = "run"
    __table_args__ = (
        one_of("status", RUN_STATUSES),
        one_of("kind", RUN_KINDS),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    kind: str = "bias"
    profile: str
    design: str
    seed: int = Field(sa_column=Column(BigInteger, nullable=False))
    driver: str
    model: str
    base_url: str
    settings: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """Profile as narrowed, timeout and the like; never a key."""
    catalogue: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """The catalogue snapshot, canonical JSON, zlib."""
    catalogue_hash: str
    plan_hash: str
    margin: float
    alpha: float
    status: str = "planning"
    created_at: float
    started_at: float | None = None
    finished_at: float | None = None
    jevbias_version: str
    planned_by: str | None = None
    """Who writes the plan while the status is `planning`, and who works on a run of calls while that is
    `running`, in the form of `owner.Owner`."""
    stop_reason: str | None = None
    """Why the run stopped before its end, in one line; None while it runs and once it has finished."""


class PersonRow(SQLModel, table=True):
    """One generated person; `attributes` maps attribute to level."""

    __tablename__ = "person"
    __table_args__ = (UniqueConstraint("run_id", "idx"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    idx: int
    base: int | None = None
    is_anchor: bool
    swapped_attribute: str | None = None
    swapped_level: str | None = None
    full_name: str
    attributes: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    age: int | None = None
    height_cm: int | None = None
    weight_kg: int | None = None


class FrameRow(SQLModel, table=True):
    """A scenario's variant with its questions; `content` is canonical JSON, zlib."""

    __tablename__ = "frame"
    __table_args__ = (UniqueConstraint("run_id", "hash"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    scenario: str
    variant: str
    hash: str
    content: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class AskRow(SQLModel, table=True):
    """A frame and one person block; `person` is canonical JSON, zlib."""

    __tablename__ = "ask"
    __table_args__ = (UniqueConstraint("run_id", "hash"), Index("ask_frame", "frame_id"))

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    frame_id: int = Field(foreign_key="frame.id", ondelete="CASCADE")
    hash: str
    person: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Probe(SQLModel, table=True):
    """One call: one person, one scenario, one condition, one replicate.

    `attempts` counts what has been sent and counts towards the limit; `last_attempt` is the number of the
    newest attempt row and tells one lease from the next. `response` is the raw body of the last reply, zlib;
    `cost` is in US dollars, null where nobody said.
    """

    __tablename__ = "probe"
    __table_args__ = (
        UniqueConstraint("run_id", "person_id", "scenario", "condition", "replicate", "variant"),
        one_of("status", PROBE_STATUSES),
        Index(
            "probe_pending",
            "run_id",
            "position",
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
        Index(
            "probe_running",
            "run_id",
            "lease_until",
            sqlite_where=text("status = 'running'"),
            postgresql_where=text("status = 'running'"),
        ),
        Index("probe_person", "person_id"),
        Index("probe_ask", "ask_id"),
        Index(
            "probe_batch",
            "batch_id",
            sqlite_where=text("batch_id IS NOT NULL"),
            postgresql_where=text("batch_id IS NOT NULL"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    position: int
    person_id: int = Field(foreign_key="person.id", ondelete="CASCADE")
    ask_id: int = Field(foreign_key="ask.id", ondelete="CASCADE")
    scenario: str
    variant: str
    condition: str
    replicate: int
    status: str = "pending"
    attempts: int = 0
    last_attempt: int = 0
    lease_owner: str | None = None
    lease_until: float | None = None
    not_before: float | None = None
    error_kind: str | None = None
    error: str | None = None
    response: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    model_answered: str | None = None
    request_id: str | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    batch_id: int | None = None
    """The batch that holds this probe or brought what came back; null for one that goes alone."""
    answered_at: float | None = None
    cached_tokens: int | None = None
    """Of the input tokens, those that the provider's cache served."""


class Attempt(SQLModel, table=True):
    """One send of a probe, committed before it is sent; `outcome` is null while it is in flight.

    `outcome` is the probe's new status, or the kind of error that came back, or `unknown` where the lease was
    lost. `response` holds (zlib) a reply that is not the probe's: an answer that came too late, when another
    was stored already, or a reply without a usable answer whose probe went back to the queue.
    """

    __tablename__ = "attempt"
    __table_args__ = ({"sqlite_with_rowid": False},)

    probe_id: int = Field(foreign_key="probe.id", ondelete="CASCADE", primary_key=True)
    number: int = Field(primary_key=True)
    started_at: float
    duration_ms: float | None = None
    outcome: str | None = None
    http_status: int | None = None
    body_sha256: str | None = None
    possibly_billed: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    response: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    cached_tokens: int | None = None


class AnswerRow(SQLModel, table=True):
    """What one question of one probe came back as; `flags` is a comma-separated list, mostly empty."""

    __tablename__ = "answer"
    __table_args__ = (
        CheckConstraint("value >= 0 AND value <= 1", name="value_in_unit_interval"),
        CheckConstraint("favourability >= 0 AND favourability <= 1", name="favourability_in_unit_interval"),
        {"sqlite_with_rowid": False},
    )

    probe_id: int = Field(foreign_key="probe.id", ondelete="CASCADE", primary_key=True)
    question: str = Field(primary_key=True)
    kind: str
    value: float
    favourability: float
    confidence: float | None = None
    flags: str = ""


class HypothesisRow(SQLModel, table=True):
    """What a confirmatory run claims in advance: the pooled comparison `comparison` moves answers in
    `direction`. All rows of a run carry one `frozen_hash`, which covers them in the order of `position`.
    """

    __tablename__ = "hypothesis"
    __table_args__ = (one_of("direction", DIRECTIONS), {"sqlite_with_rowid": False})

    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE", primary_key=True)
    comparison: str = Field(primary_key=True)
    position: int
    direction: str
    margin: float
    alpha: float
    frozen_hash: str
    frozen_at: float
    source_run: str


class BatchRow(SQLModel, table=True):
    """Requests that a provider answers later. Committed as `submitting` with the hash of its content before
    it is sent, so that a process that dies in between leaves a trace by which it is found again.

    `provider_status` is what the provider last said; `answered` and `unanswered` count its results, `cost`
    (US dollars) is null where nobody said. `withdrawn`: given up by the user or the provider; its probes went
    back to the queue.
    """

    __tablename__ = "batch"
    __table_args__ = (
        one_of("status", BATCH_STATUSES),
        Index("batch_run", "run_id"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    provider_id: str | None = None
    content_hash: str
    status: str = "submitting"
    provider_status: str | None = None
    requests: int
    answered: int = 0
    unanswered: int = 0
    cost: float | None = None
    created_at: float
    submitted_at: float | None = None
    collected_at: float | None = None
    error: str | None = None


def _table(name: str) -> Table:
    return SQLModel.metadata.tables[name]


RUN, PERSON, FRAME, ASK = _table("run"), _table("person"), _table("frame"), _table("ask")
PROBE, ATTEMPT, ANSWER = _table("probe"), _table("attempt"), _table("answer")
HYPOTHESIS, BATCH = _table("hypothesis"), _table("batch")
"""The same tables for bulk statements through SQLAlchemy Core."""

TABLES = (RUN, PERSON, FRAME, ASK, PROBE, ATTEMPT, ANSWER, HYPOTHESIS, BATCH, CALL, EPISODE)

PENDING = PROBE.c.status == literal_column("'pending'")
RUNNING = PROBE.c.status == literal_column("'running'")
"""Conditions with the status spelt out: a partial index serves a query only then."""
