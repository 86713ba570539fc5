"""The tables of runs without a plan: their calls, and the episodes that calls make up."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel

from jevbias.store.constraints import one_of

CALL_STATUSES = ("sent", "done")


class CallRow(SQLModel, table=True):
    """One request of a run that has no plan, because each call follows from the ones before. Its row is
    committed as `sent` before the request leaves; `done` once something, or the failure to get anything, came
    back.

    `key` says what the call is for. `body` and `response` are zlib. `sends` counts how often it was sent, and
    `possibly_billed` those of them that may have been paid for although no answer is known.
    """

    __tablename__ = "call"
    __table_args__ = (UniqueConstraint("run_id", "key"), one_of("status", CALL_STATUSES))

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    key: str
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    body_sha256: str
    status: str = "sent"
    sends: int = 1
    possibly_billed: int = 0
    http_status: int | None = None
    fault: str | None = None
    error: str | None = None
    retry_after: float | None = None
    location: str | None = None
    response: bytes | None = Field(default=None, sa_column=Column(LargeBinary, nullable=True))
    model_answered: str | None = None
    request_id: str | None = None
    latency_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    sent_at: float
    done_at: float | None = None


class EpisodeRow(SQLModel, table=True):
    """One episode of a collaboration run that has ended: what one arm did on one instance of the task.
    `content` is its log, canonical JSON, zlib.
    """

    __tablename__ = "episode"
    __table_args__ = (UniqueConstraint("run_id", "arm", "level", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: int = Field(foreign_key="run.id", ondelete="CASCADE")
    arm: str
    level: str
    number: int
    content: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


CALL, EPISODE = (SQLModel.metadata.tables[name] for name in ("call", "episode"))
"""The same tables for bulk statements through SQLAlchemy Core."""
