"""Archives in tests: taken out of a database, into one, and apart."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, func, select

from jevbias.errors import ArchiveError
from jevbias.store.archive.transfer import Imported, export_run, import_archive
from jevbias.store.archive.verify import verify_archive
from jevbias.store.connections import reading
from jevbias.store.runs import find_run
from jevbias.store.tables import TABLES

Edit = Callable[[list[Any]], None]


def export(engine: Engine, path: Path, name: str | None = None) -> bytes:
    """Export a run into a file and return what is in it."""
    with path.open("wb") as file:
        export_run(engine, find_run(engine, name), file)
    return path.read_bytes()


def take_in(engine: Engine, path: Path, name: str | None = None) -> Imported:
    """Verify and import an archive."""
    return import_archive(engine, path, verify_archive(path), name=name)


def edited(archive: bytes, edit: Edit, path: Path, *, signed: bool = True) -> Path:
    """A copy of an archive whose lines were edited, as a list of their contents, by somebody who knows how to
    count and to sign them again (or does not).
    """
    lines = [json.loads(line) for line in gzip.decompress(archive).splitlines()]
    edit(lines)
    if signed:
        sign(lines)
    path.write_bytes(packed(lines))
    return path


def sign(lines: list[Any]) -> None:
    """Give the last line the counts and the SHA-256 of what is before it."""
    body = lines[:-1]
    lines[-1]["counts"] = counted(body)
    lines[-1]["sha256"] = hashlib.sha256(b"".join(map(written, body))).hexdigest()


def counted(lines: list[Any]) -> dict[str, int]:
    """What the last line has to count."""
    known = [line for line in lines if isinstance(line, dict)]
    kinds = [line["record"] for line in known]
    probes = [line for line in known if line["record"] == "probe"]
    return {
        "hypotheses": kinds.count("hypothesis"),
        "batches": kinds.count("batch"),
        "people": kinds.count("person"),
        "frames": kinds.count("frame"),
        "asks": kinds.count("ask"),
        "probes": len(probes),
        "sends": sum(len(probe["sends"]) for probe in probes),
        "answers": sum(len(probe["answers"]) for probe in probes),
    }


def packed(lines: list[Any]) -> bytes:
    """The file that has these lines; a line that is bytes stands as it is."""
    return gzip.compress(b"".join(map(written, lines)), mtime=0)


def written(line: Any) -> bytes:
    """A line with its end."""
    if isinstance(line, bytes):
        return line + b"\n"
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def stored_rows(engine: Engine) -> int:
    """How many rows the database holds of all runs."""
    with reading(engine) as connection:
        return sum(connection.execute(select(func.count()).select_from(t)).scalar_one() for t in TABLES)


def refused(path: Path) -> str:
    """What is said of an archive that is not taken, after the name of the file."""
    with pytest.raises(ArchiveError) as caught:
        verify_archive(path)
    said = str(caught.value)
    assert said.startswith(str(path))
    assert said.isprintable()
    assert len(said) < len(str(path)) + 400
    return said.removeprefix(str(path))


def at(lines: list[Any], record: str, nth: int = 0) -> Any:
    """The nth line of a kind."""
    return [line for line in lines if line["record"] == record][nth]
