"""The figures that others published, as `docs/published` keeps them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jevbias.catalogue.catalogue import Catalogue


@dataclass(frozen=True)
class Row:
    """One pooled comparison; `delta` in favourability, below zero worse for the person. `protected` and
    `reference` are this project's, whose attributes and levels bear the same names.
    """

    condition: str
    attribute: str
    level: str
    delta: float
    q: float
    protected: bool
    reference: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is found by in the other run."""
        return self.condition, self.attribute, self.level

    @property
    def swap(self) -> str:
        """The swap as this project writes it."""
        return f"{self.attribute}={self.level}"


@dataclass(frozen=True)
class PublishedRun:
    """One run: its name, single figures by name, comparisons in the published order, per-question figures."""

    key: str
    name: str
    model: str
    via: str
    file: str
    figures: SimpleNamespace
    sources: dict[str, str]
    rows: tuple[Row, ...]
    questions: tuple[dict[str, Any], ...]


def published_runs(folder: Path, catalogue: Catalogue) -> tuple[str, dict[str, PublishedRun]]:
    """Who published, and the runs by key. Raises KeyError for a swap that the catalogue does not have."""
    record = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    runs = {key: _run(key, run, folder, catalogue) for key, run in record["runs"].items()}
    return record["publisher"], runs


def _run(key: str, record: dict[str, Any], folder: Path, catalogue: Catalogue) -> PublishedRun:
    with (folder / record["rows"]).open(encoding="utf-8", newline="") as lines:
        rows = tuple(_row(line, catalogue) for line in csv.DictReader(lines))
    figures = record["figures"]
    return PublishedRun(
        key=key,
        name=record["name"],
        model=record["model"],
        via=record["via"],
        file=record["rows"],
        figures=SimpleNamespace(**{name: figure["value"] for name, figure in figures.items()}),
        sources={name: figure["source"] for name, figure in figures.items()},
        rows=rows,
        questions=tuple(record["questions"]),
    )


def _row(line: dict[str, str], catalogue: Catalogue) -> Row:
    attribute = catalogue.attributes[line["attribute"]]
    if line["level"] not in attribute.levels:
        raise KeyError(f"{line['attribute']}={line['level']}")
    return Row(
        condition=line["condition"],
        attribute=line["attribute"],
        level=line["level"],
        delta=float(line["delta"]),
        q=float(line["q"]),
        protected=attribute.protected,
        reference=attribute.reference,
    )
