"""The kinds of runs that an archive can hold, with what reads the snapshot of each."""

from __future__ import annotations

from jevbias.battery.archived import PairsSnapshot
from jevbias.store.archive.snapshots import CATALOGUES, SnapshotReaders

ARCHIVED_KINDS: SnapshotReaders = {**CATALOGUES, "battery": PairsSnapshot}
