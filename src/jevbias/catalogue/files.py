"""The files of one catalogue: each read, held against its model and its rules, and against the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from jevbias.catalogue.models import Attribute, Attributes, Names, Prices, Profile, Scenario, Strict
from jevbias.catalogue.rules.attributes import check_attributes
from jevbias.catalogue.rules.fault import Fault
from jevbias.catalogue.rules.names import check_names
from jevbias.catalogue.rules.profile import PROFILE_NAME, check_aliases, check_prices, check_profile
from jevbias.catalogue.rules.scenario import check_scenario
from jevbias.catalogue.shape import Reading, read_shape
from jevbias.catalogue.yaml12 import read_yaml
from jevbias.errors import CatalogueError

ModelT = TypeVar("ModelT", bound=Strict)


@dataclass(frozen=True)
class CatalogueFiles:
    """What the files of a catalogue say and what is wrong with them; mappings are by file stem."""

    scenarios: Mapping[str, Reading[Scenario]]
    attributes: Reading[Attributes]
    names: Reading[Names]
    profiles: Mapping[str, Reading[Profile]]
    prices: Reading[Prices] | None
    folder_errors: tuple[CatalogueError, ...]

    @property
    def readings(self) -> list[Reading[Any]]:
        """Every file, in the order in which faults are listed."""
        prices = [self.prices] if self.prices else []
        return [*self.scenarios.values(), self.attributes, self.names, *self.profiles.values(), *prices]

    @property
    def errors(self) -> list[CatalogueError]:
        """Every fault, by file and line."""
        return [*self.folder_errors, *chain.from_iterable(reading.errors for reading in self.readings)]


def read_files(root: Path) -> CatalogueFiles:
    """Read the catalogue in a folder; faults are collected, none is raised."""
    people, prices_file = root / "scenarios" / "people", root / "profiles" / "prices" / "prices.yaml"
    scenario_files = _YamlFolder(root / "scenarios", "scenario", r"[a-z][a-z0-9_]{0,59}")
    profile_files = _YamlFolder(root / "profiles", "profile", PROFILE_NAME)
    attributes = read_attributes(people / "attributes.yaml")
    known = attributes.content.attributes if attributes.content else None
    scenarios = {path.stem: read_scenario(path) for path in scenario_files.paths}
    profiles = {path.stem: read_profile(path, scenarios, known) for path in profile_files.paths}
    return CatalogueFiles(
        scenarios=scenarios,
        attributes=attributes,
        names=read_names(people / "names.yaml", known),
        profiles=_with_alias_faults(profiles),
        prices=read_prices(prices_file) if prices_file.exists() else None,
        folder_errors=(*scenario_files.errors, *profile_files.errors),
    )


def read_scenario(path: Path) -> Reading[Scenario]:
    """One scenario file with its rules."""
    return _read(path, Scenario, check_scenario)


def read_attributes(path: Path) -> Reading[Attributes]:
    """The attributes file with its rules."""
    return _read(path, Attributes, check_attributes)


def read_names(path: Path, attributes: Mapping[str, Attribute] | None) -> Reading[Names]:
    """The names file with its rules; cultures and genders are checked where the attributes are known."""
    return _read(path, Names, lambda names: check_names(names, attributes))


def read_profile(
    path: Path, scenarios: Iterable[str] | None, attributes: Mapping[str, Attribute] | None
) -> Reading[Profile]:
    """One profile file with its rules; what it refers to is checked where it is known."""
    known = None if scenarios is None else set(scenarios)
    return _read(path, Profile, lambda profile: check_profile(path.stem, profile, known, attributes))


def read_prices(path: Path) -> Reading[Prices]:
    """The price table with its rules."""
    return _read(path, Prices, check_prices)


def _read(path: Path, model: type[ModelT], check: Callable[[ModelT], Iterable[Fault]]) -> Reading[ModelT]:
    reading = read_shape(read_yaml(path), model)
    return _with_faults(reading, check(reading.content) if reading.content is not None else [])


def _with_faults(reading: Reading[ModelT], faults: Iterable[Fault]) -> Reading[ModelT]:
    found = [reading.document.error(fault.path, fault.message) for fault in faults]
    return replace(reading, errors=tuple(sorted((*reading.errors, *found), key=lambda e: e.line or 0)))


def _with_alias_faults(profiles: Mapping[str, Reading[Profile]]) -> dict[str, Reading[Profile]]:
    readable = {name: reading.content for name, reading in profiles.items() if reading.content}
    faults: dict[str, list[Fault]] = {}
    for name, fault in check_aliases(readable):
        faults.setdefault(name, []).append(fault)
    return {name: _with_faults(reading, faults.get(name, [])) for name, reading in profiles.items()}


class _YamlFolder:
    """The YAML files of a folder that holds one thing per file, under its name."""

    def __init__(self, folder: Path, what: str, name_pattern: str) -> None:
        self.errors: list[CatalogueError] = []
        self.paths: list[Path] = []
        for path in self._listed(folder):
            if path.suffix == ".yaml" and re.fullmatch(name_pattern, path.stem):
                self.paths.append(path)
            elif path.suffix == ".yaml":
                self.errors.append(CatalogueError(f"the file's name is no name for a {what}", path=path))
            elif path.suffix.lower() in (".yml", ".yaml"):
                self.errors.append(CatalogueError(f"a {what} file must end in .yaml", path=path))
        if not self.paths and not self.errors:
            self.errors.append(CatalogueError(f"holds no {what} (a .yaml file)", path=folder))

    def _listed(self, folder: Path) -> Iterator[Path]:
        try:
            yield from sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
        except OSError as error:
            reason = "no such folder" if not folder.exists() else f"cannot be read: {error.strerror}"
            self.errors.append(CatalogueError(reason, path=folder))
