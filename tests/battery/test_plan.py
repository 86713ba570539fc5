"""A battery as a plan: what is asked, how often, in which order."""

from __future__ import annotations

from collections import Counter

from jevbias.battery.pairs import PairSet
from jevbias.battery.plan import NOISE_REPEATS, NOISE_SIDES, BatteryDesign, build_battery, spread_repeats
from jevbias.battery.questions import NOUL, SCORE
from jevbias.battery.read_pairs import load_pairs
from jevbias.drivers.system_one import render_system_one
from jevbias.plan.model import Plan
from tests.battery.sets import pair_set

SEED = 20260920


def planned(pairs: PairSet, repeats: int = 1, seed: int = SEED) -> Plan:
    return build_battery(BatteryDesign(pairs, NOUL, spread_repeats(pairs, repeats, seed)), seed)


def test_every_reply_is_asked_once_and_twenty_four_of_them_three_times_spread_over_the_axes() -> None:
    pairs = load_pairs(None)
    plan = planned(pairs)
    assert len(plan.probes) == 2 * len(pairs.pairs) + NOISE_SIDES * (NOISE_REPEATS - 1)
    repeated = Counter(probe.scenario for probe in plan.probes if probe.replicate == 1)
    assert sum(repeated.values()) == NOISE_SIDES
    assert set(repeated) == set(pairs.by_axis)
    assert max(repeated.values()) - min(repeated.values()) <= 1
    assert len(planned(pairs, repeats=2).probes) == 4 * len(pairs.pairs)


def test_the_two_sides_of_a_pair_differ_in_the_reply_alone_and_name_no_axis() -> None:
    pairs = pair_set({"loud": [2, 1], "calm": [1]})
    plan = planned(pairs)
    bodies = {render_system_one("m", ask) for ask in plan.asks.values()}
    assert len(bodies) == 2 * len(pairs.pairs)
    for pair in pairs.pairs:
        with_feature, without = pair.with_feature.encode(), pair.without_feature.encode()
        one, other = (next(body for body in bodies if side in body) for side in (with_feature, without))
        assert one.replace(with_feature, without) == other
        assert not any(word in one for word in (b"loud", b"calm", pair.family.encode()))


def test_the_plan_depends_on_pairs_question_and_seed_and_on_nothing_else() -> None:
    pairs = pair_set({"a": [1] * 6})
    renamed = PairSet(pairs.pairs, "another file")
    one = planned(pairs)
    assert planned(renamed).plan_hash == one.plan_hash
    assert planned(pairs, seed=1).plan_hash != one.plan_hash
    other = build_battery(BatteryDesign(pairs, SCORE, spread_repeats(pairs, 1, SEED)), SEED)
    assert other.plan_hash != one.plan_hash
    assert [probe.position for probe in one.probes] == list(range(len(one.probes)))


def test_sides_and_repeats_are_shuffled_together() -> None:
    plan = planned(load_pairs(None))
    half = len(plan.probes) // 2
    early = sum(probe.person % 2 for probe in plan.probes[:half])
    assert 0.4 < early / half < 0.6
    assert all(set(person.levels) == {"side"} for person in plan.people)
