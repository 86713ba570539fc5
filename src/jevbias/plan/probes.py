"""The probes of a plan in their shuffled order, some 20 bytes each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import overload

import numpy as np
from numpy.typing import NDArray

from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition, Variant
from jevbias.plan.cells import Cell
from jevbias.plan.model import PlannedProbe

_KEY_BYTES = 32
_CHUNK = 10_000

_ROW = np.dtype(
    [
        *(("person", "<u4"), ("scenario", "<u2"), ("variant", "u1"), ("condition", "u1")),
        *(("replicate", "<u4"), ("ask", "<u4")),
    ]
)
_PACKED = Struct("<IHBBII").pack
_VARIANT_NUMBERS = {variant: number for number, variant in enumerate(VARIANTS)}
_CONDITION_NUMBERS = {condition: number for number, condition in enumerate(CONDITIONS)}

PlacedProbe = tuple[int, int, str, Variant, Condition, int, int]
"""As a `PlannedProbe`, with the place of its ask for the hash."""
ListedProbe = tuple[int, int, str, Variant, Condition, int, str]
"""What a `PlannedProbe` holds."""


class PlannedProbes(Sequence[PlannedProbe]):
    """Probes in the order of their positions; a `PlannedProbe` is made when it is looked at.

    `table` (probes,) holds each one's person, scenario, variant, condition, replicate and ask, the last as a
    place, of which `hash_at` knows the hash; scenarios are places in `scenarios`.
    """

    def __init__(
        self, table: NDArray[np.void], scenarios: Sequence[str], hash_at: Callable[[int], str]
    ) -> None:
        self._table, self._scenarios, self._hash_at = table, scenarios, hash_at

    def placed(self) -> Iterator[PlacedProbe]:
        """The probes in order, each with the place of its ask among the plan's, from 0."""
        scenarios = self._scenarios
        for start in range(0, len(self), _CHUNK):
            rows = self._table[start : start + _CHUNK].tolist()
            for position, (person, scenario, variant, condition, replicate, ask) in enumerate(rows, start):
                yield (
                    *(position, person, scenarios[scenario], VARIANTS[variant], CONDITIONS[condition]),
                    *(replicate, ask),
                )

    def listed(self) -> Iterator[ListedProbe]:
        """The probes in order as plain tuples, which are made faster."""
        hash_at = self._hash_at
        return ((*probe[:-1], hash_at(probe[-1])) for probe in self.placed())

    def ask_counts(self) -> dict[int, int]:
        """How many probes put the ask of each place."""
        return dict(enumerate(np.bincount(self._table["ask"]).tolist()))

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

    def _probe(self, position: int, row: tuple[int, ...]) -> PlannedProbe:
        person, scenario, variant, condition, replicate, ask = row
        return PlannedProbe(
            position,
            person,
            self._scenarios[scenario],
            VARIANTS[variant],
            CONDITIONS[condition],
            replicate,
            self._hash_at(ask),
        )


class ProbeShuffle:
    """Collects probes with the keys that decide their order."""

    def __init__(self, scenarios: Sequence[str]) -> None:
        self._scenarios = scenarios
        self._numbers = {scenario: number for number, scenario in enumerate(scenarios)}
        self._keys, self._rows = bytearray(), bytearray()

    def add(self, key: bytes, cell: Cell, replicate: int, ask: int) -> None:
        """One probe of a cell; `key` is 32 bytes, `ask` the place of its ask."""
        self._keys += key
        self._rows += _PACKED(
            cell.person.idx,
            self._numbers[cell.scenario],
            _VARIANT_NUMBERS[cell.variant],
            _CONDITION_NUMBERS[cell.condition],
            replicate,
            ask,
        )

    def ordered(self, hash_at: Callable[[int], str]) -> PlannedProbes:
        """The probes sorted by their keys; `hash_at` knows the hash of the ask at a place. Takes them along:
        the shuffle is empty afterwards.
        """
        words = np.frombuffer(self._keys, dtype=">u8").reshape(-1, _KEY_BYTES // 8)
        order = np.lexsort(words.T[::-1])
        del words
        self._keys = bytearray()
        table = np.frombuffer(self._rows, dtype=_ROW)[order]
        self._rows = bytearray()
        return PlannedProbes(table, self._scenarios, hash_at)
