"""Writing a plan into the database as a new run."""

from __future__ import annotations

import re
import time
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, func, select, text

from jevbias import __version__
from jevbias.catalogue.canonical import canonical_json
from jevbias.errors import UsageError
from jevbias.people.person import Person
from jevbias.plan.asks import PackedAsk, PackedBlock, PlannedAsks
from jevbias.plan.model import Plan
from jevbias.plan.places import placed_probes, planned_frames
from jevbias.store.call_tables import CALL, EPISODE
from jevbias.store.connections import connect_for_writing, explained
from jevbias.store.hypotheses import SETTING, FrozenHypotheses, write_hypotheses
from jevbias.store.owner import Owner
from jevbias.store.tables import ASK, BATCH, FRAME, HYPOTHESIS, PERSON, PROBE, RUN

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_CHUNK = 20_000
"""Rows a transaction writes at most: other processes wait for the write lock no longer than that takes."""
_STEP = 5_000
_LONGEST_TRANSACTION = 8.0
"""Seconds; others that share the file wait for up to 60."""
_CACHE_KIB = 64 * 1024
"""What SQLite may keep in memory while it stores a run; by default that is 2,000."""


def check_run_name(name: str) -> str:
    """The name, if a run may have it. Raises UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"run name {name!r} is not allowed: letters, digits, '.', '_' and '-', the first a letter or "
            "digit, at most 80"
        )
    return name


def create_run(
    engine: Engine,
    plan: Plan,
    *,
    name: str,
    driver: str,
    model: str,
    base_url: str,
    margin: float,
    alpha: float,
    settings: Mapping[str, Any],
    kind: str = "bias",
    hypotheses: FrozenHypotheses | None = None,
) -> int:
    """Store a plan as a new run and return the run's id.

    `settings` is whatever else belongs to the run and is no secret; the profile as narrowed is added under
    `profile`. The rows are written in transactions of some thousand under the status `planning`, then the
    run becomes `planned`; in that last transaction come the `hypotheses` of a confirmatory run, so that none
    can be drained without. A planning that was killed is replaced by the next one of the same name; one that
    fails or is interrupted leaves nothing behind.

    Raises UsageError, with nothing written, for a name that is not allowed, exists or is being planned.
    """
    check_run_name(name)
    confirming = {} if hypotheses is None else {SETTING: hypotheses.setting}
    row = {
        "name": name,
        "kind": kind,
        "profile": plan.profile_name,
        "design": plan.profile.design,
        "seed": plan.seed,
        "driver": driver,
        "model": model,
        "base_url": base_url,
        "settings": {"profile": plan.profile.model_dump(mode="json"), **settings, **confirming},
        "catalogue": zlib.compress(canonical_json(plan.snapshot)),
        "catalogue_hash": plan.catalogue_hash,
        "plan_hash": plan.plan_hash,
        "margin": margin,
        "alpha": alpha,
        "status": "planning",
        "created_at": time.time(),
        "jevbias_version": __version__,
        "planned_by": str(Owner.current()),
    }
    with explained(engine), connect_for_writing(engine) as connection:
        with connection.begin():
            free_the_name(connection, name)
            run_id = int(connection.execute(RUN.insert().returning(RUN.c.id), row).scalar_one())
        try:
            _write(connection, run_id, plan)
            _make_ready(connection, run_id, hypotheses)
        except BaseException:
            with connection.begin():
                remove_run(connection, run_id)
            raise
    return run_id


def free_the_name(connection: Connection, name: str) -> None:
    """Remove what a planning that was killed left under a name. Raises UsageError for one that is taken."""
    query = select(RUN.c.id, RUN.c.kind, RUN.c.status, RUN.c.planned_by).where(RUN.c.name == name)
    found = connection.execute(query).first()
    if found is None:
        return
    if found.status != "planning":
        family = "" if found.kind == "bias" else f"{found.kind} "
        raise UsageError(
            f"run {name} exists; choose another --name, or go on with it by "
            f"`jevbias {family}run --resume {name}`"
        )
    planner = Owner.parse(found.planned_by)
    if not planner.is_dead:
        raise UsageError(
            f"run {name} is being planned by {planner.described}; "
            f"if that is gone, `jevbias runs --delete {name}` frees the name"
        )
    remove_run(connection, found.id)


def remove_run(connection: Connection, run_id: int) -> None:
    """Delete a run's rows, children first, so that no step has to search for its dependants."""
    for table in (HYPOTHESIS, PROBE, BATCH, ASK, FRAME, PERSON, CALL, EPISODE):
        connection.execute(table.delete().where(table.c.run_id == run_id))
    connection.execute(RUN.delete().where(RUN.c.id == run_id))


def _write(connection: Connection, run_id: int, plan: Plan) -> None:
    _give_room(connection)
    frames = planned_frames(plan)
    frame_ids = _insert_with_ids(
        connection,
        FRAME,
        (
            {
                "run_id": run_id,
                "scenario": frame.scenario,
                "variant": frame.variant,
                "hash": frame.hash,
                "content": zlib.compress(canonical_json(frame.content)),
            }
            for frame in frames
        ),
    )
    person_ids = _insert_with_ids(connection, PERSON, (_person_row(run_id, person) for person in plan.people))
    frame_of = dict(zip((frame.hash for frame in frames), frame_ids, strict=True))
    ask_ids = _insert_bare(connection, ASK, _ASK_COLUMNS, _ask_rows(run_id, frame_of, plan))
    person_of = dict(zip((person.idx for person in plan.people), person_ids, strict=True))
    _insert_bare(connection, PROBE, _PROBE_COLUMNS, _probe_rows(run_id, person_of, ask_ids, plan))


def _make_ready(connection: Connection, run_id: int, hypotheses: FrozenHypotheses | None) -> None:
    with connection.begin():
        if hypotheses is not None:
            write_hypotheses(connection, run_id, hypotheses)
        connection.execute(RUN.update().where(RUN.c.id == run_id).values(status="planned", planned_by=None))


def _person_row(run_id: int, person: Person) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "idx": person.idx,
        "base": person.base,
        "is_anchor": person.is_anchor,
        "swapped_attribute": person.swapped_attribute,
        "swapped_level": person.swapped_level,
        "full_name": person.full_name,
        "attributes": dict(person.levels),
        "age": person.age,
        "height_cm": person.height_cm,
        "weight_kg": person.weight_kg,
    }


_ASK_COLUMNS = ("run_id", "frame_id", "hash", "person")


def _ask_rows(run_id: int, frame_ids: Mapping[str, int], plan: Plan) -> Iterator[tuple[Any, ...]]:
    for digest, frame_hash, person in _packed_asks(plan):
        yield run_id, frame_ids[frame_hash], digest, person


def _packed_asks(plan: Plan) -> Iterable[PackedAsk]:
    if isinstance(plan.asks, PlannedAsks):
        return plan.asks.packed()
    blocks = ((digest, ask, PackedBlock.of(ask.person)) for digest, ask in plan.asks.items())
    return (PackedAsk(digest, ask.frame.hash, block.packed) for digest, ask, block in blocks)


_PROBE_COLUMNS = (
    *("run_id", "position", "person_id", "ask_id", "scenario", "variant", "condition", "replicate"),
    *("status", "attempts", "last_attempt"),
)


def _probe_rows(
    run_id: int, person_ids: Mapping[int, int], ask_ids: Sequence[int], plan: Plan
) -> Iterator[tuple[Any, ...]]:
    for position, person, scenario, variant, condition, replicate, place in placed_probes(plan):
        yield (
            *(run_id, position, person_ids[person], ask_ids[place], scenario, variant, condition, replicate),
            *("pending", 0, 0),
        )


def _insert_with_ids(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> array[int]:
    """Insert rows in chunks and return the ids they were given."""
    ids = array("q")
    for chunk in _chunks(rows):
        with connection.begin():
            given = free_ids(connection, table, len(chunk))
            connection.execute(
                table.insert(), [{"id": id_, **row} for id_, row in zip(given, chunk, strict=True)]
            )
        ids.extend(given)
    return ids


def _insert_bare(
    connection: Connection, table: Table, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]
) -> array[int]:
    """As `_insert_with_ids`, for rows by the million: numbers, texts and bytes go to the driver as
    they are, which takes half the time, and few at once, which takes little room. A transaction takes as many
    as it can in a few seconds: each writes most pages of the indexes once, so few of them write less.
    """
    named = ", ".join(("id", *columns))
    marks = ", ".join(["?" if connection.dialect.paramstyle == "qmark" else "%s"] * (len(columns) + 1))
    statement = f"INSERT INTO {table.name} ({named}) VALUES ({marks})"  # noqa: S608
    ids = array("q")
    step = list(islice(rows, _STEP))
    while step:
        with connection.begin():
            ends = time.monotonic() + _LONGEST_TRANSACTION
            while step and time.monotonic() < ends:
                given = free_ids(connection, table, len(step))
                numbered = [(id_, *row) for id_, row in zip(given, step, strict=True)]
                connection.exec_driver_sql(statement, numbered)
                ids.extend(given)
                step = list(islice(rows, _STEP))
    return ids


def _give_room(connection: Connection) -> None:
    """Let SQLite keep the indexes of a run in memory while it is stored: rows come in an order that is random
    to them, and with little room most of the time goes into reading and writing their pages again and again.
    """
    if connection.dialect.name == "sqlite":
        with connection.begin():
            connection.exec_driver_sql(f"PRAGMA cache_size = -{_CACHE_KIB}")


def free_ids(connection: Connection, table: Table, count: int) -> Sequence[int]:
    """Ids for rows to come. Asking for them first is several times faster than having each insert return
    its own.
    """
    if connection.dialect.name == "postgresql":
        query = text("SELECT nextval(pg_get_serial_sequence(:table, 'id')) FROM generate_series(1, :count)")
        return connection.execute(query, {"table": table.name, "count": count}).scalars().all()
    # The write transaction keeps everyone else away from the numbers that follow.
    newest = connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()
    return range(newest + 1, newest + 1 + count)


def _chunks(rows: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(rows)
    while chunk := list(islice(remaining, _CHUNK)):
        yield chunk
