"""Probes without a usable answer about one level, beside their anchors', each with what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Row, select

from jevbias.analysis.failures import judge_failures
from jevbias.analysis.trace.evidence import Listing, Trace
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure
from jevbias.catalogue.models import VARIANTS
from jevbias.report.failures import FailureRow
from jevbias.stats.arrays import IntArray
from jevbias.store.connections import reading
from jevbias.store.tables import PROBE

_ASKED_AT_ONCE = 500


@dataclass(frozen=True)
class UnusableProbe:
    """A probe that has ended without a usable answer, and why."""

    probe: int
    who: str
    scenario: str
    variant: str
    replicate: int
    status: str
    attempts: int
    error_kind: str | None
    error: str | None


@dataclass(frozen=True)
class FailurePair:
    """A swap's cell beside its anchor's: probes that have ended, and those without a usable answer.

    `first` says what the exact test counts, which takes the first probe of each.
    """

    base: int
    scenario: str
    variant: str
    swap_probes: int
    swap_unusable: int
    anchor_probes: int
    anchor_unusable: int
    first: str


def trace_failures(run: TracedRun, identifier: str) -> Trace | None:
    """The failure rate of a level under a condition; None where the run has no such row."""
    rows = judge_failures(run.dataset, run.cells).by_level
    row = next((row for row in rows if row.id == identifier), None)
    if row is None:
        return None
    number = next(
        place
        for place, swap in enumerate(run.dataset.swaps)
        if (swap.attribute, swap.level) == (row.attribute, row.level)
    )
    pairs = list(_pairs(run, row, number))
    swaps = np.flatnonzero(
        (run.dataset.swap[run.cells.person] == number) & (run.cells.condition == run.condition(row.condition))
    )
    anchors = np.array([anchor for _, anchor in pairs], dtype=np.int64)
    listed = tuple(_pair(run, swap, anchor) for swap, anchor in pairs)
    listings = [
        Listing("pairs", tuple(sorted(listed, key=_most_lost)), tuple(_sums(row))),
        Listing("probes of the swap without a usable answer", _unusable(run, swaps)),
        Listing("probes of the anchors without a usable answer", _unusable(run, anchors)),
    ]
    says = (
        f"{row.unusable} of {counted(row.probes, 'probe')} without a usable answer, of the anchors "
        f"{row.anchor_unusable} of {row.anchor_probes}; p {figure(row.p)}, q {figure(row.q)}"
    )
    return Trace(identifier, run.run.name, says, row.model_dump(), tuple(listings))


def _pairs(run: TracedRun, row: FailureRow, number: int) -> Iterator[tuple[int, int]]:
    """The cells of the swaps, each with its anchor's."""
    cells, dataset = run.cells, run.dataset
    here = cells.condition == run.condition(row.condition)
    anchors = np.flatnonzero(here & dataset.is_anchor[cells.person])
    keys = (dataset.base[cells.person], cells.scenario, cells.variant)
    beside = {tuple(int(key[cell]) for key in keys): cell for cell in anchors.tolist()}
    for cell in np.flatnonzero(here & (dataset.swap[cells.person] == number)).tolist():
        anchor = beside.get(tuple(int(key[cell]) for key in keys))
        if anchor is not None:
            yield cell, anchor


def _pair(run: TracedRun, swap: int, anchor: int) -> FailurePair:
    sides = [_counts(run, cell) for cell in (swap, anchor)]
    first = [side[2] for side in sides]
    return FailurePair(
        base=int(run.dataset.base[run.cells.person[swap]]),
        scenario=run.dataset.scenarios[run.cells.scenario[swap]],
        variant=VARIANTS[run.cells.variant[swap]],
        swap_probes=sides[0][0],
        swap_unusable=sides[0][1],
        anchor_probes=sides[1][0],
        anchor_unusable=sides[1][1],
        first="not both have ended"
        if None in first
        else {(True, True): "both lost", (True, False): "only swap", (False, True): "only anchor"}.get(
            (bool(first[0]), bool(first[1])), "neither"
        ),
    )


def _counts(run: TracedRun, cell: int) -> tuple[int, int, bool | None]:
    """Probes that have ended, those without an answer, and whether the first is one (None: not ended)."""
    probes, here = run.dataset.probes, run.cell_probes(cell)
    ended, lost = probes.finished[here], probes.finished[here] & ~probes.answered[here]
    first = np.flatnonzero((probes.replicate[here] == 0) & ended)
    return int(ended.sum()), int(lost.sum()), bool(lost[first[0]]) if first.size else None


def _unusable(run: TracedRun, cells: IntArray) -> tuple[UnusableProbe, ...]:
    probes = run.dataset.probes
    chosen = np.isin(run.cells.probe_cell, cells) & probes.finished & ~probes.answered
    places = {int(run.probe_ids[place]): place for place in np.flatnonzero(chosen).tolist()}
    names = ("id", "scenario", "variant", "replicate", "status", "attempts", "error_kind", "error")
    ids = sorted(places)
    rows: list[Row[Any]] = []
    with reading(run.engine) as connection:
        for start in range(0, len(ids), _ASKED_AT_ONCE):
            some = PROBE.c.id.in_(ids[start : start + _ASKED_AT_ONCE])
            rows += connection.execute(select(*(PROBE.c[name] for name in names)).where(some)).all()
    return tuple(
        UnusableProbe(
            row.id,
            run.people[probes.person[places[row.id]]].label,
            row.scenario,
            row.variant,
            row.replicate,
            row.status,
            row.attempts,
            row.error_kind,
            row.error,
        )
        for row in sorted(rows, key=lambda row: places[row.id])
    )


def _most_lost(pair: FailurePair) -> tuple[int, int]:
    return -abs(pair.swap_unusable - pair.anchor_unusable), -(pair.swap_unusable + pair.anchor_unusable)


def _sums(row: FailureRow) -> Iterable[str]:
    for who, lost, number in (
        ("swap", row.unusable, row.probes),
        ("anchors", row.anchor_unusable, row.anchor_probes),
    ):
        if number:
            yield f"rate of the {who} = {lost} / {number} = {figure(lost / number)}"
    yield (
        f"the exact test takes the first probe of each: of {counted(row.pairs, 'pair')} only the swap's is "
        f"lost in {row.only_swap}, only the anchor's in {row.only_anchor}"
    )
