"""The lines of an archive as rows of a database."""

from __future__ import annotations

import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table

from jevbias.catalogue.canonical import canonical_json
from jevbias.store.archive.columns import COLUMNS, PACKED
from jevbias.store.archive.records import (
    Answered,
    AskLine,
    BatchLine,
    FrameLine,
    HypothesisLine,
    Line,
    PersonLine,
    ProbeLine,
    Response,
    RunFields,
    RunLine,
    Send,
    unpack_response,
)
from jevbias.store.bulk_rows import free_ids
from jevbias.store.tables import ANSWER, ASK, ATTEMPT, BATCH, FRAME, HYPOTHESIS, PERSON, PROBE

_CHUNK = 2_000
"""Lines a transaction stores: other processes wait for the write lock no longer than that takes."""

_GIVEN_IDS: dict[type[Line], Table] = {PersonLine: PERSON, FrameLine: FRAME, AskLine: ASK, ProbeLine: PROBE}
_PARENTS_FIRST = (HYPOTHESIS, PERSON, FRAME, ASK, PROBE, ATTEMPT, ANSWER)


def run_row(line: RunLine) -> dict[str, Any]:
    """The row of an archive's run."""
    return {**_columns(line.run), "catalogue": zlib.compress(canonical_json(line.catalogue))}


class LineStore:
    """Stores the lines of one run, whose own row is there. They are verified: what refers finds."""

    def __init__(self, connection: Connection, run_id: int):
        self._connection, self._run_id = connection, run_id
        self._people = array("q")
        self._batches: list[int] = []
        self._frame: dict[str, Any] = {}
        self._ask_id = 0

    def store(self, lines: Iterable[Line]) -> None:
        """Store lines, the first and the last of an archive left out, in transactions of some thousand."""
        remaining = iter(lines)
        while chunk := list(islice(remaining, _CHUNK)):
            with self._connection.begin():
                self._store(chunk)

    def _store(self, lines: list[Line]) -> None:
        counts = Counter(type(line) for line in lines)
        ids = {
            kind: iter(free_ids(self._connection, table, counts[kind]))
            for kind, table in _GIVEN_IDS.items()
            if counts[kind]
        }
        rows: dict[Table, list[dict[str, Any]]] = {table: [] for table in _PARENTS_FIRST}
        for line in lines:
            if isinstance(line, BatchLine):  # The numbers of batches are the database's to give, and few.
                values = {**_columns(line), "run_id": self._run_id}
                returned = BATCH.insert().returning(BATCH.c.id)
                self._batches.append(self._connection.execute(returned, values).scalar_one())
            else:
                own = {"id": next(ids[type(line)])} if type(line) in ids else {}
                for table, row in self._rows(line, own):
                    rows[table].append(row)
        for table, found in rows.items():
            if found:
                self._connection.execute(table.insert(), found)

    def _rows(self, line: Line, own: dict[str, int]) -> Iterator[tuple[Table, dict[str, Any]]]:
        common = {**own, "run_id": self._run_id}
        match line:
            case HypothesisLine():
                yield HYPOTHESIS, {**common, **_columns(line)}
            case PersonLine():
                self._people.append(own["id"])
                yield PERSON, {**common, **_columns(line)}
            case FrameLine():
                self._frame = {"scenario": line.content.scenario, "variant": line.content.variant}
                self._frame_id = own["id"]
                content = zlib.compress(canonical_json(line.content.model_dump()))
                yield FRAME, {**common, **self._frame, "hash": line.hash, "content": content}
            case AskLine():
                self._ask_id = own["id"]
                person = zlib.compress(canonical_json(line.person))
                yield ASK, {**common, "frame_id": self._frame_id, "hash": line.hash, "person": person}
            case ProbeLine():
                yield PROBE, {**common, **self._probe(line)}
                belongs = {"probe_id": own["id"]}
                for send in line.sends:
                    yield ATTEMPT, {**belongs, **_columns(send), PACKED: _packed(send.response)}
                for answer in line.answers:
                    yield ANSWER, {**belongs, **_columns(answer)}

    def _probe(self, line: ProbeLine) -> dict[str, Any]:
        return {
            **_columns(line),
            **self._frame,
            "person_id": self._people[line.person],
            "ask_id": self._ask_id,
            "batch_id": None if line.batch is None else self._batches[line.batch],
            PACKED: _packed(line.response),
        }


def _columns(line: RunFields | HypothesisLine | BatchLine | PersonLine | ProbeLine | Send | Answered) -> Any:
    return {name: getattr(line, name) for name in COLUMNS[type(line)]}


def _packed(response: Response | None) -> bytes | None:
    raw = unpack_response(response)
    return None if raw is None else zlib.compress(raw)
