"""The runs that are compared: from the database, with every answer, or from report files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from sqlalchemy import Engine

from jevbias.analysis.analyse import analyse
from jevbias.analysis.cells import build_cells
from jevbias.analysis.dataset import Dataset, load_dataset
from jevbias.analysis.pairs import Pairs, pair_cells
from jevbias.errors import UsageError
from jevbias.report.run_report import RunReport
from jevbias.report.write import read_report
from jevbias.store.runs import find_run


@dataclass(frozen=True, eq=False)
class Source:
    """A run: its report, and its dataset where it was read from a database.

    `label` is the run's name, with its file's behind it where two of the runs have one name.
    """

    label: str
    report: RunReport
    dataset: Dataset | None = None

    @cached_property
    def pairs(self) -> Pairs | None:
        """Every pair of the run; None for a report file, which does not hold them."""
        return None if self.dataset is None else pair_cells(self.dataset, build_cells(self.dataset))

    def is_same_run(self, other: Source) -> bool:
        """Whether both are the same run, or the same report."""
        return self is other or self.label == other.label or self.report == other.report


def read_sources(names: Sequence[str], engine: Callable[[], Engine]) -> list[Source]:
    """The run of each name; what ends in `.json` is a report file. A name given again is not read again.

    `engine` opens the database, where a run of it is named. Raises UsageError in one line for a name that is
    no run and for a file that is no report.
    """
    opened: Engine | None = None
    read: dict[str, Source] = {}
    for name in dict.fromkeys(names):
        if name.endswith(".json"):
            report = read_report(Path(name))
            read[name] = Source(report.run.name, report)
            continue
        opened = opened or engine()
        read[name] = _stored(opened, name)
    taken = Counter(source.label for source in read.values())
    for name, source in read.items():
        if taken[source.label] > 1 and source.dataset is None:
            read[name] = replace(source, label=f"{source.label} ({name})")
    labels = [source.label for source in read.values()]
    if len(set(labels)) < len(labels):
        raise UsageError(f"two runs go by one name: {', '.join(labels)}")
    return [read[name] for name in names]


def _stored(engine: Engine, name: str) -> Source:
    run = find_run(engine, name, "bias")
    dataset = load_dataset(engine, run)
    return Source(run.name, analyse(dataset), dataset)
