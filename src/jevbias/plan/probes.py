"""The probes of a plan in their shuffled order, some 20 bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from jevbias.catalogue.models import CONDITIONS, VARIANTS
from jevbias.plan.cells import Cell
from jevbias.plan.model import PlannedProbe

_KEY_BYTES = 32
_CHUNK = 10_000


class PlannedProbes(Sequence[PlannedProbe]):
    """Probes in the order of their positions; a `PlannedProbe` is made when it is looked at.

    `table` (probes, 6) holds each one's person, scenario, variant, condition, replicate and ask, the last as
    a place in `asks`, the hashes; scenarios are places in `scenarios`.
    """

    def __init__(self, table: NDArray[np.uint32], scenarios: Sequence[str], asks: Sequence[str]) -> None:
        self._table, self._scenarios, self._asks = table, scenarios, asks

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, index: int) -> PlannedProbe: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlannedProbe]: ...
    def __getitem__(self, index: int | slice) -> PlannedProbe | list[PlannedProbe]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return self._probe(position, self._table[position].tolist())

    def __iter__(self) -> Iterator[PlannedProbe]:
        for start in range(0, len(self), _CHUNK):
            for offset, row in enumerate(self._table[start : start + _CHUNK].tolist()):
                yield self._probe(start + offset, row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _probe(self, position: int, row: list[int]) -> PlannedProbe:
        person, scenario, variant, condition, replicate, ask = row
        return PlannedProbe(
            position,
            person,
            self._scenarios[scenario],
            VARIANTS[variant],
            CONDITIONS[condition],
            replicate,
            self._asks[ask],
        )


class ProbeShuffle:
    """Collects probes with the keys that decide their order."""

    def __init__(self, scenarios: Sequence[str]) -> None:
        self._scenarios = scenarios
        self._numbers = {scenario: number for number, scenario in enumerate(scenarios)}
        self._keys, self._rows = bytearray(), array("I")

    def add(self, key: bytes, cell: Cell, replicate: int, ask: int) -> None:
        """One probe of a cell; `key` is 32 bytes, `ask` the place of its ask."""
        self._keys += key
        self._rows.extend(
            (
                cell.person.idx,
                self._numbers[cell.scenario],
                VARIANTS.index(cell.variant),
                CONDITIONS.index(cell.condition),
                replicate,
                ask,
            )
        )

    def ordered(self, asks: Sequence[str]) -> PlannedProbes:
        """The probes sorted by their keys; `asks` are the hashes by place."""
        words = np.frombuffer(self._keys, dtype=">u8").reshape(-1, _KEY_BYTES // 8)
        order = np.lexsort(words.T[::-1])
        table = np.frombuffer(self._rows, dtype=np.uint32).reshape(-1, 6)[order]
        return PlannedProbes(table, self._scenarios, asks)
