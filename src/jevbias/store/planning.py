"""Writing a plan into the database as a new run."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Engine, select

from jevbias import __version__
from jevbias.catalogue.canonical import canonical_json
from jevbias.errors import UsageError
from jevbias.people.person import Person
from jevbias.plan.asks import PackedAsk, PackedBlock, PlannedAsks
from jevbias.plan.model import Plan
from jevbias.plan.places import placed_probes, planned_frames
from jevbias.store.bulk_rows import BulkRows
from jevbias.store.call_tables import CALL, EPISODE
from jevbias.store.connections import connect_for_writing, explained, reading
from jevbias.store.hypotheses import SETTING, FrozenHypotheses, write_hypotheses
from jevbias.store.next_commands import NextCommands
from jevbias.store.owner import Owner
from jevbias.store.tables import ASK, BATCH, FRAME, HYPOTHESIS, PERSON, PROBE, RUN

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_LONGEST_WANTED = 70
"""Signs of a name that is made, which leaves room for its number."""


def check_run_name(name: str) -> str:
    """The name, if a run may have it. Raises UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"run name {name!r} is not allowed: letters, digits, '.', '_' and '-', the first a letter or "
            "digit, at most 80"
        )
    return name


def free_name(engine: Engine, wanted: str, fallback: str) -> str:
    """A name that no run has yet: the `wanted` one, with `-` for each sign that a name may not have and a
    number behind it where it is taken; the `fallback` in place of one of which nothing is left.
    """
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "-" for sign in wanted)
    plain = plain.lstrip("._-")[:_LONGEST_WANTED] or fallback
    with reading(engine) as connection:
        taken = set(connection.execute(select(RUN.c.name)).scalars())
    number = 1
    while (name := plain if number == 1 else f"{plain}-{number}") in taken:
        number += 1
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

    Raises UsageError, with nothing written, for a name that is not allowed, exists or is being planned, and
    for a run that somebody deleted meanwhile.
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
            bulk = BulkRows(connection, run_id)
            _write(bulk, run_id, plan)
            with bulk.transaction():
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
        go_on = NextCommands(name, kind=found.kind).resume
        raise UsageError(f"run {name} exists; choose another --name, or go on with it by {go_on}")
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


def _write(bulk: BulkRows, run_id: int, plan: Plan) -> None:
    frames = planned_frames(plan)
    frame_ids = bulk.insert(
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
    person_ids = bulk.insert(PERSON, (_person_row(run_id, person) for person in plan.people))
    frame_of = dict(zip((frame.hash for frame in frames), frame_ids, strict=True))
    ask_ids = bulk.insert_bare(ASK, _ASK_COLUMNS, _ask_rows(run_id, frame_of, plan))
    person_of = dict(zip((person.idx for person in plan.people), person_ids, strict=True))
    bulk.insert_bare(PROBE, _PROBE_COLUMNS, _probe_rows(run_id, person_of, ask_ids, plan))


def _make_ready(connection: Connection, run_id: int, hypotheses: FrozenHypotheses | None) -> None:
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
