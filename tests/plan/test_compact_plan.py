"""A plan keeps its asks and probes small and shows them as what they are."""

from collections import Counter
from dataclasses import replace

import pytest

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.plan.asks import PackedBlock, PlannedAsks
from jevbias.plan.build import build_plan
from jevbias.plan.model import Ask, Plan, PlannedProbe
from jevbias.plan.places import asked_times, placed_probes, planned_frames
from tests.store.small import small_plan

FRAMES = list(small_plan(3).frames.values())
BLOCKS = [{"reference": "Ọlá Łuczak"}, {"reference": "The account holder", "note": 'says "ok", \\'}]


@pytest.fixture(scope="module")
def pilot(catalogue: Catalogue) -> Plan:
    return build_plan(catalogue, "pilot", catalogue.profiles["pilot"], 1)


def test_an_ask_is_found_by_the_very_hash_it_has() -> None:
    asks = PlannedAsks()
    made = [Ask(frame, block) for block in BLOCKS for frame in FRAMES]
    places = [asks.add(ask.frame, PackedBlock.of(ask.person)) for ask in made]
    assert places == list(range(len(made)))
    assert list(asks) == [asks.hash_at(place) for place in places] == [ask.hash for ask in made]
    assert list(asks.items()) == [(ask.hash, ask) for ask in made]


def test_the_same_ask_is_added_once() -> None:
    asks = PlannedAsks()
    first = [asks.add(frame, PackedBlock.of(BLOCKS[0])) for frame in FRAMES]
    again = [asks.add(frame, PackedBlock.of(dict(BLOCKS[0]))) for frame in FRAMES]
    assert first == again
    assert len(asks) == len(FRAMES)


def test_neighbouring_asks_about_one_person_share_their_block() -> None:
    asks = PlannedAsks()
    for block in BLOCKS:
        for frame in FRAMES:
            asks.add(frame, PackedBlock.of(block))
    blocks = [ask.person for ask in asks.values()]
    assert all(block is blocks[0] for block in blocks[: len(FRAMES)])
    assert blocks[-1] == BLOCKS[1]


def test_an_unknown_hash_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        PlannedAsks()["ab" * 32]


def test_every_ask_of_a_plan_has_the_hash_it_is_listed_under(pilot: Plan) -> None:
    assert all(ask.hash == ask_hash for ask_hash, ask in pilot.asks.items())
    assert {ask.frame.hash for ask in pilot.asks.values()} == set(pilot.frames)
    assert all(canonical_json(dict(ask.person)) for ask in pilot.asks.values())


def test_probes_read_alike_by_position_by_slice_and_in_turn(pilot: Plan) -> None:
    probes = pilot.probes
    whole = list(probes)
    assert [probe.position for probe in whole] == list(range(len(probes)))
    assert [probes[position] for position in range(len(probes))] == whole
    assert probes[-1] == whole[-1]
    assert probes[3:40:5] == whole[3:40:5]
    assert probes == whole
    with pytest.raises(IndexError):
        probes[len(probes)]


def test_packed_or_not_each_probe_has_the_place_of_its_ask(pilot: Plan) -> None:
    plain = replace(pilot, asks=dict(pilot.asks), probes=list(pilot.probes))
    assert list(placed_probes(plain)) == list(placed_probes(pilot))
    hashes = list(pilot.asks)
    probes = [PlannedProbe(*probe[:-1], hashes[probe[-1]]) for probe in placed_probes(pilot)]
    assert probes == list(pilot.probes)
    assert planned_frames(plain) == planned_frames(pilot)
    times = {ask.hash: count for ask, count in asked_times(pilot)}
    assert times == Counter(probe.ask_hash for probe in pilot.probes)
