"""This machine: versions, settings, the catalogue, the database."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from dotenv import dotenv_values

from jevbias import __version__
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import catalogue_root
from jevbias.doctor.check import Check
from jevbias.errors import CatalogueError, DatabaseError
from jevbias.settings import Settings
from jevbias.store.look import look_at_store
from jevbias.store.migrations import LATEST

_EXTRAS: Mapping[str, tuple[str, ...]] = {"mock": ("starlette", "uvicorn"), "postgres": ("psycopg",)}
_SQLITE_NEEDED = (3, 35, 0)
_SQLITE_SOUND = (3, 51, 3)
_OURS = re.compile("JEVBIAS_(?!TEST_)")
_ENV_FILE = str(Settings.model_config["env_file"])
_LITTLE_ROOM = 200_000_000
"""Bytes; with less on the disk, a long run could fill it."""


def check_versions() -> Check:
    """Which jevbias, which Python, which extras."""
    extras = ", ".join(
        f"{name} {'installed' if all(map(find_spec, modules)) else 'not installed'}"
        for name, modules in _EXTRAS.items()
    )
    python = f"Python {platform.python_version()} on {platform.system()}"
    return Check("versions", "ok", f"jevbias {__version__}, {python}; extras: {extras}")


def check_sqlite() -> Check:
    """Whether SQLite is new enough."""
    version = sqlite3.sqlite_version_info
    found = f"SQLite {sqlite3.sqlite_version}"
    if version < _SQLITE_NEEDED:
        return Check("SQLite", "failed", found, "3.35 is needed, for UPDATE … RETURNING: use a newer Python")
    if version < _SQLITE_SOUND:
        known = "before 3.51.3 two processes on one database can, very rarely, damage it"
        return Check("SQLite", "ok", found, f"{known}; keep to one process at a time, or copy the file first")
    return Check("SQLite", "ok", found)


def check_settings(fault: str | None) -> Check:
    """Which settings are set, by their names alone. `fault` is what reading them ended with."""
    known = {str(field.validation_alias) for field in Settings.model_fields.values()}
    file = Path(_ENV_FILE)
    if fault is not None:
        return Check("settings", "failed", fault)
    there = file.is_file()
    in_file = [name for name, value in dotenv_values(file).items() if value] if there else []
    in_environment = [name for name, value in os.environ.items() if value.strip()]
    sources = [_named("in the environment", known.intersection(in_environment))]
    sources.append(
        _named(f"in {_ENV_FILE}", known.intersection(in_file)) if there else f"no {_ENV_FILE} here"
    )
    found = "; ".join(sources)
    unknown = sorted({n for n in (*in_file, *in_environment) if _OURS.match(n)} - known)
    if unknown:
        close = get_close_matches(unknown[0], known, n=1)
        meant = f"did you mean {close[0]}?" if close else "remove it"
        return Check("settings", "warning", found, f"there is no setting {', '.join(unknown)}: {meant}")
    return Check("settings", "ok", found)


def _named(where: str, names: set[str]) -> str:
    return f"{where}: {', '.join(sorted(names)) or 'none'}"


def check_catalogue(found: Catalogue | CatalogueError, folder: Path | None) -> Check:
    """Whether what is put to the model can be read; `found` is what loading it from `folder` ended with."""
    if isinstance(found, CatalogueError):
        return Check("catalogue", "failed", str(found), "`jevbias validate` lists every fault")
    counts = (
        f"{len(found.scenarios)} scenarios, {len(found.person_attributes)} attributes, "
        f"{len(found.profiles)} profiles"
    )
    return Check("catalogue", "ok", f"{counts} in {catalogue_root(folder)}")


def check_database(db: str) -> Check:
    """Whether a run could be stored, and in what state its database is; nothing is made or changed."""
    try:
        look = look_at_store(db)
    except DatabaseError as error:
        return Check("database", "failed", str(error))
    parts = [look.name]
    if look.version:
        newer = "" if look.version == LATEST else f", to be brought to {LATEST} when it is next opened"
        parts.append(f"schema {look.version}{newer}")
    else:
        parts.append(
            "empty, the first run makes it" if look.exists else "not there yet, the first run makes it"
        )
    if look.journal_mode is not None:
        parts.append(f"{look.journal_mode} journal")
    if look.size is not None:
        parts.append(_megabytes(look.size))
    parts.append("writable")
    if look.free is not None:
        parts.append(f"{_megabytes(look.free)} free")
    found = ", ".join(parts)
    if look.free is not None and look.free < _LITTLE_ROOM:
        return Check(
            "database", "warning", found, "little room is left on its disk; --db names another place"
        )
    return Check("database", "ok", found)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size < 1e9 else f"{size / 1e9:,.1f} GB"
