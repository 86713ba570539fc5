"""How much texts have in common: of the overlapping pieces that either has, the share that both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_matrix

from jevbias.stats.arrays import FloatArray

PIECE = 5
"""Letters of a piece; each text is the set of its overlapping pieces (Broder, 1997)."""
COMMON = 1 / 16
"""The share of texts from which a piece is common. What texts share is counted by matrix products: dense ones
over common pieces, which templates are made of, and sparse ones over rare pieces.
"""
_COMMON_AT_ONCE = 2048
_CELLS_AT_ONCE = 4_000_000


class TextOverlap:
    """The texts of a list held against each other."""

    def __init__(self, texts: Sequence[str], common: float = COMMON) -> None:
        self._texts = len(texts)
        table = _piece_table(texts)
        self._sizes = np.diff(table.indptr).astype(np.float64)
        holders = np.bincount(table.indices, minlength=table.shape[1])
        is_common = holders > max(common * self._texts, 1)
        self._common = table[:, is_common].tocsc()
        self._rare = table[:, ~is_common]
        self._rare_across = self._rare.T.tocsr()

    def similarity(self, start: int, stop: int) -> FloatArray:
        """Shares (Jaccard) of the texts from `start` to `stop`, a row each, with those from `start` on; 0
        where either is empty.
        """
        shared = np.zeros((stop - start, self._texts - start), dtype=np.float32)
        for first in range(0, self._common.shape[1], _COMMON_AT_ONCE):
            dense = self._common[:, first : first + _COMMON_AT_ONCE][start:].toarray()
            shared += dense[: stop - start] @ dense.T
        rare = (self._rare[start:stop] @ self._rare_across[:, start:]).tocoo()
        shared[rare.row, rare.col] += rare.data
        union = self._sizes[start:stop, None] + self._sizes[start:] - shared
        return np.divide(shared, union, out=np.zeros_like(union), where=union > 0)


def row_blocks(texts: int) -> Iterator[tuple[int, int]]:
    """Where to start and stop, so that a block of similarities fits in memory."""
    rows = max(1, _CELLS_AT_ONCE // max(texts, 1))
    return ((start, min(start + rows, texts)) for start in range(0, texts, rows))


def _piece_table(texts: Sequence[str]) -> csr_matrix[np.float32]:
    """Texts by pieces: 1 where a text has a piece."""
    numbers: dict[str, int] = {}
    columns = [
        np.array([numbers.setdefault(piece, len(numbers)) for piece in _pieces(text)], dtype=np.int32)
        for text in texts
    ]
    starts = np.cumsum([0, *map(len, columns)])
    held = np.concatenate([np.empty(0, dtype=np.int32), *columns])
    shape = len(texts), max(len(numbers), 1)
    return csr_matrix((np.ones(len(held), dtype=np.float32), held, starts), shape=shape)


def _pieces(text: str) -> set[str]:
    if len(text) <= PIECE:
        return {text} if text else set()
    return {text[start : start + PIECE] for start in range(len(text) - PIECE + 1)}
