"""A database for runs of the test bench."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.store.engine import open_store


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "jevbias.db")


@pytest.fixture
def engine(db: str) -> Iterator[Engine]:
    engine = open_store(db)
    yield engine
    engine.dispose()
