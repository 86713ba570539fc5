"""A pair or a cell opened down to what was sent and what came back."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, select

from jevbias.analysis.trace.bodies import Body, render_asked, verified
from jevbias.analysis.trace.evidence import (
    GivenAnswer,
    OpenedCell,
    OpenedPair,
    Pair,
    ProbeEvidence,
    QuestionOfPair,
    Send,
)
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.catalogue.models import VARIANTS
from jevbias.errors import DatabaseError, UsageError
from jevbias.store.asks import AskReader
from jevbias.store.connections import reading
from jevbias.store.tables import ANSWER, ATTEMPT, PROBE


def open_pair(run: TracedRun, pair: Pair, questions: tuple[QuestionOfPair, ...], *, raw: bool) -> OpenedPair:
    """Both cells of a pair; with `raw` the replies as they came."""
    swap, anchor = (open_cell(run, cell, raw=raw) for cell in pair.cells)
    return OpenedPair(pair, questions, swap, anchor)


def open_cell(run: TracedRun, cell: int, *, raw: bool) -> OpenedCell:
    """One cell with all its probes, in the order of their replicates.

    Raises DatabaseError where what the database holds of them cannot be read.
    """
    ids = run.probe_ids[run.cell_probes(cell)].tolist()
    with reading(run.engine) as connection:
        rows = _Rows(connection, ids, raw)
        bodies = render_asked(run.run, AskReader(), connection, [row.ask_id for row in rows.probes])
    scenario = run.dataset.scenarios[run.cells.scenario[cell]]
    order = list(run.dataset.questions[run.cells.scenario[cell]])
    probes = tuple(rows.evidence(row, bodies[row.ask_id], order) for row in rows.probes)
    body = bodies[rows.probes[0].ask_id]
    as_sent, said = verified(body, probes)
    return OpenedCell(
        id=f"probe/{ids[0]}",
        run=run.run.name,
        who=run.people[run.cells.person[cell]],
        scenario=scenario,
        variant=VARIANTS[run.cells.variant[cell]],
        condition=run.dataset.conditions[run.cells.condition[cell]],
        body=None if body.content is None else body.content.decode("utf-8"),
        body_sha256=body.sha256,
        as_sent=as_sent,
        verified=said,
        probes=probes,
    )


def probe_cell_of(run: TracedRun, identifier: str) -> int:
    """The cell of `probe/NUMBER`. Raises UsageError where the run has no such probe."""
    number = identifier.removeprefix("probe/")
    found = np.zeros(0, dtype=np.int64)
    if number.isascii() and number.isdigit() and len(number) < 19:
        found = np.flatnonzero(run.probe_ids == int(number))
    if not found.size:
        shown = "".join(sign if sign.isprintable() else "?" for sign in number[:40])
        ids = run.probe_ids
        span = f"its probes are {ids.min()} to {ids.max()}" if ids.size else "it has none"
        raise UsageError(f"run {run.run.name} has no probe '{shown}'; {span}")
    return int(run.cells.probe_cell[found[0]])


class _Rows:
    """What the database holds of some probes."""

    def __init__(self, connection: Connection, ids: Sequence[int], raw: bool):
        self._raw = raw
        left_out = () if raw else ("response",)
        columns = [column for column in PROBE.c if column.name not in left_out]
        self.probes = connection.execute(
            select(*columns).where(PROBE.c.id.in_(ids)).order_by(PROBE.c.replicate, PROBE.c.id)
        ).all()
        self._sends: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        sends = select(*(column for column in ATTEMPT.c if column.name not in left_out))
        for row in connection.execute(sends.where(ATTEMPT.c.probe_id.in_(ids)).order_by(ATTEMPT.c.number)):
            self._sends[row.probe_id].append(row)
        self._answers: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(select(ANSWER).where(ANSWER.c.probe_id.in_(ids))):
            self._answers[row.probe_id].append(row)

    def evidence(self, row: Row[Any], body: Body, order: Sequence[str]) -> ProbeEvidence:
        """A probe; its answers stand in the order of the questions."""
        place = {question: number for number, question in enumerate(order)}
        answers = sorted(self._answers[row.id], key=lambda a: (place.get(a.question, len(place)), a.question))
        return ProbeEvidence(
            probe=row.id,
            replicate=row.replicate,
            status=row.status,
            error_kind=row.error_kind,
            error=row.error,
            model_answered=row.model_answered,
            request_id=row.request_id,
            answered_at=row.answered_at,
            latency_ms=row.latency_ms,
            answers=tuple(
                GivenAnswer(a.question, a.kind, a.value, a.favourability, a.confidence, a.flags)
                for a in answers
            ),
            sends=tuple(
                Send(
                    number=send.number,
                    started_at=send.started_at,
                    outcome=send.outcome,
                    http_status=send.http_status,
                    body_sha256=send.body_sha256,
                    as_rendered=body.is_that_of(send.body_sha256),
                    response=self._text(send),
                )
                for send in self._sends[row.id]
            ),
            response=self._text(row),
        )

    def _text(self, row: Row[Any]) -> str | None:
        """A stored reply as text; bytes that are no UTF-8 are written as escapes."""
        if not self._raw or row.response is None:
            return None
        try:
            return zlib.decompress(row.response).decode("utf-8", errors="backslashreplace")
        except zlib.error:
            raise DatabaseError("database: a stored reply is damaged; restore a copy") from None
