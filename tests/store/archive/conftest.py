"""A run in which everything has happened, in a database and as an archive."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.store.engine import open_store
from tests.store.archive.files import export
from tests.store.archive.worn import worn_run
from tests.store.blank import open_blank


@pytest.fixture(scope="session")
def worn_archive(catalogue: Catalogue) -> bytes:
    """The archive of the worn run, from a SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_store(f"{folder}/worn.db")
        worn_run(engine, catalogue)
        archive = export(engine, Path(folder) / "worn.jsonl.gz")
        engine.dispose()
    return archive


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Engine]:
    """An empty SQLite database."""
    engine = open_blank(str(tmp_path / "other.db"))
    yield engine
    engine.dispose()
