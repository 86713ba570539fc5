"""What a run was planned from, as its archive holds it, and what that says of the lines to come.

The store knows catalogues. A kind of run that is planned from something else brings its own reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pydantic import ValidationError

from jevbias.catalogue.catalogue import from_snapshot
from jevbias.plan.model import Frame
from jevbias.store.archive.faults import Fault
from jevbias.store.archive.records import PersonLine, RunFields


class Snapshot(Protocol):
    """What a run was planned from, read."""

    @property
    def places(self) -> Mapping[str, int]:
        """The place of each scenario."""
        ...

    def check_person(self, person: PersonLine) -> None:
        """Raises Fault for a person whom no such run asks about."""
        ...

    def check_frame(self, frame: Frame) -> None:
        """Raises Fault for a frame that no such run asks."""
        ...


SnapshotReader = Callable[[RunFields, Mapping[str, Any]], Snapshot]
"""Reads a snapshot. Raises Fault for one that cannot be read."""


class CatalogueSnapshot:
    """The catalogue of a bias run."""

    def __init__(self, run: RunFields, snapshot: Mapping[str, Any]):
        del run
        try:
            self._catalogue = from_snapshot(snapshot)
        except (ValidationError, KeyError, AttributeError, TypeError):
            raise Fault("the catalogue is none that this jevbias can read") from None
        self.places: Mapping[str, int] = {key: place for place, key in enumerate(self._catalogue.scenarios)}

    def check_person(self, person: PersonLine) -> None:
        """Anybody may be asked about."""

    def check_frame(self, frame: Frame) -> None:
        """Raises Fault for what the catalogue does not ask."""
        scenario = self._catalogue.scenarios.get(frame.scenario)
        if scenario is None or frame.variant not in scenario.variants:
            raise Fault("the frame's scenario and variant are not in the run's catalogue")
        if frame.questions != scenario.questions:
            raise Fault("the frame's questions are not those of the run's catalogue")


SnapshotReaders = Mapping[str, SnapshotReader]
"""By the kind of run."""
CATALOGUES: SnapshotReaders = {"bias": CatalogueSnapshot}
