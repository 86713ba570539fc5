"""The plan hash of probes that come in another order than that of their positions."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from jevbias.catalogue.models import CONDITIONS, Condition, Profile
from jevbias.plan.build import plan_hash
from jevbias.plan.model import Frame, PlannedProbe

_HASH_BYTES = 32


class PlannedOrder:
    """Collects probes grouped by frame and ask, some 40 bytes each, and puts them into the plan's order."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []
        self._frame_of_ask = array("l")
        self._ask_hashes = bytearray()
        self._position, self._person, self._replicate = array("l"), array("l"), array("l")
        self._condition, self._ask = array("b"), array("l")

    def add_frame(self, frame: Frame) -> None:
        """The frame of the asks that follow."""
        self._frames.append(frame)

    def add_ask(self, ask_hash: str) -> None:
        """The ask of the probes that follow."""
        self._frame_of_ask.append(len(self._frames) - 1)
        self._ask_hashes += bytes.fromhex(ask_hash)

    def add_probe(self, position: int, person: int, condition: Condition, replicate: int) -> None:
        """One probe; `person` is a `Person.idx`."""
        self._position.append(position)
        self._person.append(person)
        self._condition.append(CONDITIONS.index(condition))
        self._replicate.append(replicate)
        self._ask.append(len(self._frame_of_ask) - 1)

    def plan_hash(self, profile_name: str, profile: Profile, seed: int, catalogue_hash: str) -> str | None:
        """The hash of the plan that has these probes; None where their positions do not count from 0."""
        count = len(self._position)
        places = array("l", [-1]) * count
        for place, position in enumerate(self._position):
            if position >= count or places[position] != -1:
                return None
            places[position] = place
        return plan_hash(profile_name, profile, seed, catalogue_hash, self._in_order(places))

    def _in_order(self, places: array[int]) -> Iterator[PlannedProbe]:
        for position, place in enumerate(places):
            ask = self._ask[place]
            frame = self._frames[self._frame_of_ask[ask]]
            yield PlannedProbe(
                position,
                self._person[place],
                frame.scenario,
                frame.variant,
                CONDITIONS[self._condition[place]],
                self._replicate[place],
                self._ask_hashes[ask * _HASH_BYTES : (ask + 1) * _HASH_BYTES].hex(),
            )
