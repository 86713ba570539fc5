"""The scores of a stored run: what each reply got, and why some have none."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Engine, select

from jevbias.battery.pairs import SIDES, PairSet, Side
from jevbias.battery.python_scorer import PYTHON
from jevbias.battery.raw_scores import stored_score
from jevbias.battery.score_file import FILE
from jevbias.store.connections import reading
from jevbias.store.tables import ANSWER, PERSON, PROBE, Run

KIND = "battery"
SETTING = "battery"
"""The key of a run's settings under which a battery keeps what it needs to go on."""
Reply = tuple[str, Side]
"""A pair's id and a side."""


@dataclass(frozen=True)
class Scores:
    """What a run has of a pair set. `values` holds each reply's repeats, in the order of their numbers;
    `without` says for a reply that has none why; `planned`, `answered` count calls.
    """

    pairs: PairSet
    values: Mapping[Reply, tuple[float, ...]]
    without: Mapping[Reply, str]
    planned: int = 0
    answered: int = 0
    models_answered: tuple[str, ...] = ()
    unfinished: int = 0
    repeats_lost: int = 0
    """Calls, or lines of a file, without a score of replies that have one by others."""
    question: Mapping[str, object] = field(default_factory=dict)


def load_scores(engine: Engine, run: Run) -> Scores:
    """Read a battery run; it may be half done."""
    snapshot, said = json.loads(zlib.decompress(run.catalogue)), run.settings.get(SETTING, {})
    pairs = PairSet.from_content(snapshot["battery"], str(said.get("pairs", "")))
    raw = run.driver in (PYTHON, FILE)
    query = (
        select(
            PERSON.c.idx,
            PROBE.c.status,
            PROBE.c.error,
            PROBE.c.response if raw else ANSWER.c.favourability,
            PROBE.c.model_answered,
        )
        .select_from(
            PROBE.join(PERSON, PERSON.c.id == PROBE.c.person_id).outerjoin(
                ANSWER, ANSWER.c.probe_id == PROBE.c.id
            )
        )
        .where(PROBE.c.run_id == run.id)
        .order_by(PERSON.c.idx, PROBE.c.replicate)
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    values: dict[Reply, list[float]] = {}
    reasons: dict[Reply, str] = {}
    models: dict[str, None] = {}
    lost: Counter[Reply] = Counter()
    answered = unfinished = 0
    for idx, status, error, held, model in rows:
        number, place = divmod(idx, len(SIDES))
        reply = pairs.pairs[number].id, SIDES[place]
        score = _score(held, raw=raw) if status == "answered" else None
        if model:
            models[model] = None
        if score is not None:
            values.setdefault(reply, []).append(score)
            answered += 1
        elif status in ("pending", "running"):
            unfinished += 1
            reasons.setdefault(reply, "not scored yet")
        else:
            reasons[reply] = f"{status}: {error}" if error else str(status)
            lost[reply] += 1
    never = said.get("unusable", {})
    reasons.update(
        {(pair, side): never[f"{pair} {side}"] for pair, side in _replies(pairs) if f"{pair} {side}" in never}
    )
    return Scores(
        pairs=pairs,
        values={reply: tuple(own) for reply, own in values.items()},
        without={r: reasons.get(r, "no score") for r in _replies(pairs) if r not in values},
        planned=len(rows),
        answered=answered,
        models_answered=tuple(models),
        unfinished=unfinished,
        repeats_lost=int(said.get("repeats_lost", 0)) + sum(lost[reply] for reply in lost if reply in values),
        question=snapshot["question"],
    )


def _replies(pairs: PairSet) -> list[Reply]:
    return [(pair.id, side) for pair in pairs.pairs for side in SIDES]


def _score(held: bytes | float | None, *, raw: bool) -> float | None:
    if held is None:
        return None
    if raw:
        return stored_score(zlib.decompress(held)) if isinstance(held, bytes | memoryview) else None
    return float(held)
