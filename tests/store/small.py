"""Small plans made by hand, and what a worker would bring back for them."""

from __future__ import annotations

from typing import Any

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.models import NoulCriteria, NoulQuestion, Profile, Question, Variant
from jevbias.people.person import Person
from jevbias.plan.model import Ask, Frame, Plan, PlannedProbe
from jevbias.store.outcomes import CompletedProbe, FinalStatus, Lease, SentAttempt, StoredAnswer

QUESTIONS: dict[str, Question] = {
    key: NoulQuestion(
        kind="noul",
        direction="+",
        measures=key,
        instructions=f"Should the {key} be granted?",
        criteria=NoulCriteria(true=f"grant the {key}", false=f"refuse the {key}"),
    )
    for key in ("advance", "trust")
}
VARIANTS: tuple[Variant, ...] = ("weak", "mid", "strong")


def small_plan(probes: int = 10, *, replicates: int = 1, seed: int = 1) -> Plan:
    """A plan of so many probes over three frames, each person asked `replicates` times; everyone's payload
    is their own."""
    frames = [
        Frame("desk", variant, "A desk", "account holder", "case", {"years": 3 + place}, QUESTIONS)
        for place, variant in enumerate(VARIANTS)
    ]
    people = tuple(_person(number) for number in range(-(-probes // replicates)))
    asks = {}
    planned = []
    for position in range(probes):
        person, replicate = people[position // replicates], position % replicates
        frame = frames[person.idx % 3]
        ask = Ask(frame, {"reference": person.full_name, "religion": f"phrase {person.idx}"})
        asks[ask.hash] = ask
        planned.append(PlannedProbe(position, person.idx, "desk", frame.variant, "full", replicate, ask.hash))
    return Plan(
        profile_name="small",
        profile=Profile(
            title="Small", design="counterfactual", bases=1, scenarios=["desk"], conditions=["full"]
        ),
        seed=seed,
        snapshot={"scenarios": {}, "attributes": {}},
        catalogue_hash=canonical_hash({}),
        people=people,
        asks=asks,
        probes=tuple(planned),
        plan_hash=canonical_hash([list(probe) for probe in planned]),
    )


def _person(number: int) -> Person:
    anchor, level = number == 0, f"l{number}"
    return Person(
        idx=number,
        base=0,
        is_anchor=anchor,
        swapped_attribute=None if anchor else "religion",
        swapped_level=None if anchor else level,
        full_name=f"Ọlá Łuczak {number}",
        levels={"religion": level},
        age=34,
        height_cm=172,
        weight_kg=66,
    )


RUN_SETTINGS: dict[str, Any] = {
    "driver": "jev",
    "model": "jev-latest",
    "base_url": "http://127.0.0.1:1",
    "margin": 0.02,
    "alpha": 0.05,
    "settings": {"timeout": 30.0},
}


def sent(outcome: str = "answered", *, status: int | None = 200, billed: bool = False) -> SentAttempt:
    """What became of one send."""
    return SentAttempt(1000.0, 12.5, outcome, status, "ab" * 32, billed, 100, 7, 0.25)


def completed(lease: Lease, value: float = 0.5, *, status: FinalStatus = "answered") -> CompletedProbe:
    """A probe that ended; the value tells one answer from another."""
    if status != "answered":
        return CompletedProbe(lease, status, sent(status), error_kind=f"{status}_kind", error="one line")
    answers = tuple(StoredAnswer(key, "noul", value, value) for key in QUESTIONS)
    return CompletedProbe(
        lease, status, sent(), answers, response=b'{"noul": %.3f}' % value, model_answered="jev-1.13.0"
    )
