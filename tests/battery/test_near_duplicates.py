"""Families that repeat each other: found as by comparing each pair with each, however many there are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.battery.lineages import lineages, merged
from jevbias.battery.near_duplicates import NearDuplicate, near_duplicates
from jevbias.battery.pairs import Pair, PairSet, plain
from jevbias.battery.read_pairs import load_pairs
from jevbias.battery.text_overlap import PIECE, TextOverlap

texts = st.lists(st.sampled_from(["alpha", "beta", "gamma", "tea", "12", "Ω", "x"]), max_size=6).map(" ".join)
places = st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["f", "g", "h"]))


@st.composite
def pair_sets(draw: st.DrawFn) -> PairSet:
    pairs: list[Pair] = []
    for axis, family in draw(st.lists(places, max_size=12)):
        number = 1 + sum((pair.axis, pair.family) == (axis, family) for pair in pairs)
        pairs.append(Pair(axis, family, number, draw(texts), draw(texts), draw(texts)))
    return PairSet(tuple(pairs), "drawn")


def pieces(text: str) -> set[str]:
    return {text[at : at + PIECE] for at in range(max(len(text) - PIECE + 1, min(len(text), 1)))}


def share(one: str, other: str) -> float:
    first, second = pieces(one), pieces(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def compared_one_by_one(pairs: PairSet, threshold: float) -> list[NearDuplicate]:
    said = [[plain(text) for text in (p.prompt, p.without_feature, p.with_feature)] for p in pairs.pairs]
    best: dict[frozenset[tuple[str, str]], NearDuplicate] = {}
    for place, what in enumerate(("prompt", "without", "with")):
        for one, other in combinations(range(len(said)), 2):
            first, second = pairs.pairs[one], pairs.pairs[other]
            families = frozenset({(first.axis, first.family), (second.axis, second.family)})
            similarity = share(said[one][place], said[other][place])
            if len(families) == 1 or similarity < threshold:
                continue
            clones = said[one][0] == said[other][0] and bool({*said[one][1:]} & {*said[other][1:]})
            known = best.get(families)
            if known is None or (similarity, clones) > (known.similarity, known.clones):
                same = first.axis == second.axis
                best[families] = NearDuplicate(first.id, second.id, what, similarity, same, clones)
    return sorted(best.values(), key=lambda near: (-near.similarity, near.first, near.second))


@given(pair_sets(), st.sampled_from([0.2, 0.6, 1.0]))
@settings(max_examples=60, deadline=None)
def test_what_is_found_is_what_comparing_each_pair_with_each_finds(pairs: PairSet, threshold: float) -> None:
    assert list(near_duplicates(pairs, threshold)) == compared_one_by_one(pairs, threshold)


def test_that_holds_for_the_built_in_set_too() -> None:
    pairs = load_pairs(None)
    few = PairSet(pairs.pairs[:120], "some")
    assert list(near_duplicates(few, 0.1)) == compared_one_by_one(few, 0.1) != []


@pytest.mark.parametrize("common", [0.0, 0.3, 1.0])
@given(st.lists(texts, min_size=1, max_size=12))
@settings(max_examples=15, deadline=None)
def test_shares_do_not_depend_on_which_pieces_count_as_common(common: float, drawn: list[str]) -> None:
    expected = [[share(one, other) for other in drawn] for one in drawn]
    found = TextOverlap(drawn, common).similarity(0, len(drawn))
    assert np.array_equal(found, expected)


def test_of_a_thousand_templated_pairs_all_are_found_and_few_are_spelled_out() -> None:
    template = "Please write a short and friendly message to a neighbour about the parcel in the hall, number"
    pairs = [Pair("a", f"f{n}", 1, f"{template} {n}", f"{n} yes", f"{n} no") for n in range(1000)]
    near = near_duplicates(PairSet(tuple(pairs), "templated"))
    assert len(near) == 1000 * 999 // 2
    assert near.most_alike(2)[1].similarity > 0.9
    assert len(set(merged(pairs, near))) == 1
    assert len(set(lineages(pairs))) == 1000


def test_families_are_merged_through_others_but_not_through_one_that_has_no_score() -> None:
    line = "one two three four five six seven eight nine ten"
    said = (line, f"{line} eleven twelve thirteen", f"{line} eleven twelve thirteen fourteen fifteen sixteen")
    pairs = [Pair("a", f"f{n}", 1, text, f"yes {n}", f"no {n}") for n, text in enumerate(said)]
    near = near_duplicates(PairSet(tuple(pairs), "chain"), 0.65)
    assert {(found.first, found.second) for found in near} == {("a/f0/1", "a/f1/1"), ("a/f1/1", "a/f2/1")}
    assert len(set(merged(pairs, near))) == 1
    assert len(set(merged([pairs[0], pairs[2]], near))) == 2


def test_prompts_of_signs_alone_are_told_apart() -> None:
    pairs = [
        Pair("a", f"f{n}", 1, prompt, "yes", "no") for n, prompt in enumerate(("???", "🎉 🎉", "🎉  🎉"))
    ]
    assert lineages(pairs) == ["f0", "f1", "f1"]
