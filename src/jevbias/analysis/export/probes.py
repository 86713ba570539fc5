"""Every call of a run, one row each."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, select

from jevbias.analysis.export.chunks import SUBJECT, by_probe, probe_chunks, subject
from jevbias.analysis.export.table import Row as TableRow
from jevbias.analysis.export.table import Table, Value, finite, moment
from jevbias.errors import DatabaseError
from jevbias.store.runs import run_catalogue
from jevbias.store.tables import ASK, ATTEMPT, PROBE, Run

_OUTCOME = ("status", "attempts", "error_kind", "error", "model_answered", "request_id")
_TOKENS = ("input_tokens", "cached_tokens", "output_tokens")
_LAST = ("sent_at", "http_status", "body_sha256", "possibly_billed")
_STORED = (
    *("id", "ask_id", "position", "scenario", "variant", "condition", "replicate"),
    *(*_OUTCOME, "latency_ms", *_TOKENS, "cost", "batch_id", "answered_at"),
)
_ATTEMPT = ("probe_id", "number", "started_at", "http_status", "body_sha256", "possibly_billed")


def probe_table(connection: Connection, run: Run, *, raw: bool) -> Table:
    """The probes by position. `sent_at`, `http_status`, `body_sha256` and `possibly_billed` are the last
    attempt's, `ask_sha256` is the plan's name for what was asked. With `raw` the last reply stands in
    `response`, or in `response_base64` where it is no UTF-8 text.
    """
    columns = [
        *("probe", "position", *SUBJECT, *_OUTCOME, *_LAST, "answered_at", "latency_ms", *_TOKENS),
        *("cost", "batch", "ask_sha256"),
        *(("response", "response_base64") if raw else ()),
    ]
    return Table(columns, _rows(connection, run, raw))


def _rows(connection: Connection, run: Run, raw: bool) -> Iterator[TableRow]:
    catalogue = run_catalogue(run)
    names = (*_STORED, "response") if raw else _STORED
    for chunk in probe_chunks(connection, run, [PROBE.c[name] for name in names]):
        asks = {row.ask_id for row in chunk}
        found = connection.execute(select(ASK.c.id, ASK.c.hash).where(ASK.c.id.in_(asks)))
        hashes = {row.id: row.hash for row in found}
        sends = select(*(ATTEMPT.c[name] for name in _ATTEMPT))
        sends = sends.where(ATTEMPT.c.probe_id.in_([row.id for row in chunk])).order_by(ATTEMPT.c.number)
        attempts = by_probe(connection.execute(sends).all())
        for row in chunk:
            yield (
                *(row.id, row.position),
                *subject(row, catalogue),
                *(getattr(row, name) for name in _OUTCOME),
                *_last(attempts.get(row.id, [])),
                *(moment(row.answered_at), finite(row.latency_ms)),
                *(getattr(row, name) for name in _TOKENS),
                *(finite(row.cost), row.batch_id, hashes.get(row.ask_id)),
                *(_response(row) if raw else ()),
            )


def _last(attempts: list[Row[Any]]) -> tuple[Value, ...]:
    if not attempts:
        return (None,) * len(_LAST)
    last = attempts[-1]
    return moment(last.started_at), last.http_status, last.body_sha256, last.possibly_billed


def _response(row: Row[Any]) -> tuple[Value, Value]:
    if row.response is None:
        return None, None
    try:
        reply = zlib.decompress(row.response)
    except zlib.error:
        raise DatabaseError(f"database: the reply of probe {row.id} is damaged; restore a copy") from None
    try:
        return reply.decode("utf-8"), None
    except UnicodeDecodeError:
        return None, base64.b64encode(reply).decode("ascii")
