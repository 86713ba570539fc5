"""Real plans in a database, answered by nobody: every probe is given a reply without a call being made."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import Engine, Row, bindparam, select

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.select import render_body
from jevbias.plan.build import build_plan
from jevbias.store.asks import AskReader
from jevbias.store.hypotheses import FrozenHypotheses
from jevbias.store.planning import create_run
from jevbias.store.runs import find_run, run_catalogue
from jevbias.store.tables import ANSWER, ATTEMPT, PERSON, PROBE, RUN, Run

MERIT = {"weak": 0.35, "mid": 0.5, "strong": 0.65}
STARTED = 1_790_000_000.0
MODELS = ("jev-1.13.0", "jev-1.14.0")


def plan(
    engine: Engine,
    catalogue: Catalogue,
    profile: str = "pilot",
    *,
    name: str = "mine",
    driver: str = "jev",
    settings: Mapping[str, Any] | None = None,
    hypotheses: FrozenHypotheses | None = None,
    **narrowed: Any,
) -> Run:
    """Plan a run of a profile; `narrowed` are fields of the profile."""
    planned = build_plan(
        catalogue, profile, catalogue.profiles[profile].model_copy(update=narrowed), 20260920
    )
    create_run(
        engine,
        planned,
        name=name,
        driver=driver,
        model="jev-latest",
        base_url="http://127.0.0.1:1",
        margin=0.02,
        alpha=0.05,
        settings=settings or {},
        hypotheses=hypotheses,
    )
    return find_run(engine, name)


@dataclass(frozen=True)
class Replies:
    """How probes end. `status` says of a probe how it did, `pending` for one that was not sent; `silent`
    whether a question of an answered probe has no answer; `texts` overrides what a server wrote.
    """

    seed: int = 1
    noise: float = 0.02
    decimals: int = 2
    status: Callable[[Row[Any]], str] = lambda _: "answered"
    silent: Callable[[Row[Any], str], bool] = lambda _, __: False
    models: int = 1
    texts: Mapping[str, Any] = field(default_factory=dict)


def answer(engine: Engine, run: Run, replies: Replies | None = None) -> None:
    """Give every probe of a planned run its reply, as the drain would have stored it."""
    replies = replies or Replies()
    stream = np.random.default_rng(replies.seed)
    scenarios = run_catalogue(run).scenarios
    reader, sums = AskReader(), {}
    probes, attempts, answers = [], [], []
    columns = (PROBE, PERSON.c.base, PERSON.c.is_anchor, PERSON.c.swapped_attribute, PERSON.c.swapped_level)
    query = select(*columns).join(PERSON, PERSON.c.id == PROBE.c.person_id).where(PROBE.c.run_id == run.id)
    with engine.begin() as connection:
        for row in connection.execute(query.order_by(PROBE.c.position)).all():
            status = replies.status(row)
            if status == "pending":
                continue
            if row.ask_id not in sums:
                ask = reader.load(connection, [row.ask_id])[row.ask_id]
                body = render_body(run.driver, run.model, ask, run.settings.get("reasoning_effort"))
                sums[row.ask_id] = hashlib.sha256(body).hexdigest()
            sent = STARTED + row.position
            ended = status == "answered"
            probes.append(
                {
                    "place": row.id,
                    "status": status,
                    "attempts": 1,
                    "last_attempt": 1,
                    "error_kind": None if ended else "no_answer_object",
                    "error": None if ended else f"nothing in it, says {row.id}",
                    "response": zlib.compress(b'{"answers":{}}'),
                    "model_answered": MODELS[row.position % replies.models],
                    "request_id": f"req_{row.id}",
                    "latency_ms": 250.0,
                    "answered_at": sent + 0.25,
                    "input_tokens": 700,
                    "output_tokens": 20,
                    "cost": 0.0001,
                    **replies.texts,
                }
            )
            attempts.append(
                {
                    "probe_id": row.id,
                    "number": 1,
                    "started_at": sent,
                    "duration_ms": 250.0,
                    "outcome": status,
                    "http_status": 200,
                    "body_sha256": sums[row.ask_id],
                    "possibly_billed": False,
                }
            )
            for question, asked in scenarios[row.scenario].questions.items():
                value = MERIT[row.variant] + replies.noise * stream.normal()
                if not ended or replies.silent(row, question):
                    continue
                favourability = round(min(max(value, 0.0), 1.0), replies.decimals)
                answers.append(
                    {
                        "probe_id": row.id,
                        "question": question,
                        "kind": asked.kind,
                        "value": favourability if asked.direction == "+" else 1 - favourability,
                        "favourability": favourability,
                        "confidence": None,
                        "flags": "",
                    }
                )
        if probes:
            update = PROBE.update().where(PROBE.c.id == bindparam("place"))
            connection.execute(update.values({k: bindparam(k) for k in probes[0] if k != "place"}), probes)
            connection.execute(ATTEMPT.insert(), attempts)
        if answers:
            connection.execute(ANSWER.insert(), answers)
        rest = connection.execute(
            select(PROBE.c.id).where(PROBE.c.run_id == run.id, PROBE.c.status == "pending")
        ).first()
        ended_at = STARTED + 600 if rest is None else None
        done = {"status": "stopped" if rest else "finished", "started_at": STARTED, "finished_at": ended_at}
        connection.execute(RUN.update().where(RUN.c.id == run.id).values(done))
