"""A stored run as the lines of its archive, in the one order that they can have."""

from __future__ import annotations

import json
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from sqlalchemy import BindParameter, Connection, Row, Table, bindparam, func, select

from jevbias.errors import DatabaseError, UsageError
from jevbias.store.archive.ask_order import FrameKey, frame_key
from jevbias.store.archive.columns import COLUMNS
from jevbias.store.archive.faults import Fault, described
from jevbias.store.archive.records import (
    LONGEST_LINE,
    Answered,
    AskLine,
    BatchLine,
    FrameContent,
    FrameLine,
    HypothesisLine,
    Line,
    PersonLine,
    ProbeLine,
    RunFields,
    RunLine,
    Send,
    pack_response,
)
from jevbias.store.archive.run_check import RunCheck
from jevbias.store.tables import ANSWER, ASK, ATTEMPT, BATCH, FRAME, HYPOTHESIS, PERSON, PROBE, RUN

_CHUNK = 500
_STREAMED = {"yield_per": 2_000}


def run_lines(
    connection: Connection, run_id: int, check: RunCheck, *, stated: Mapping[str, str] | None = None
) -> Iterator[bytes]:
    """The lines of a run's archive, each with its end, as `check` takes them. `stated` are fields of the run
    that are taken to be so, whatever is stored.

    The connection's transaction must see one state of the database throughout. Memory grows with the run by
    some bytes a probe. Raises UsageError for a run that is not at rest, and DatabaseError where what is
    stored is not what the run's hashes name, or nothing that an archive could say.
    """
    row = connection.execute(select(RUN).where(RUN.c.id == run_id)).one()
    fields = {**_fields(RunFields, row), **(stated or {})}
    check_at_rest(connection, run_id, fields)
    try:
        for line in _RunReader(connection, row).lines(fields, check):
            written = check.take(line)
            if len(written) > LONGEST_LINE:
                raise Fault(f"a line {line.record} takes more than {LONGEST_LINE:,} bytes")
            yield written
        yield check.take(check.end_line)
    except (Fault, ValidationError) as error:
        what = described(error) if isinstance(error, ValidationError) else str(error)
        raise DatabaseError(
            f"run {row.name} cannot be archived, because it was altered in the database: {what}"
        ) from None


def check_at_rest(connection: Connection, run_id: int, fields: Mapping[str, Any]) -> None:
    """Raises UsageError for a run that is being planned or drained, or has probes in batches."""
    name = fields["name"]
    if fields["status"] == "planning":
        raise UsageError(f"run {name} was never fully planned; start it again under the same name")
    if fields["status"] == "running":
        raise UsageError(
            f"run {name} is running: stop it first; where its process is gone, "
            f"`jevbias reset --run {name}` does"
        )
    held = select(func.count()).where(PROBE.c.run_id == run_id, PROBE.c.status == "running")
    if count := connection.execute(held).scalar_one():
        raise UsageError(
            f"run {name}: {count} of its probes are held by a batch or a process; collect the batch by "
            f"`jevbias batch collect`, or return them by `jevbias reset --run {name}`"
        )


class _RunReader:
    """Reads one run in an archive's order."""

    def __init__(self, connection: Connection, run: Row[Any]):
        self._connection, self._run = connection, run
        self._batch_numbers: dict[int | None, int | None] = {None: None}

    def lines(self, fields: Mapping[str, Any], check: RunCheck) -> Iterator[Line]:
        """Every line but the last; `fields` are the run's own. `check` takes each before the next is read."""
        snapshot = json.loads(zlib.decompress(self._run.catalogue))
        yield RunLine(run=RunFields(**fields), catalogue=snapshot)
        yield from self._hypotheses()
        yield from self._batches()
        yield from self._people()
        asks = 0
        for row in sorted(self._rows(FRAME), key=lambda row: _frame_key(check.places, row)):
            for line in self._frame(row):
                asks += isinstance(line, AskLine)
                yield line
        if asks != self._count(ASK):
            raise Fault("an ask has no probe")

    def _hypotheses(self) -> Iterator[Line]:
        for row in sorted(self._rows(HYPOTHESIS), key=lambda row: (row.position, row.comparison)):
            yield HypothesisLine(**_fields(HypothesisLine, row))

    def _batches(self) -> Iterator[Line]:
        for number, row in enumerate(sorted(self._rows(BATCH), key=lambda row: int(row.id))):
            self._batch_numbers[row.id] = number
            yield BatchLine(**_fields(BatchLine, row), number=number)

    def _people(self) -> Iterator[Line]:
        query = select(PERSON).where(PERSON.c.run_id == self._run.id).order_by(PERSON.c.idx)
        for row in self._connection.execute(query, execution_options=_STREAMED):
            yield PersonLine(**_fields(PersonLine, row))

    def _frame(self, row: Row[Any]) -> Iterator[Line]:
        content = json.loads(zlib.decompress(row.content))
        line = FrameLine(hash=row.hash, content=FrameContent(**content))
        if (line.content.scenario, line.content.variant) != (row.scenario, row.variant):
            raise Fault(f"the frame {row.scenario} {row.variant} is another's")
        yield line
        probes, asks = array("q"), array("q")
        for probe, ask in self._connection.execute(_ORDERED, {"frame": row.id}, execution_options=_STREAMED):
            probes.append(probe)
            asks.append(ask)
        asked = None
        for start in range(0, len(probes), _CHUNK):
            these, their_asks = probes[start : start + _CHUNK], asks[start : start + _CHUNK]
            chunk = _Chunk(self._connection, these, their_asks)
            for probe, ask in zip(these, their_asks, strict=True):
                if ask != asked:
                    yield chunk.ask(ask)
                    asked = ask
                yield self._probe(row, chunk, probe)

    def _probe(self, frame: Row[Any], chunk: _Chunk, probe: int) -> Line:
        row = chunk.probes[probe]
        if (row.scenario, row.variant) != (frame.scenario, frame.variant):
            raise Fault(f"the probe at position {row.position} asks about another scenario")
        if row.batch_id not in self._batch_numbers:
            raise Fault(f"the batch of the probe at position {row.position} is gone")
        return ProbeLine(
            **_fields(ProbeLine, row),
            person=row.idx,
            batch=self._batch_numbers[row.batch_id],
            response=_response(row),
            sends=chunk.sends_of(probe),
            answers=chunk.answers_of(probe),
        )

    def _rows(self, table: Table) -> Sequence[Row[Any]]:
        return self._connection.execute(select(table).where(table.c.run_id == self._run.id)).all()

    def _count(self, table: Table) -> int:
        query = select(func.count()).select_from(table).where(table.c.run_id == self._run.id)
        return self._connection.execute(query).scalar_one()


_ORDERED = (
    select(PROBE.c.id, PROBE.c.ask_id)
    .select_from(ASK.join(PROBE, PROBE.c.ask_id == ASK.c.id).join(PERSON, PERSON.c.id == PROBE.c.person_id))
    .where(ASK.c.frame_id == bindparam("frame"))
    .order_by(
        func.min(PERSON.c.idx).over(partition_by=PROBE.c.ask_id),
        func.min(PROBE.c.position).over(partition_by=PROBE.c.ask_id),
        PROBE.c.position,
    )
)
"""The probes of a frame: ask by ask as `OpenAsk.place` has it, and by position."""

_IDS: BindParameter[int] = bindparam("ids", expanding=True)
_PROBES = (
    select(PROBE, PERSON.c.idx)
    .select_from(PROBE.join(PERSON, PERSON.c.id == PROBE.c.person_id))
    .where(PROBE.c.id.in_(_IDS))
)
_ASKS = select(ASK).where(ASK.c.id.in_(_IDS))
_SENDS = select(ATTEMPT).where(ATTEMPT.c.probe_id.in_(_IDS)).order_by(ATTEMPT.c.number)
_ANSWERS = select(ANSWER).where(ANSWER.c.probe_id.in_(_IDS))


class _Chunk:
    """Some hundred probes with all that belongs to them."""

    def __init__(self, connection: Connection, probes: Sequence[int], asks: Sequence[int]):
        these = {"ids": list(probes)}
        self.probes = {row.id: row for row in connection.execute(_PROBES, these)}
        self._asks = {row.id: row for row in connection.execute(_ASKS, {"ids": sorted(set(asks))})}
        self._sends: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(_SENDS, these):
            self._sends[row.probe_id].append(row)
        self._answers: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(_ANSWERS, these):
            self._answers[row.probe_id].append(row)

    def ask(self, ask: int) -> AskLine:
        """The line of an ask."""
        row = self._asks[ask]
        return AskLine(hash=row.hash, person=json.loads(zlib.decompress(row.person)))

    def sends_of(self, probe: int) -> list[Send]:
        """What was sent of a probe."""
        return [Send(**_fields(Send, row), response=_response(row)) for row in self._sends[probe]]

    def answers_of(self, probe: int) -> list[Answered]:
        """What a probe's questions came back as."""
        found = [Answered(**_fields(Answered, row)) for row in self._answers[probe]]
        return sorted(found, key=lambda answer: answer.question)


def _frame_key(places: Mapping[str, int], row: Row[Any]) -> FrameKey:
    return frame_key(places, row.scenario, row.variant, row.hash)


def _fields(model: type[BaseModel], row: Row[Any]) -> dict[str, Any]:
    """What a row says of a model's fields, but for those that are stored in another form."""
    return {name: getattr(row, name) for name in COLUMNS[model]}


def _response(row: Row[Any]) -> Any:
    return None if row.response is None else pack_response(zlib.decompress(row.response))
