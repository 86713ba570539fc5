"""docs/architecture.md and CONTRIBUTING.md speak of what is there, and of all of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SOURCE = CHECKOUT / "src" / "jevbias"


def test_every_room_and_every_folder_of_data_is_described() -> None:
    text = (CHECKOUT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for room in SOURCE.iterdir():
        if (room / "__init__.py").exists():
            assert re.search(rf"^\| [^|]*`{room.name}`", text, re.MULTILINE), room.name
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    for folder in re.findall(r'= "jevbias/data/(\w+)"', project):
        assert f"`{folder}/`" in text, folder


DOCUMENTS = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md")]


@pytest.mark.parametrize(
    "document", [path.relative_to(CHECKOUT).as_posix() for path in DOCUMENTS if path.name != "CHANGELOG.md"]
)
def test_every_path_that_a_document_names_exists(document: str) -> None:
    text = (CHECKOUT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", text)
    linked = re.findall(r"\]\(([\w./-]+)", text)
    roots = (CHECKOUT, SOURCE, CHECKOUT / "starter")
    no_paths = ("build/", "reports/", "anthropic/", "n/a")
    for path in named:
        assert path.startswith(no_paths) or any((root / path).exists() for root in roots), path
    for path in linked:
        assert ((CHECKOUT / document).parent / path).exists(), path
