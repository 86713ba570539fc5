"""Which pairs are one piece of evidence: those of one family, and of families that repeat each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from jevbias.battery.near_duplicates import NearDuplicates
from jevbias.battery.pairs import Pair, plain


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


def merged(pairs: Sequence[Pair], near: NearDuplicates) -> list[int]:
    """The lineage of each pair of one axis, by number, if near-duplicate families counted as one too."""
    if not pairs:
        return []
    families = list(dict.fromkeys(pair.family for pair in pairs))
    place = {family: number for number, family in enumerate(families)}
    one, other = near.linked(pairs[0].axis, families)
    repeated = [
        (place[pair.family], place[lineage]) for pair, lineage in zip(pairs, lineages(pairs), strict=True)
    ]
    rows, columns = np.concatenate([np.array(repeated, dtype=np.int64), np.column_stack([one, other])]).T
    links = coo_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(families),) * 2)
    numbers = connected_components(links, directed=False)[1]
    return [int(numbers[place[pair.family]]) for pair in pairs]
