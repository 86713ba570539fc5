"""The files of the catalogue that ships, which no test changes: reading them takes longer than most commands
take beside, so a process of tests reads them once, and those forked from its fork server not at all.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jevbias.catalogue import files, load
from jevbias.catalogue.files import CatalogueFiles
from tests.conftest import CHECKOUT


def read_files(root: Path) -> CatalogueFiles:
    """What `jevbias.catalogue.files.read_files` reads; to be put in its place in `jevbias.catalogue.load`."""
    return _shipped() if root == CHECKOUT else files.read_files(root)


def read_once() -> None:
    """Have the commands of this process, which is a test's own, take what was read before."""
    load.read_files = read_files  # type: ignore[attr-defined]


@cache
def _shipped() -> CatalogueFiles:
    return files.read_files(CHECKOUT)
