"""Which frame and which ask of a run come first in its archive: what is alike lies together, and compresses.

Numbers sort alike in every database, texts do not; so texts are sorted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from jevbias.catalogue.models import VARIANTS
from jevbias.store.archive.faults import Fault
from jevbias.store.archive.records import ProbeLine

FrameKey: TypeAlias = tuple[int, str, int, str]
"""What frames are sorted by."""


def frame_key(places: Mapping[str, int], scenario: str, variant: str, frame_hash: str) -> FrameKey:
    """A frame's key: the scenario's place in the catalogue (without one, after all others and by name), the
    variant's, and the hash.
    """
    return places.get(scenario, len(places)), scenario, [*VARIANTS, variant].index(variant), frame_hash


class OpenAsk:
    """An ask whose probes are still coming, in the order of their positions."""

    def __init__(self) -> None:
        self._first_person: int | None = None
        self._first_position = 0
        self._last_position = -1

    def add(self, probe: ProbeLine) -> None:
        """The next probe. Raises Fault where it is out of order."""
        if probe.position <= self._last_position:
            raise Fault("probes of one ask do not go up by their positions")
        self._last_position = probe.position
        if self._first_person is None:
            self._first_person, self._first_position = probe.person, probe.position
        self._first_person = min(self._first_person, probe.person)

    @property
    def place(self) -> tuple[int, int]:
        """What asks are sorted by: their first person and their first position. Raises Fault for an ask
        without a probe.
        """
        if self._first_person is None:
            raise Fault("the ask before it has no probe")
        return self._first_person, self._first_position
