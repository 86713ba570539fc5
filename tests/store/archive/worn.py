"""A run in which everything has happened that a database can tell of, written row by row."""

from __future__ import annotations

import zlib
from typing import Any

from sqlalchemy import Connection, Engine, select

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Profile
from jevbias.plan.build import build_plan
from jevbias.plan.confirm import Hypothesis
from jevbias.plan.model import Plan
from jevbias.store.connections import writing
from jevbias.store.hypotheses import freeze
from jevbias.store.runs import create_run, find_run
from jevbias.store.tables import ANSWER, ATTEMPT, BATCH, PROBE, RUN, Run
from tests.store.small import RUN_SETTINGS

PROFILE = Profile(
    title="Worn",
    design="counterfactual",
    bases=2,
    swept=["gender", "age_band=sixties"],
    scenarios=["hiring_screen", "clinical_triage"],
    conditions=["full", "name_only", "blind"],
    replicate_subjects=2,
    replicates=2,
    anchor_replicates=2,
)
REPLIES = (
    '{"answers": {"advance": 0.1}, "said": "Ọlá \\" \\\\ \\u0000 \N{LINE SEPARATOR} 🙂"}\n'.encode(),
    b"",
    b'{"cut": "\xff\xfe',
    b'{"nul": "\x00"}',
)
"""Raw bodies as servers send them, and as they should not."""
HARD = (0.1 + 0.2, 1e-300, 1 / 3, 5e-324, 123456789012345.67, 0.0, 1796010629.8667457)
"""Numbers that do not survive any form but the shortest that means them."""


def worn_plan(catalogue: Catalogue) -> Plan:
    """Some ninety probes about two scenarios."""
    return build_plan(catalogue, "worn", PROFILE, 7)


def worn_run(engine: Engine, catalogue: Catalogue, name: str = "worn") -> Run:
    """A stopped run: with hypotheses, batches, every status, every kind of send and of reply."""
    plan = worn_plan(catalogue)
    rows = (
        Hypothesis("full/gender=woman", "down", 0.02, 0.05),
        Hypothesis("full/gender=non_binary", "up", HARD[0], HARD[2]),
    )
    settings: dict[str, Any] = {**RUN_SETTINGS, "settings": {"timeout": 30.0, "threshold": 0.5, "odd": "Ọ"}}
    run_id = create_run(engine, plan, name=name, **settings, hypotheses=freeze(rows, plan.plan_hash, "first"))
    with writing(engine) as connection:
        batches = [_add_batch(connection, run_id, number) for number in range(3)]
        probes = connection.execute(
            select(PROBE.c.id, PROBE.c.scenario).where(PROBE.c.run_id == run_id).order_by(PROBE.c.position)
        ).all()
        for place, probe in enumerate(probes):
            _wear(connection, place, probe.id, _questions(plan, probe.scenario), batches)
        values = {"status": "stopped", "stop_reason": "Ctrl-C", "started_at": HARD[6], "created_at": HARD[0]}
        connection.execute(RUN.update().where(RUN.c.id == run_id).values(values))
    return find_run(engine, name)


def _questions(plan: Plan, scenario: str) -> dict[str, str]:
    asked = next(ask.frame for ask in plan.asks.values() if ask.frame.scenario == scenario)
    return {key: question.kind for key, question in asked.questions.items()}


def _add_batch(connection: Connection, run_id: int, number: int) -> int:
    row = {
        "run_id": run_id,
        "provider_id": None if number == 2 else f"batch_{number}",
        "content_hash": f"{number:064x}",
        "status": ("collected", "submitted", "withdrawn")[number],
        "provider_status": (None, "in_progress", "expired")[number],
        "requests": 7,
        "answered": 5,
        "unanswered": 2,
        "cost": HARD[number] if number else None,
        "created_at": 1000.5,
        "submitted_at": 1001.25,
        "collected_at": None,
        "error": "one line" if number else None,
    }
    return int(connection.execute(BATCH.insert().returning(BATCH.c.id), row).scalar_one())


def _wear(
    connection: Connection, place: int, probe_id: int, questions: dict[str, str], batches: list[int]
) -> None:
    status = ("answered", "answered", "refused", "malformed", "failed", "pending", "answered")[place % 7]
    sends = place % 4
    values: dict[str, Any] = {
        "status": status,
        "attempts": min(sends, 2),
        "last_attempt": sends,
        "batch_id": batches[place % 3] if place % 5 == 0 else None,
    }
    if status == "pending":
        values["not_before"] = 1e11 + 0.125
    else:
        values |= {
            "error_kind": None if status == "answered" else f"{status}_kind",
            "error": None if status == "answered" else "what the server said: ‘no’",
            "response": None if place % 9 == 8 else zlib.compress(REPLIES[place % len(REPLIES)]),
            "model_answered": "jev-1.13.0",
            "request_id": f"req_{place}" if place % 2 else None,
            "latency_ms": HARD[place % len(HARD)],
            "input_tokens": 700 + place,
            "output_tokens": 0,
            "cached_tokens": place if place % 3 else None,
            "cost": HARD[(place + 3) % len(HARD)] if place % 2 else None,
            "answered_at": 1796010629.8667457 + place,
        }
    connection.execute(PROBE.update().where(PROBE.c.id == probe_id).values(values))
    for number in range(1, sends + 1):
        connection.execute(ATTEMPT.insert(), _send(place, probe_id, number))
    if status == "answered":
        for order, (question, kind) in enumerate(questions.items()):
            if place % 11 == 1 and order == 0:
                continue
            value = ((place * 37 + order * 11) % 101) / 100
            answer = {"probe_id": probe_id, "question": question, "kind": kind, "value": value}
            flags = "renormalised,clamped" if order == 1 else ""
            confidence = None if order % 2 else value / 3
            more = {"favourability": 1 - value, "confidence": confidence, "flags": flags}
            connection.execute(ANSWER.insert(), {**answer, **more})


def _send(place: int, probe_id: int, number: int) -> dict[str, Any]:
    unknown = number == 2
    reply = REPLIES[(place + number) % len(REPLIES)]
    return {
        "probe_id": probe_id,
        "number": number,
        "started_at": 1796010629.327206 + place,
        "duration_ms": None if unknown else HARD[place % 7],
        "outcome": "unknown" if unknown else "answered",
        "http_status": None if unknown else 200,
        "body_sha256": f"{place:064x}" if number < 3 else None,
        "possibly_billed": unknown,
        "input_tokens": None if unknown else 5,
        "output_tokens": None if unknown else 6,
        "cached_tokens": number if place % 2 else None,
        "cost": HARD[number],
        "response": zlib.compress(reply) if number == 1 else None,
    }
