"""Pairs of different families that say nearly the same: they look like independent evidence and are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from jevbias.battery.pairs import Pair, PairSet, plain

NEAR = 0.6
"""The share of common pieces (Jaccard) from which two texts are near-duplicates. Two unrelated texts of a
paragraph share some 0.05; one sentence with a word exchanged keeps 0.6 to 0.8.
"""
PIECE = 5
"""Letters of a piece; each text is the set of its overlapping pieces (Broder, 1997)."""
_ROWS_AT_ONCE = 500


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


def near_duplicates(pairs: PairSet, threshold: float = NEAR) -> list[NearDuplicate]:
    """Near-duplicates across families, the most alike first; one entry for two families, within an axis and
    across axes.
    """
    found: dict[tuple[str, str, str, str], NearDuplicate] = {}
    by_text = _texts(pairs.pairs)
    said = list(zip(*by_text.values(), strict=True))
    for what, texts in by_text.items():
        for one, other, similarity in _alike(texts, threshold):
            first, second = pairs.pairs[one], pairs.pairs[other]
            if (first.axis, first.family) == (second.axis, second.family):
                continue
            key = (first.axis, first.family, second.axis, second.family)
            known = found.get(key)
            alike = _clones(said[one], said[other])
            if known is None or (similarity, alike) > (known.similarity, known.clones):
                clones = alike or (known is not None and known.clones)
                found[key] = NearDuplicate(
                    first.id, second.id, what, similarity, first.axis == second.axis, clones
                )
    return sorted(found.values(), key=lambda near: (-near.similarity, near.first, near.second))


def lineages(pairs: Sequence[Pair]) -> list[str]:
    """What each pair of one axis descends from: its family, where families that repeat a pair word for word
    are one; named after the first of them.
    """
    leader: dict[str, str] = {}

    def root(family: str) -> str:
        while leader.setdefault(family, family) != family:
            family = leader[family]
        return family

    seen: dict[tuple[str, str], str] = {}
    for pair in pairs:
        prompt = plain(pair.prompt)
        for reply in (pair.with_feature, pair.without_feature):
            first = seen.setdefault((prompt, plain(reply)), pair.family)
            one, other = root(first), root(pair.family)
            if one != other:
                leader[other] = one
    return [root(pair.family) for pair in pairs]


def merged(pairs: Sequence[Pair], near: Sequence[NearDuplicate]) -> list[str]:
    """The lineage of each pair of one axis if near-duplicate families counted as one too."""
    leader: dict[str, str] = {}

    def root(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    by_id = {pair.id: lineage for pair, lineage in zip(pairs, lineages(pairs), strict=True)}
    for found in near:
        if found.first in by_id and found.second in by_id:
            one, other = root(by_id[found.first]), root(by_id[found.second])
            if one != other:
                leader[other] = one
    return [root(by_id[pair.id]) for pair in pairs]


def _clones(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the plain prompt and one of the plain replies of two pairs are the same."""
    return first[0] == second[0] and (first[1] in second[1:] or first[2] in second[1:])


def _texts(pairs: Sequence[Pair]) -> Mapping[str, list[str]]:
    return {
        "prompt": [plain(pair.prompt) for pair in pairs],
        "without": [plain(pair.without_feature) for pair in pairs],
        "with": [plain(pair.with_feature) for pair in pairs],
    }


def _alike(texts: Sequence[str], threshold: float) -> Iterator[tuple[int, int, float]]:
    """Places of two texts, the first before the second, whose pieces overlap that much."""
    pieces = [_pieces(text) for text in texts]
    numbers: dict[str, int] = {}
    columns = [numbers.setdefault(piece, len(numbers)) for own in pieces for piece in sorted(own)]
    starts = np.cumsum([0, *(len(own) for own in pieces)])
    shape = (len(texts), max(len(numbers), 1))
    table = csr_matrix((np.ones(len(columns), dtype=np.float32), columns, starts), shape=shape)
    sizes = np.diff(starts).astype(np.float64)
    for start in range(0, len(texts), _ROWS_AT_ONCE):
        shared = (table[start : start + _ROWS_AT_ONCE] @ table.T).tocoo()
        rows, others = shared.row + start, shared.col
        union = sizes[rows] + sizes[others] - shared.data
        similarity = shared.data / union
        kept = (rows < others) & (similarity >= threshold)
        for row, other, value in zip(rows[kept], others[kept], similarity[kept], strict=True):
            yield int(row), int(other), float(value)


def _pieces(text: str) -> set[str]:
    if len(text) <= PIECE:
        return {text} if text else set()
    return {text[start : start + PIECE] for start in range(len(text) - PIECE + 1)}
