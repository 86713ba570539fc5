"""Noise taken apart: the cells that were asked more than once, and how they join to a pool's SD."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.trace.evidence import CellRow, Listing, Trace
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure
from jevbias.report.noise import ConditionRatio, NoisePool, NoiseRatio
from jevbias.stats.arrays import BoolArray, FloatArray

JOINT = {"noise/all/answers": "by_question", "noise/all/probes": "by_scenario"}
"""The ids of the SDs that join all pools of a kind, and where those stand in the report."""


@dataclass(frozen=True)
class PoolRow:
    """One of the pools that are joined; its own id opens its cells."""

    id: str
    cells: int
    degrees_of_freedom: int
    sd: float | None
    measured_sd: float | None


def trace_noise(run: TracedRun, identifier: str) -> Trace | None:
    """A pool of noise, or a ratio of two groups of repeats; None where the run has no such figure."""
    floor = run.floor
    for row in (*floor.by_question.values(), *floor.by_scenario.values(), *floor.by_condition.values()):
        if row.id == identifier:
            return _pool(run, row)
    if identifier in JOINT:
        return _joint(run, identifier)
    ratios: list[ConditionRatio | NoiseRatio] = list(floor.condition_ratios)
    ratios += [floor.swapped_against_anchor] if floor.swapped_against_anchor is not None else []
    for ratio in ratios:
        if ratio.id == identifier:
            return _ratio(run, ratio)
    return None


def same_asks(run: TracedRun) -> BoolArray:
    """The probes whose scores enter the checks of the noise: scored, and no controls."""
    kept: BoolArray = ~run.cells.control[run.cells.probe_cell] & ~np.isnan(run.scores)
    return kept


def _pool(run: TracedRun, row: NoisePool) -> Trace:
    rows = _noisiest_first(run.cell_rows(*_values(run, row), least=2))
    if row.sd is None:
        return _trace(run, row.id, "nothing of it was answered more than once", row, ())
    says = (
        f"SD {figure(row.sd)} of answers to identical requests: {_repeats(row.cells, row.degrees_of_freedom)}"
    )
    sums = [*_joined(rows)]
    if row.measured_sd != row.sd:
        sums.append(
            f"raised to {figure(row.sd)}: what rounding the answers to their decimals alone would give"
        )
    sums.append(f"mean of the cells' SDs = {figure(row.mean_sd)}")
    return _trace(run, row.id, says, row, (Listing("cells", tuple(rows), tuple(sums)),))


def _joint(run: TracedRun, identifier: str) -> Trace:
    floor, answers = run.floor, identifier.endswith("answers")
    pools = [row for row in getattr(floor, JOINT[identifier]).values() if row.degrees_of_freedom]
    rows = [PoolRow(row.id, row.cells, row.degrees_of_freedom, row.sd, row.measured_sd) for row in pools]
    rows.sort(key=lambda row: -(row.sd or 0.0))
    name = "answer_sd" if answers else "probe_sd"
    joint, measured = getattr(floor, name), getattr(floor, f"measured_{name}")
    found = {name: joint, f"measured_{name}": measured}
    if joint is None:
        return Trace(identifier, run.run.name, "nothing was answered more than once", found, ())
    freedom = sum(row.degrees_of_freedom for row in rows)
    squares = math.fsum(row.degrees_of_freedom * (row.sd or 0.0) ** 2 for row in rows)
    sums = (
        "SD = sqrt(sum of degrees of freedom x SD^2 / sum of degrees of freedom) = "
        f"sqrt({figure(squares)} / {freedom}) = {figure(joint)} over {counted(len(rows), 'pool')}",
        f"from the pools' measured SDs: {figure(measured)}",
    )
    of = "answers to identical requests" if answers else "a probe's mean over its pooled questions"
    says = f"SD {figure(joint)} of {of}: {counted(len(rows), 'pool')} joined"
    return Trace(identifier, run.run.name, says, found, (Listing("pools", tuple(rows), sums),))


def _values(run: TracedRun, row: NoisePool) -> tuple[FloatArray, BoolArray]:
    """A value for every probe, and which of them the pool is made of."""
    probes, floor = run.dataset.probes, run.floor
    seen = ~run.cells.control[run.cells.probe_cell]
    for scenario, question, name in run.questions():
        if floor.by_question.get(name) is row:
            values = probes.favourability[:, question]
            return values, seen & (probes.scenario == scenario) & ~np.isnan(values)
    for scenario, key in enumerate(run.dataset.scenarios):
        if floor.by_scenario.get(key) is row:
            values = probes.favourability[:, list(run.scored[scenario])].mean(axis=1)
            return values, seen & (probes.scenario == scenario) & ~np.isnan(values)
    condition = next(name for name, found in floor.by_condition.items() if found is row)
    here = probes.condition == run.condition(condition)
    return run.scores, same_asks(run) & here


def _ratio(run: TracedRun, row: ConditionRatio | NoiseRatio) -> Trace:
    if isinstance(row, ConditionRatio):
        titles = [f"cells under {row.condition}", f"cells under {row.against}"]
        groups = [_under(run, row.condition), _under(run, row.against)]
    else:
        titles = [f"cells of {who} under {row.condition}" for who in ("swaps", "anchors")]
        groups = _swaps_and_anchors(run, row.condition)
    listings = [
        Listing(title, tuple(rows), tuple(_joined(rows)))
        for title, rows in zip(titles, map(_noisiest_first, groups), strict=True)
    ]
    if row.ratio is None or row.interval is None:
        return _trace(run, row.id, "the two could not be compared", row, listings)
    first, second = (_sd(rows) for rows in groups)
    says = (
        f"{figure(first)} / {figure(second)} = {figure(row.ratio)} "
        f"(95% {figure(row.interval[0])} to {figure(row.interval[1])})"
    )
    return _trace(run, row.id, says, row, listings)


def _under(run: TracedRun, condition: str) -> list[CellRow]:
    here = run.dataset.probes.condition == run.condition(condition)
    return run.cell_rows(run.scores, same_asks(run) & here, least=2)


def _swaps_and_anchors(run: TracedRun, condition: str) -> list[list[CellRow]]:
    """Repeated cells of swaps and of anchors, of the scenarios in which both were repeated."""
    anchors = {who.label for who in run.people if who.is_anchor}
    swaps = {who.label for who in run.people if who.swap is not None}
    cells = _under(run, condition)
    groups = [[row for row in cells if row.who in who] for who in (swaps, anchors)]
    shared = set.intersection(*({row.scenario for row in rows} for rows in groups))
    return [[row for row in rows if row.scenario in shared] for rows in groups]


def _joined(rows: Sequence[CellRow]) -> Iterable[str]:
    if rows:
        squares, freedom = _squares(rows)
        yield (
            "SD = sqrt(sum of (n - 1) x SD^2 / sum of (n - 1)) = "
            f"sqrt({figure(squares)} / {freedom}) = {figure(_sd(rows))} over {counted(len(rows), 'cell')}"
        )


def _squares(rows: Iterable[CellRow]) -> tuple[float, int]:
    weighed = [(len(row.values) - 1, row.sd or 0.0) for row in rows]
    return math.fsum(freedom * sd**2 for freedom, sd in weighed), sum(freedom for freedom, _ in weighed)


def _sd(rows: Sequence[CellRow]) -> float | None:
    squares, freedom = _squares(rows)
    return math.sqrt(squares / freedom) if freedom else None


def _noisiest_first(rows: Iterable[CellRow]) -> list[CellRow]:
    return sorted(rows, key=lambda row: -(row.sd or 0.0))


def _repeats(cells: int, freedom: int) -> str:
    return f"{counted(cells, 'cell')}, {counted(freedom, 'degree')} of freedom"


def _trace(
    run: TracedRun,
    identifier: str,
    says: str,
    row: NoisePool | ConditionRatio | NoiseRatio,
    listings: Iterable[Listing],
) -> Trace:
    return Trace(identifier, run.run.name, says, row.model_dump(), tuple(listings))
