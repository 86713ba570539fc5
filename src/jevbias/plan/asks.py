"""The asks of a plan by their hash, kept small: a million probes have half a million of them."""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from jevbias.catalogue.canonical import canonical_json
from jevbias.plan.model import Ask, Frame


@dataclass(frozen=True)
class PackedBlock:
    """A person block as canonical JSON, plain and zlib, so that all asks about one person share the work."""

    plain: bytes
    packed: bytes

    @classmethod
    def of(cls, block: Mapping[str, str]) -> Self:
        """Pack a block."""
        plain = canonical_json(dict(block))
        return cls(plain, zlib.compress(plain))


class PlannedAsks(Mapping[str, Ask]):
    """Asks by hash, in the order in which they were added; an `Ask` is made when it is looked at.

    Asks that follow each other and share a person block share the block itself, the very same mapping.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._frames: list[Frame] = []
        self._frame_numbers: dict[str, int] = {}
        self._blocks: list[bytes] = []
        self._block_numbers: dict[bytes, int] = {}
        self._frame_of, self._block_of = array("I"), array("I")
        self._unpacked: tuple[int, Mapping[str, str]] = (-1, {})

    def add(self, frame: Frame, block: PackedBlock) -> int:
        """The place of the ask of a frame and a block, counted from 0; the same ask is added once."""
        # What canonical_hash makes of {"frame": …, "person": …}, without encoding the block again.
        digest = hashlib.sha256(
            b'{"frame":"%s","person":%s}' % (frame.hash.encode("ascii"), block.plain)
        ).hexdigest()
        place = self._places.setdefault(digest, len(self._places))
        if place == len(self._frame_of):
            self._frame_of.append(self._frame_number(frame))
            self._block_of.append(self._block_number(block))
        return place

    def hashes(self) -> list[str]:
        """Every ask's hash, by place."""
        return list(self._places)

    def __getitem__(self, ask_hash: str) -> Ask:
        place = self._places[ask_hash]
        return Ask(self._frames[self._frame_of[place]], self._block(self._block_of[place]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _frame_number(self, frame: Frame) -> int:
        number = self._frame_numbers.setdefault(frame.hash, len(self._frames))
        if number == len(self._frames):
            self._frames.append(frame)
        return number

    def _block_number(self, block: PackedBlock) -> int:
        number = self._block_numbers.setdefault(hashlib.sha256(block.plain).digest(), len(self._blocks))
        if number == len(self._blocks):
            self._blocks.append(block.packed)
        return number

    def _block(self, number: int) -> Mapping[str, str]:
        if self._unpacked[0] != number:
            self._unpacked = number, json.loads(zlib.decompress(self._blocks[number]))
        return self._unpacked[1]
