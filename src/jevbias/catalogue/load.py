"""From the files of a catalogue to a validated `Catalogue`, or to every fault they have."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.files import (
    CatalogueFiles,
    read_attributes,
    read_files,
    read_names,
    read_prices,
    read_profile,
    read_scenario,
)
from jevbias.catalogue.models import Prices, Profile
from jevbias.catalogue.schemas import SCHEMA_MODELS
from jevbias.catalogue.shape import Reading
from jevbias.catalogue.yaml12 import read_yaml
from jevbias.errors import CatalogueError

_WHAT_A_CATALOGUE_IS = (
    "a catalogue holds scenarios/*.yaml, scenarios/people/attributes.yaml, scenarios/people/names.yaml "
    "and profiles/*.yaml"
)


def catalogue_root(flag: Path | None) -> Path:
    """The folder of the catalogue: the one the user names, else the checkout the package runs from, else the
    data inside the installed package. Raises CatalogueError when it is no folder.
    """
    package = Path(__file__).resolve().parent.parent
    checkout = package.parent.parent
    inside_checkout = (checkout / "scenarios" / "people").is_dir() and (checkout / "pyproject.toml").is_file()
    root = flag if flag is not None else checkout if inside_checkout else package / "data"
    if not root.is_dir():
        what = "is not a folder" if root.exists() else "no such folder"
        raise CatalogueError(f"{what}; {_WHAT_A_CATALOGUE_IS}", path=root)
    return root


def load_catalogue(root: Path | None = None) -> Catalogue:
    """Read and check a whole catalogue; raises the first of the faults that `validate_catalogue` lists."""
    files = read_files(catalogue_root(root))
    for error in files.errors:
        raise error
    return _catalogue(files)


def validate_catalogue(root: Path | None = None) -> list[CatalogueError]:
    """Every fault of every file, in the order of files and lines; empty when the catalogue can be used."""
    try:
        return read_files(catalogue_root(root)).errors
    except CatalogueError as error:
        return [error]


def validate_file(path: Path) -> list[CatalogueError]:
    """Every fault of one file. Its kind is that of its place in a catalogue, else the one its keys look like;
    in a catalogue it is also checked against the other files. A folder is checked as a catalogue.
    """
    if path.is_dir():
        return validate_catalogue(path)
    place = Path(os.path.abspath(path))
    for root in place.parents[1:3]:
        if (root / "scenarios" / "people" / "attributes.yaml").is_file():
            for reading in read_files(root).readings:
                if reading.document.path == place:
                    return [_shown_as(path, error) for error in reading.errors]
    kind = _KIND_BY_NAME.get(place.name) or _KIND_BY_FOLDER.get(place.parent.name) or _looks_like(path)
    return list(_READERS[kind](path).errors) if kind else _not_recognised(path)


_READERS: dict[str, Callable[[Path], Reading[Any]]] = {
    "scenario": read_scenario,
    "attributes": read_attributes,
    "names": lambda path: read_names(path, None),
    "profile": lambda path: read_profile(path, None, None),
    "prices": read_prices,
}
_KIND_BY_NAME = {"attributes.yaml": "attributes", "names.yaml": "names", "prices.yaml": "prices"}
_KIND_BY_FOLDER = {"scenarios": "scenario", "profiles": "profile"}


def _looks_like(path: Path) -> str | None:
    """The kind whose keys the file has the most of."""
    data = read_yaml(path).data
    keys = set(data) if isinstance(data, dict) else set()
    shared = {kind: len(keys & set(model.model_fields)) for kind, model in SCHEMA_MODELS.items()}
    best = max(shared, key=lambda kind: shared[kind])
    return best if shared[best] else None


def _not_recognised(path: Path) -> list[CatalogueError]:
    kinds = ", ".join(SCHEMA_MODELS)
    unknown = CatalogueError(f"is no catalogue file; expected one of {kinds}", path=path)
    return list(read_yaml(path).errors) or [unknown]


def _shown_as(path: Path, error: CatalogueError) -> CatalogueError:
    """The error under the path that the user gave."""
    return CatalogueError(error.message, path=path, line=error.line, key=error.key)


def _catalogue(files: CatalogueFiles) -> Catalogue:
    attributes, names = files.attributes.content, files.names.content
    if attributes is None or names is None:
        raise AssertionError("a file without content has an error")
    profiles = {name: reading.content for name, reading in files.profiles.items() if reading.content}
    return Catalogue(
        scenarios={key: reading.content for key, reading in files.scenarios.items() if reading.content},
        attributes=attributes.attributes,
        incompatible=tuple(attributes.incompatible),
        names=names,
        profiles=dict(sorted(profiles.items(), key=lambda item: (_size(item[1]), item[0]))),
        prices=(files.prices.content if files.prices else None) or Prices(prices=[]),
    )


def _size(profile: Profile) -> tuple[str, int]:
    """What profiles are listed by: counterfactual ones first, from few to many people."""
    return profile.design, profile.bases or profile.people or 0
