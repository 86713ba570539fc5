"""The mean of a condition, and its shift from the condition that shows less, by base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from jevbias.analysis.conditions import condition_rows
from jevbias.analysis.trace.evidence import CellRow, Listing, Trace
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure, signed
from jevbias.report.run_report import ConditionRow
from jevbias.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class BaseMean:
    """The mean over one base's people in one scenario; `base` is None for the people of a factorial run.

    `shift` is that from the baseline, over what was answered in both conditions; None where nothing was.
    """

    base: int | None
    scenario: str
    people: int
    mean: float
    shift: float | None = None


def trace_condition(run: TracedRun, identifier: str) -> Trace | None:
    """The mean by base and scenario, and the cells furthest from it; None where there is no such figure."""
    rows = condition_rows(run.dataset, run.cells, run.validity)
    row = next((row for row in rows if row.id == identifier), None)
    if row is None:
        return None
    bases: list[BaseMean] = []
    cells: list[CellRow] = []
    for scenario, columns in _parts(run, row):
        bases.extend(_by_base(run, row, scenario, columns))
        cells.extend(_cells(run, row, scenario, columns))
    bases.sort(key=lambda found: -1 if found.base is None else found.base)
    cells.sort(key=lambda cell: -abs(cell.mean - row.mean))
    says = f"mean favourability {figure(row.mean)}"
    if row.shift is not None:
        says += f", {signed(row.shift)} from {row.baseline}"
    listings = (
        Listing("bases", tuple(bases), tuple(_sums(bases))),
        Listing("cells, furthest from the mean first", tuple(cells)),
    )
    return Trace(identifier, run.run.name, says, row.model_dump(), listings)


def _parts(run: TracedRun, row: ConditionRow) -> Iterator[tuple[int, list[int]]]:
    """The scenarios of a figure with the questions of each, as positions."""
    if row.question is None:
        yield from ((place, list(columns)) for place, columns in enumerate(run.validity.pooled) if columns)
    else:
        yield from ((s, [q]) for s, q, name in run.questions() if name == row.question)


def _by_base(run: TracedRun, row: ConditionRow, scenario: int, columns: Sequence[int]) -> Iterator[BaseMean]:
    cells = run.cells
    here = np.flatnonzero((cells.condition == run.condition(row.condition)) & (cells.scenario == scenario))
    score = _score(cells.mean[here][:, columns])
    change = np.full(here.shape, np.nan)
    if row.baseline is not None:
        before = _before(run, here, run.condition(row.baseline))
        change = _score((cells.mean[here] - before)[:, columns])
    base = run.dataset.base[cells.person[here]]
    for number in np.unique(base[~np.isnan(score)]).tolist():
        mine = base == number
        means, shifts = (_by_person(cells.person[here][mine], column[mine]) for column in (score, change))
        yield BaseMean(
            base=None if number < 0 else number,
            scenario=run.dataset.scenarios[scenario],
            people=len(means),
            mean=fmean(means),
            shift=fmean(shifts) if shifts else None,
        )


def _before(run: TracedRun, here: IntArray, baseline: int) -> FloatArray:
    """The means of the same person, scenario and variant under the baseline; NaN where there is none."""
    cells = run.cells
    keys = (cells.person, cells.scenario, cells.variant)
    there = np.flatnonzero(cells.condition == baseline)
    found = {tuple(key[cell] for key in keys): cell for cell in there.tolist()}
    match = np.array(
        [found.get(tuple(key[cell] for key in keys), -1) for cell in here.tolist()], dtype=np.int64
    )
    before: FloatArray = np.where(match[:, None] >= 0, cells.mean[match], np.nan)
    return before


def _by_person(person: IntArray, values: FloatArray) -> list[float]:
    """Of everyone who has any, the mean over the variants they met."""
    known: dict[int, list[float]] = {}
    for who, value in zip(person.tolist(), values.tolist(), strict=True):
        if not np.isnan(value):
            known.setdefault(who, []).append(value)
    return [fmean(own) for own in known.values()]


def _cells(run: TracedRun, row: ConditionRow, scenario: int, columns: Sequence[int]) -> Iterator[CellRow]:
    """The cells with their means over the questions, and the means of their probes."""
    probes = run.dataset.probes
    here = (probes.condition == run.condition(row.condition)) & (probes.scenario == scenario)
    values = _score(probes.favourability[:, columns])
    for cell in run.cell_rows(values, here & ~np.isnan(values)):
        yield replace(cell, mean=float(_score(run.cells.mean[[cell.cell]][:, columns])[0]))


def _score(values: FloatArray) -> FloatArray:
    """The mean of the known values of every row; NaN where there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    total = np.where(known, values, 0.0).sum(axis=1)
    score: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return score


def _sums(bases: Sequence[BaseMean]) -> Iterable[str]:
    """How the rows make the figure: scenarios within a base first, then bases, each equally."""
    for what, values in (
        ("mean", [(row.base, row.mean) for row in bases]),
        ("shift", [(row.base, row.shift) for row in bases if row.shift is not None]),
    ):
        own: dict[int | None, list[float]] = {}
        for base, value in values:
            own.setdefault(base, []).append(value)
        if own:
            means = [fmean(several) for several in own.values()]
            write = figure if what == "mean" else signed
            of = (
                " + ".join(write(mean) for mean in means)
                if len(means) <= 16
                else "the sum of the bases' means"
            )
            yield (
                f"{what} = mean over {counted(len(means), 'base')} of the mean over scenarios = "
                f"({of}) / {len(means)} = {write(fmean(means))}"
            )
