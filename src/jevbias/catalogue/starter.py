"""The catalogue that `jevbias init` starts somebody off with: small, commented and complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jevbias.catalogue.load import catalogue_root
from jevbias.catalogue.schemas import schema_texts
from jevbias.errors import UsageError

_HIDDEN = "dot."
"""What the name of a template begins with whose file is to begin with a dot."""


def write_starter(folder: Path) -> None:
    """Write the starter catalogue into a folder that is new or empty: all of it, or nothing.

    Raises UsageError in one line where the folder holds something, is none, or cannot be written to.
    """
    try:
        _write_all(folder, starter_files())
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror or error}") from None


def starter_files() -> Mapping[str, bytes]:
    """Path within the folder → content: the templates, the shipped prices, and the schemas for editors."""
    shipped = catalogue_root(None)
    templates = shipped / "starter"
    files = {
        _named(path.relative_to(templates)): path.read_bytes()
        for path in sorted(templates.rglob("*"))
        if path.is_file()
    }
    files["profiles/prices/prices.yaml"] = (shipped / "profiles" / "prices" / "prices.yaml").read_bytes()
    files |= {f"schemas/{name}": text.encode() for name, text in schema_texts().items()}
    return files


def _named(template: Path) -> str:
    name = template.name
    return template.with_name(f".{name[len(_HIDDEN) :]}" if name.startswith(_HIDDEN) else name).as_posix()


def _write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """The files are laid out beside their place first, so that one that cannot be written leaves nothing."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is no folder; give a new or an empty one")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty; give a new or an empty folder, such as {_another(folder)}")
    made = _make_folders(folder)
    moved: list[Path] = []
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".jevbias-init-") as staging:
            for name, content in files.items():
                path = Path(staging, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            for entry in sorted(os.listdir(staging)):
                Path(staging, entry).rename(folder / entry)
                moved.append(folder / entry)
    except BaseException:
        for path in moved:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for path in made:
            path.rmdir()
        raise


def _make_folders(folder: Path) -> list[Path]:
    """Make the folder with its parents; those that were missing, the innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _another(folder: Path) -> Path:
    return folder / "my-decision"
