"""A pair set and a question become a plan: every reply is scored by itself, in seeded order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jevbias.battery.pairs import SIDES, Pair, PairSet, Side
from jevbias.battery.questions import QUESTION, ScoringQuestion
from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.models import Profile
from jevbias.people.keyed import keyed_bytes
from jevbias.people.person import Person
from jevbias.plan.asks import PackedBlock, PlannedAsks
from jevbias.plan.build import plan_hash
from jevbias.plan.model import Frame, Plan, PlannedProbe

REPLY = "reply"
"""The role that a reply travels under, where other runs have a person."""
PROFILE = "battery"
NOISE_SIDES, NOISE_REPEATS = 24, 3
"""Where nothing is repeated, so many replies are scored so often all the same, to know the noise."""
MOST_REPEATS = 100


@dataclass(frozen=True)
class BatteryDesign:
    """What a battery asks. `repeats` maps (pair id, side) to how often that reply is scored; a reply that
    is not in it is not. `distinct` marks each repeat in its ask, for scorers that look a score up.
    """

    pairs: PairSet
    question: ScoringQuestion
    repeats: Mapping[tuple[str, Side], int]
    distinct: bool = False


def spread_repeats(pairs: PairSet, repeats: int, seed: int) -> dict[tuple[str, Side], int]:
    """Every reply `repeats` times; where that is once, 24 replies, spread over the axes, three times."""
    asked = {(pair.id, side): repeats for pair in pairs.pairs for side in SIDES}
    if repeats > 1:
        return asked
    ranked = [
        sorted(
            ((pair.id, side) for pair in own for side in SIDES),
            key=lambda reply: keyed_bytes(seed, "battery-noise", *reply),
        )
        for own in pairs.by_axis.values()
    ]
    deepest = max((len(own) for own in ranked), default=0)
    in_turn = [own[place] for place in range(deepest) for own in ranked if place < len(own)]
    return {**asked, **dict.fromkeys(in_turn[:NOISE_SIDES], NOISE_REPEATS)}


def build_battery(design: BatteryDesign, seed: int) -> Plan:
    """Plan a battery: the same design and seed give the same plan, byte for byte.

    Its hash covers pairs, question, seed and the probes in order, never a model, a driver or a file's name.
    A pair's prompt and question are a frame, each of its replies an ask of its own in the place of a person,
    and its two replies two people, of whom the one without the feature is the anchor. No ask says which axis
    or which side it is. All repeats of all replies are shuffled together, so that nothing that drifts goes
    with a side.
    """
    asks, people, found = PlannedAsks(), [], []
    for number, pair in enumerate(design.pairs.pairs):
        frame = pair_frame(pair, design.question)
        for place, side in enumerate(SIDES):
            idx = 2 * number + place
            people.append(reply_person(idx, number, pair, side))
            for replicate in range(design.repeats.get((pair.id, side), 0)):
                marked = {"repeat": str(replicate + 1)} if design.distinct else {}
                ask = asks.add(frame, PackedBlock.of({"text": pair.text(side), **marked}))
                order = keyed_bytes(seed, "battery-order", pair.id, side, replicate)
                found.append((order, idx, pair.axis, replicate, asks.hash_at(ask)))
    found.sort(key=lambda probe: probe[0])
    probes = [
        PlannedProbe(position, idx, axis, "mid", "full", replicate, ask)
        for position, (_, idx, axis, replicate, ask) in enumerate(found)
    ]
    snapshot = battery_snapshot(design)
    content_hash = canonical_hash(snapshot)
    profile = Profile(
        title="matched pairs",
        design="counterfactual",
        scenarios=list(design.pairs.by_axis),
        conditions=["full"],
    )
    return Plan(
        profile_name=PROFILE,
        profile=profile,
        seed=seed,
        snapshot=snapshot,
        catalogue_hash=content_hash,
        people=tuple(people),
        asks=asks,
        probes=probes,
        plan_hash=plan_hash(PROFILE, profile, seed, content_hash, probes),
    )


def battery_snapshot(design: BatteryDesign) -> dict[str, Any]:
    """What a battery run keeps of its pairs and its question, where other runs keep their catalogue."""
    return {"battery": design.pairs.content, "question": design.question.model_dump(mode="json")}


def pair_frame(pair: Pair, question: ScoringQuestion) -> Frame:
    """What is asked of both replies of a pair."""
    return Frame(
        scenario=pair.axis,
        variant="mid",
        title=pair.id,
        role=REPLY,
        case_key="conversation",
        case={"message": pair.prompt},
        questions={QUESTION: question},
    )


def reply_person(idx: int, number: int, pair: Pair, side: Side) -> Person:
    """One reply, as the `idx`-th person of a run; `number` is its pair's place in the set."""
    feature = side == "with"
    return Person(
        idx=idx,
        base=number,
        is_anchor=not feature,
        swapped_attribute=pair.axis if feature else None,
        swapped_level="with" if feature else None,
        full_name=pair.id,
        levels={"side": side},
    )
