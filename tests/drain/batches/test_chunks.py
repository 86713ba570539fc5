"""Chunks: repeats apart, like beginnings together, nothing lost."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drain.batches.chunks import chunked
from jevbias.plan.build import build_plan
from jevbias.store.batch_probes import PendingProbe


def beginning(probe: PendingProbe) -> tuple[str, str, int]:
    return probe.scenario, probe.variant, probe.frame_id


def cell(probe: PendingProbe) -> tuple[int, str, str, str]:
    return probe.person_id, probe.scenario, probe.variant, probe.condition


@st.composite
def pending(draw: st.DrawFn) -> list[PendingProbe]:
    """What may be left of a run: cells of some replicates each, some of them sent already, in any order."""
    cells = draw(
        st.lists(
            st.tuples(
                st.integers(1, 6),
                st.sampled_from(["loan", "rent"]),
                st.sampled_from(["weak", "strong"]),
                st.sampled_from(["full", "name_only"]),
            ),
            unique=True,
            max_size=30,
        )
    )
    asked = [
        (*one, replicate)
        for one in cells
        for replicate in draw(st.sets(st.integers(0, 7), min_size=1, max_size=5))
    ]
    shuffled = draw(st.permutations(asked))
    return [
        PendingProbe(
            id=position + 100,
            position=position,
            ask_id=position,
            frame_id=hash_of(scenario, variant, draw(st.booleans())),
            person_id=person,
            scenario=scenario,
            variant=variant,
            condition=condition,
            replicate=replicate,
        )
        for position, (person, scenario, variant, condition, replicate) in enumerate(shuffled)
    ]


def hash_of(scenario: str, variant: str, capped: bool) -> int:
    return ["loan", "rent"].index(scenario) * 4 + ["weak", "strong"].index(variant) * 2 + capped + 1


@given(pending(), st.integers(1, 40), st.integers(-(2**63), 2**63 - 1))
def test_chunks_keep_repeats_apart_and_like_beginnings_together(
    probes: list[PendingProbe], size: int, seed: int
) -> None:
    chunks = chunked(probes, size, seed)
    assert Counter(probe for chunk in chunks for probe in chunk) == Counter(probes), "each in exactly one"
    for chunk in chunks:
        assert 1 <= len(chunk) <= size
        assert len({probe.replicate for probe in chunk}) == 1
        assert max(Counter(cell(probe) for probe in chunk).values()) == 1, "no two repeats of a cell"
        runs = [key for key, _ in groupby(chunk, key=beginning)]
        assert len(runs) == len(set(runs)), "requests that begin alike lie side by side"
    per_replicate = Counter((probe.replicate, beginning(probe)) for probe in probes)
    for (replicate, start), number in per_replicate.items():
        holding = [
            chunk
            for chunk in chunks
            if any(probe.replicate == replicate and beginning(probe) == start for probe in chunk)
        ]
        assert len(holding) == -(-number // size), "a beginning is divided only where it has to be"
    assert chunked(list(reversed(probes)), size, seed) == chunks, "whatever order the rows come in"


def test_the_order_of_chunks_is_a_draw_of_the_seed() -> None:
    probes = [PendingProbe(n, n, n, n % 10, n, f"scenario {n % 10}", "weak", "full", 0) for n in range(100)]
    orders = {seed: tuple(chunk[0].frame_id for chunk in chunked(probes, 10, seed)) for seed in range(20)}
    assert all(sorted(order) == list(range(10)) for order in orders.values())
    assert len(set(orders.values())) > 15
    assert sum(order == tuple(range(10)) for order in orders.values()) <= 1


@pytest.mark.parametrize("profile", ["pilot", "deep"])
def test_a_whole_run_fills_chunks_whose_first_asks_share_few_beginnings(
    catalogue: Catalogue, profile: str
) -> None:
    name = next(key for key in catalogue.profiles if profile in key)
    plan = build_plan(catalogue, name, catalogue.profiles[name], 1)
    frames = {ask.frame.hash: number for number, ask in enumerate(plan.asks.values())}
    probes = [
        PendingProbe(
            one.position,
            one.position,
            one.position,
            frames[plan.asks[one.ask_hash].frame.hash],
            one.person,
            one.scenario,
            one.variant,
            one.condition,
            one.replicate,
        )
        for one in plan.probes
    ]
    chunks = chunked(probes, 500, plan.seed)
    assert sum(len(chunk) for chunk in chunks) == len(probes)
    firsts = [chunk for chunk in chunks if chunk[0].replicate == 0]
    beginnings = sum(len({beginning(probe) for probe in chunk}) for chunk in firsts)
    assert beginnings / sum(len(chunk) for chunk in firsts) < 0.05, "misses of the cache, one a beginning"
