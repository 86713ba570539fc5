"""Writing a plan into the database as a new run."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, func, select, text

from jevbias import __version__
from jevbias.catalogue.canonical import canonical_json
from jevbias.errors import UsageError
from jevbias.people.person import Person
from jevbias.plan.model import Plan
from jevbias.store.connections import connect_for_writing, explained
from jevbias.store.hypotheses import SETTING, FrozenHypotheses, write_hypotheses
from jevbias.store.owner import Owner
from jevbias.store.tables import ASK, BATCH, FRAME, HYPOTHESIS, PERSON, PROBE, RUN

T = TypeVar("T")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_CHUNK = 20_000
"""Rows a transaction writes: other processes wait for the write lock no longer than that takes."""


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
    query = select(RUN.c.id, RUN.c.status, RUN.c.planned_by).where(RUN.c.name == name)
    found = connection.execute(query).first()
    if found is None:
        return
    if found.status != "planning":
        raise UsageError(
            f"run {name} exists; choose another --name, or go on with it by `jevbias run --resume {name}`"
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
    for table in (HYPOTHESIS, PROBE, BATCH, ASK, FRAME, PERSON):
        connection.execute(table.delete().where(table.c.run_id == run_id))
    connection.execute(RUN.delete().where(RUN.c.id == run_id))


def _write(connection: Connection, run_id: int, plan: Plan) -> None:
    frames = plan.frames
    frame_ids = _insert_with_ids(
        connection,
        FRAME,
        frames,
        (
            {
                "run_id": run_id,
                "scenario": frame.scenario,
                "variant": frame.variant,
                "hash": digest,
                "content": zlib.compress(canonical_json(frame.content)),
            }
            for digest, frame in frames.items()
        ),
    )
    person_ids = _insert_with_ids(
        connection,
        PERSON,
        [person.idx for person in plan.people],
        (_person_row(run_id, person) for person in plan.people),
    )
    ask_ids = _insert_with_ids(
        connection,
        ASK,
        plan.asks,
        _ask_rows(run_id, frame_ids, plan),
    )
    probes = (
        {
            "run_id": run_id,
            "position": probe.position,
            "person_id": person_ids[probe.person],
            "ask_id": ask_ids[probe.ask_hash],
            "scenario": probe.scenario,
            "variant": probe.variant,
            "condition": probe.condition,
            "replicate": probe.replicate,
            "status": "pending",
            "attempts": 0,
            "last_attempt": 0,
        }
        for probe in plan.probes
    )
    for chunk in _chunks(probes):
        with connection.begin():
            connection.execute(PROBE.insert(), chunk)


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


def _ask_rows(run_id: int, frame_ids: Mapping[str, int], plan: Plan) -> Iterator[dict[str, Any]]:
    person: Mapping[str, str] | None = None
    packed = b""
    for digest, ask in plan.asks.items():
        if ask.person is not person:  # neighbours share their person block
            person, packed = ask.person, zlib.compress(canonical_json(dict(ask.person)))
        frame_id = frame_ids[ask.frame.hash]
        yield {"run_id": run_id, "frame_id": frame_id, "hash": digest, "person": packed}


def _insert_with_ids(
    connection: Connection, table: Table, keys: Iterable[T], rows: Iterable[dict[str, Any]]
) -> dict[T, int]:
    """Insert rows in chunks and map each row's key to the id it was given."""
    ids: list[int] = []
    for chunk in _chunks(rows):
        with connection.begin():
            given = free_ids(connection, table, len(chunk))
            connection.execute(
                table.insert(), [{"id": id_, **row} for id_, row in zip(given, chunk, strict=True)]
            )
        ids.extend(given)
    return dict(zip(keys, ids, strict=True))


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


def _chunks(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    remaining = iter(rows)
    while chunk := list(islice(remaining, _CHUNK)):
        yield chunk
