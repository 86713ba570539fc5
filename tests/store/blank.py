"""A SQLite file with the tables of the latest schema and nothing in them, made once and copied."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

from sqlalchemy import Engine

from jevbias.store.engine import open_store


def open_blank(db: str) -> Engine:
    """Open an empty database. A SQLite file that is not there is a copy of one made before, which costs a
    tenth of what making it costs; test_engine.py and test_migrations.py hold how one is made.
    """
    if "://" not in db and not Path(db).exists():
        Path(db).write_bytes(_made())
    return open_store(db)


@cache
def _made() -> bytes:
    folder = tempfile.mkdtemp()
    try:
        open_store(f"{folder}/blank.db").dispose()
        return Path(folder, "blank.db").read_bytes()
    finally:
        shutil.rmtree(folder)
