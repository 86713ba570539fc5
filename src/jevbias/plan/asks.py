"""The asks of a plan by their hash, kept small: a million probes have half a million of them."""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

from jevbias.catalogue.canonical import canonical_json
from jevbias.plan.model import Ask, Frame

_HASH_BYTES = 32


@dataclass(frozen=True)
class PackedBlock:
    """A person block as canonical JSON, plain and zlib, so that all asks about one person share the work."""

    plain: bytes

    @classmethod
    def of(cls, block: Mapping[str, str]) -> Self:
        """Pack a block."""
        return cls(canonical_json(dict(block)))

    @cached_property
    def packed(self) -> bytes:
        """The block as zlib; at its quickest, which leaves a block of some hundred bytes 2% larger."""
        return zlib.compress(self.plain, zlib.Z_BEST_SPEED)

    @cached_property
    def digest(self) -> bytes:
        """What tells the block from others."""
        return hashlib.sha256(self.plain).digest()


class PackedAsk(NamedTuple):
    """An ask as it is stored; `person` is its block as canonical JSON, zlib."""

    hash: str
    frame_hash: str
    person: bytes


class PlannedAsks(Mapping[str, Ask]):
    """Asks by hash, in the order in which they were added; an `Ask` is made when it is looked at.

    Asks that follow each other and share a person block share the block itself, the very same mapping.
    """

    def __init__(self) -> None:
        self._digests = bytearray()
        self._frames: list[Frame] = []
        self._frame_hashes: list[bytes] = []
        self._last_block: tuple[PackedBlock | None, int] = (None, -1)
        self._frame_numbers: dict[str, int] = {}
        self._blocks: list[bytes] = []
        self._block_numbers: dict[bytes, int] = {}
        self._frame_of, self._block_of = array("I"), array("I")
        self._places_of_block: list[array[int]] = []
        """For each block, by the number of the frame: 1 + the place of their ask, 0 where there is none."""
        self._places: dict[str, int] = {}
        self._unpacked: tuple[int, Mapping[str, str]] = (-1, {})

    def add(self, frame: Frame, block: PackedBlock) -> int:
        """The place of the ask of a frame and a block, counted from 0; the same ask is added once."""
        frame_number, block_number = self._frame_number(frame), self._block_number(block)
        places = self._places_of_block[block_number]
        if frame_number >= len(places):
            places.extend([0] * (len(self._frames) - len(places)))
        if not places[frame_number]:
            # What canonical_hash makes of {"frame": …, "person": …}, without encoding the block again.
            content = b'{"frame":"%s","person":%s}' % (self._frame_hashes[frame_number], block.plain)
            self._digests += hashlib.sha256(content).digest()
            self._frame_of.append(frame_number)
            self._block_of.append(block_number)
            places[frame_number] = len(self)
        return places[frame_number] - 1

    @property
    def frames(self) -> list[Frame]:
        """Every frame that is asked, in the order in which the asks first use them."""
        return list(self._frames)

    def hash_at(self, place: int) -> str:
        """The hash of the ask that was added as number `place`."""
        return self._digests[place * _HASH_BYTES : (place + 1) * _HASH_BYTES].hex()

    def packed(self) -> Iterator[PackedAsk]:
        """Every ask as it is stored."""
        for place, (frame, block) in enumerate(zip(self._frame_of, self._block_of, strict=True)):
            yield PackedAsk(self.hash_at(place), self._frames[frame].hash, self._blocks[block])

    def ask_at(self, place: int) -> Ask:
        """The ask that was added as number `place`."""
        return Ask(self._frames[self._frame_of[place]], self._block(self._block_of[place]))

    def __getitem__(self, ask_hash: str) -> Ask:
        if len(self._places) != len(self):  # Most plans are only read in turn.
            self._places = {digest: place for place, digest in enumerate(self)}
        return self.ask_at(self._places[ask_hash])

    def __iter__(self) -> Iterator[str]:
        return map(self.hash_at, range(len(self)))

    def __len__(self) -> int:
        return len(self._frame_of)

    def items(self) -> ItemsView[str, Ask]:
        """Hashes and asks, in order."""
        return _Items(self)

    def values(self) -> ValuesView[Ask]:
        """The asks, in order."""
        return _Values(self)

    def _frame_number(self, frame: Frame) -> int:
        number = self._frame_numbers.setdefault(frame.hash, len(self._frames))
        if number == len(self._frames):
            self._frames.append(frame)
            self._frame_hashes.append(frame.hash.encode("ascii"))
        return number

    def _block_number(self, block: PackedBlock) -> int:
        last, number = self._last_block
        if block is not last:
            number = self._block_numbers.setdefault(block.digest, len(self._blocks))
            if number == len(self._blocks):
                self._blocks.append(block.packed)
                self._places_of_block.append(array("I"))
            self._last_block = block, number
        return number

    def _block(self, number: int) -> Mapping[str, str]:
        if self._unpacked[0] != number:
            self._unpacked = number, json.loads(zlib.decompress(self._blocks[number]))
        return self._unpacked[1]


class _Values(ValuesView[Ask]):
    def __init__(self, asks: PlannedAsks) -> None:
        super().__init__(asks)
        self._asks = asks

    def __iter__(self) -> Iterator[Ask]:
        return map(self._asks.ask_at, range(len(self._asks)))


class _Items(ItemsView[str, Ask]):
    def __init__(self, asks: PlannedAsks) -> None:
        super().__init__(asks)
        self._asks = asks

    def __iter__(self) -> Iterator[tuple[str, Ask]]:
        return zip(self._asks, self._asks.values(), strict=True)
