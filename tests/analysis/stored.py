"""The same runs in a database, as the drain would have left them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from sqlalchemy import Engine

from jevbias.analysis.dataset import ProbeRecord
from jevbias.catalogue.canonical import canonical_json
from jevbias.store.tables import ANSWER, ASK, FRAME, PERSON, PROBE, RUN
from tests.analysis.runs import FACTS, Design, make_catalogue, make_people


def store_run(engine: Engine, design: Design, probes: Sequence[ProbeRecord], *, shuffle: int = 0) -> None:
    """Write a run whose people, probes and answers stand in an order of their own (`shuffle` is its seed)."""
    stream = np.random.default_rng(shuffle)
    people = [p.__dict__ | {"full_name": "Someone", "attributes": {}} for p in make_people(design)]
    stream.shuffle(people)
    rows = [probes[i] for i in stream.permutation(len(probes))]
    catalogue = zlib.compress(canonical_json(make_catalogue(design).snapshot()))
    facts = asdict(FACTS) | {"catalogue": catalogue, "settings": {}, "created_at": 0.0, "kind": "bias"}
    with engine.begin() as connection:
        run = connection.execute(
            RUN.insert().returning(RUN.c.id), facts | {"status": "finished"}
        ).scalar_one()
        frame = {"run_id": run, "scenario": "hiring", "variant": "weak", "hash": "f", "content": b""}
        frame_id = connection.execute(FRAME.insert().returning(FRAME.c.id), frame).scalar_one()
        ask = {"run_id": run, "frame_id": frame_id, "hash": "a", "person": b""}
        ask_id = connection.execute(ASK.insert().returning(ASK.c.id), ask).scalar_one()
        connection.execute(PERSON.insert(), [person | {"run_id": run} for person in people])
        ids = {row.idx: row.id for row in connection.execute(PERSON.select().where(PERSON.c.run_id == run))}
        planned = [
            {
                "run_id": run,
                "position": position,
                "person_id": ids[probe.person],
                "ask_id": ask_id,
                "scenario": probe.scenario,
                "variant": probe.variant,
                "condition": probe.condition,
                "replicate": probe.replicate,
                "attempts": 1,
                "last_attempt": 1,
                **probe.outcome._asdict(),
            }
            for position, probe in enumerate(rows)
        ]
        connection.execute(PROBE.insert(), planned)
        stored = connection.execute(PROBE.select().where(PROBE.c.run_id == run).order_by(PROBE.c.position))
        answers = [
            {
                "probe_id": row.id,
                "question": question,
                "kind": "noul",
                "value": value,
                "favourability": value,
                "flags": "",
            }
            for row, probe in zip(stored.all(), rows, strict=True)
            for question, value in probe.favourability.items()
        ]
        stream.shuffle(answers)
        connection.execute(ANSWER.insert(), answers)
