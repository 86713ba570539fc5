"""Reading an archive's file to its end and believing none of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from jevbias.catalogue.keypath import one_line
from jevbias.errors import ArchiveError
from jevbias.store.archive.faults import Fault, described
from jevbias.store.archive.packed_file import unpack_lines
from jevbias.store.archive.records import FORMAT, VERSION, Counts, Line, RunFields, as_line
from jevbias.store.archive.run_check import RunCheck
from jevbias.store.archive.snapshots import CATALOGUES, SnapshotReaders
from jevbias.store.collector import collector_paused


@dataclass(frozen=True)
class Verified:
    """An archive that holds what it says. `sha256` is over all its lines but the last: archives that share it
    hold the same run.
    """

    run: RunFields
    counts: Counts
    sha256: str


@collector_paused()
def verify_archive(path: Path, readers: SnapshotReaders = CATALOGUES) -> Verified:
    """Read an archive without storing anything. Raises ArchiveError with the first fault and its line."""
    check = RunCheck(readers)
    number = 0
    for number, written in unpack_lines(path):
        try:
            if check.take(_parsed(written, first=number == 1)) != written + b"\n":
                raise Fault("is not written as jevbias writes it: spaces, order, numbers or a doubled key")
        except Fault as fault:
            raise ArchiveError(str(fault), path=path, line=number) from None
    if not check.is_complete:
        raise ArchiveError("is cut short: the last line is missing", path=path, line=number + 1)
    return Verified(check.run, check.end_line.counts, check.end_line.sha256)


def verified_lines(path: Path) -> Iterator[Line]:
    """The lines of an archive that was verified. Raises ArchiveError where it has changed since."""
    for number, written in unpack_lines(path):
        try:
            yield _parsed(written)
        except Fault as fault:
            raise ArchiveError(f"was changed meanwhile: {fault}", path=path, line=number) from None


def _parsed(written: bytes, *, first: bool = False) -> Line:
    try:
        content = json.loads(written.decode("utf-8"))
        if first:
            _check_version(content)
        return as_line(content)
    except UnicodeDecodeError:
        raise Fault("is not UTF-8 text") from None
    except ValidationError as error:
        raise Fault(described(error)) from None
    except ValueError:
        raise Fault("is not JSON") from None
    except RecursionError:
        raise Fault("is nested too deeply") from None


def _check_version(content: object) -> None:
    if not isinstance(content, dict) or content.get("record") != "run" or content.get("format") != FORMAT:
        raise Fault("is not the first line of a run archive")
    version = content.get("version")
    if version != VERSION:
        told = one_line(str(version), 20)
        raise Fault(f"the archive's format is version {told}, this jevbias reads version {VERSION}")
