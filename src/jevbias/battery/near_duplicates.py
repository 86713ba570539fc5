"""Pairs of different families that say nearly the same: they look like independent evidence and are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from jevbias.battery.pairs import PairSet, plain
from jevbias.battery.text_overlap import TextOverlap, row_blocks
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray

NEAR = 0.6
"""The share of common pieces (Jaccard) from which two texts are near-duplicates. Two unrelated texts of a
paragraph share some 0.05; one sentence with a word exchanged keeps 0.6 to 0.8.
"""
_TEXTS = ("prompt", "without", "with")


@dataclass(frozen=True)
class NearDuplicate:
    """Two pairs of different families, most alike in `what`: `prompt`, `with` or `without`.

    `similarity` is the share of pieces that the two texts have in common, 1 where they are the same.
    """

    first: str
    second: str
    what: str
    similarity: float
    same_axis: bool
    clones: bool
    """The prompt and one of the replies are the same, word for word."""


@dataclass(frozen=True, eq=False)
class NearDuplicates:
    """All of a set, one entry for two families: the two pairs that are most alike, clones before others, then
    as the set has them. Entries begin with the most alike. A templated set has millions, so they are arrays.
    """

    pairs: PairSet
    families: tuple[tuple[str, str], ...]
    """Axis and family, by number."""
    family: IntArray
    """The number of each pair's family."""
    first: IntArray
    second: IntArray
    """Each entry's pairs, by their place in the set, the first before the second."""
    what: IntArray
    similarity: FloatArray
    same_axis: BoolArray
    clones: BoolArray

    def __len__(self) -> int:
        return len(self.first)

    def __iter__(self) -> Iterator[NearDuplicate]:
        for entry in range(len(self)):
            yield NearDuplicate(
                first=self.pairs.pairs[self.first[entry]].id,
                second=self.pairs.pairs[self.second[entry]].id,
                what=_TEXTS[self.what[entry]],
                similarity=float(self.similarity[entry]),
                same_axis=bool(self.same_axis[entry]),
                clones=bool(self.clones[entry]),
            )

    def most_alike(self, number: int) -> list[NearDuplicate]:
        """The first so many."""
        return list(islice(self, number))

    def linked(self, axis: str, families: Sequence[str]) -> tuple[IntArray, IntArray]:
        """Which of these families of an axis say nearly the same: two places in `families` for each link."""
        place = np.full(len(self.families), -1)
        known = {name: number for number, name in enumerate(self.families)}
        for at, family in enumerate(families):
            place[known[axis, family]] = at
        one, other = place[self.family[self.first]], place[self.family[self.second]]
        both = (one >= 0) & (other >= 0)
        return one[both], other[both]


def near_duplicates(pairs: PairSet, threshold: float = NEAR) -> NearDuplicates:
    """Near-duplicates across families, within an axis and across axes."""
    numbers: dict[tuple[str, str], int] = {}
    family = np.array(
        [numbers.setdefault((pair.axis, pair.family), len(numbers)) for pair in pairs.pairs], dtype=np.int64
    )
    texts = (
        [plain(pair.prompt) for pair in pairs.pairs],
        [plain(pair.without_feature) for pair in pairs.pairs],
        [plain(pair.with_feature) for pair in pairs.pairs],
    )
    first, second, what, similarity = _alike(texts, family, threshold)
    clones = _clones(texts, first, second)
    low, high = np.minimum(family[first], family[second]), np.maximum(family[first], family[second])
    two_families = low * len(numbers) + high
    best_first = np.lexsort((second, first, what, ~clones, -similarity, two_families))
    kept = best_first[np.unique(two_families[best_first], return_index=True)[1]]
    ids = np.array([pair.id for pair in pairs.pairs], dtype=np.str_)
    rank = np.empty(len(ids), dtype=np.int64)
    rank[np.argsort(ids)] = np.arange(len(ids))
    kept = kept[np.lexsort((rank[second[kept]], rank[first[kept]], -similarity[kept]))]
    names = tuple(numbers)
    axes = np.array([axis for axis, _ in names], dtype=np.str_)[family] if names else ids
    return NearDuplicates(
        pairs=pairs,
        families=names,
        family=family,
        first=first[kept],
        second=second[kept],
        what=what[kept],
        similarity=similarity[kept],
        same_axis=axes[first[kept]] == axes[second[kept]],
        clones=clones[kept],
    )


def _alike(
    texts: Sequence[Sequence[str]], family: IntArray, threshold: float
) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Places of two pairs of different families, the first before the second, of which one of the texts is
    that much alike: which of them most (the earlier where two are), and how much.
    """
    overlaps = [TextOverlap(own) for own in texts]
    found: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []
    for start, stop in row_blocks(len(family)):
        similarity = overlaps[0].similarity(start, stop)
        what = np.zeros(similarity.shape, dtype=np.int8)
        for text, overlap in enumerate(overlaps[1:], start=1):
            own = overlap.similarity(start, stop)
            more = own > similarity
            similarity[more], what[more] = own[more], text
        similarity[family[start:stop, None] == family[start:]] = 0.0
        one, other = np.nonzero(np.triu(similarity, 1) >= threshold)
        which = what[one, other].astype(np.int64)
        found.append((one + start, other + start, which, similarity[one, other]))
    nothing = np.empty(0, dtype=np.int64)
    found.append((nothing, nothing, nothing, np.empty(0)))
    one, other, which, alike = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return one, other, which, alike


def _clones(texts: Sequence[Sequence[str]], first: IntArray, second: IntArray) -> BoolArray:
    """Whether the plain prompt and one of the plain replies of two pairs are the same."""
    numbers: dict[str, int] = {}
    prompt, without, with_feature = (
        np.array([numbers.setdefault(text, len(numbers)) for text in own], dtype=np.int64) for own in texts
    )
    same_reply = np.zeros(len(first), dtype=np.bool_)
    for one in (without, with_feature):
        for other in (without, with_feature):
            same_reply |= one[first] == other[second]
    return np.asarray(same_reply & (prompt[first] == prompt[second]), dtype=np.bool_)
