"""A comparison of a report taken apart: its pairs, and how they add up to its delta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.comparisons import Block
from jevbias.analysis.trace.evidence import Listing, Pair, QuestionOfPair, Trace
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure, signed
from jevbias.catalogue.models import VARIANTS
from jevbias.report.comparison import Comparison
from jevbias.stats.arrays import BoolArray


def trace_comparison(run: TracedRun, identifier: str) -> Trace | None:
    """A pooled or per-question comparison, a control or a placebo; None where the run has no such row."""
    number, question = _place(run, identifier)
    if number is None:
        return None
    block = run.pooled if question is None else run.blocks[question]
    row = _report_row(run, question, identifier)
    parts = _Parts(run, block, number, _entering(run, block, number))
    pairs = parts.pairs()
    listing = Listing("pairs", strongest_first(pairs), _sums(row, pairs))
    return Trace(
        id=identifier,
        run=run.run.name,
        says=_says(row),
        row=row.model_dump(),
        listings=(listing,),
        pairs=tuple(pairs),
        questions={(pair.base, pair.scenario): parts.questions(pair) for pair in pairs},
    )


def strongest_first(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Pairs by what they add to delta, in size; those without a difference come last."""
    return tuple(
        sorted(pairs, key=lambda pair: -1.0 if pair.contribution is None else abs(pair.contribution))[::-1]
    )


def _place(run: TracedRun, identifier: str) -> tuple[int | None, str | None]:
    """The number of the comparison among the run's pairs, and the question; no number for another id."""
    parts = identifier.split("/", 2)
    question = parts[2] if len(parts) > 2 else None
    if question is not None and all(question != name for _, _, name in run.questions()):
        return None, None
    for number, (condition, swap) in enumerate(run.pairs.comparisons):
        if parts[:2] == [condition, f"{swap.attribute}={swap.level}"]:
            return number, question
    return None, None


def _report_row(run: TracedRun, question: str | None, identifier: str) -> Comparison:
    """The row of this id as it stands in the report."""
    rows = run.rows(question)
    placebos = rows.placebos.comparisons if rows.placebos else []
    return next(row for row in (*rows.comparisons, *placebos) if row.id == identifier)


def _entering(run: TracedRun, block: Block, number: int) -> BoolArray:
    """Which questions make each pair's difference, (bases, scenarios, questions)."""
    if block.place is None:
        usable: BoolArray = run.pooled_scores.usable[number]
        return usable
    enters = np.zeros(run.pairs.difference.shape[1:], dtype=bool)
    scenario, question = block.place
    enters[:, scenario, question] = ~np.isnan(run.pairs.difference[number, :, scenario, question])
    return enters


@dataclass(frozen=True, eq=False)
class _Parts:
    """One comparison: its place among the run's pairs and the questions that enter."""

    run: TracedRun
    block: Block
    number: int
    enters: BoolArray

    def pairs(self) -> list[Pair]:
        """Every planned pair, by base and scenario."""
        scenarios = range(len(self.run.dataset.scenarios)) if self.block.place is None else [0]
        return [
            self._pair(base, column)
            for base in range(len(self.run.pairs.bases))
            for column in scenarios
            if self.run.pairs.swap_cell[self.number, base, self._scenario(column)] >= 0
        ]

    def questions(self, pair: Pair) -> tuple[QuestionOfPair, ...]:
        """The questions of a pair's scenario."""
        run = self.run
        base, scenario = run.pairs.bases.index(pair.base), run.dataset.scenarios.index(pair.scenario)
        swap, anchor = (run.cells.mean[cell] for cell in pair.cells)
        return tuple(
            QuestionOfPair(
                f"{pair.scenario}.{name}",
                _known(swap[place]),
                _known(anchor[place]),
                _known(run.pairs.difference[self.number, base, scenario, place]),
                bool(self.enters[base, scenario, place]),
            )
            for place, name in enumerate(run.dataset.questions[scenario])
        )

    def _scenario(self, column: int) -> int:
        return column if self.block.place is None else self.block.place[0]

    def _pair(self, base: int, column: int) -> Pair:
        run, scenario = self.run, self._scenario(column)
        cells = run.pairs.swap_cell, run.pairs.anchor_cell
        swap, anchor = (int(side[self.number, base, scenario]) for side in cells)
        enters = self.enters[base, scenario]
        place = (self.number, base, column)
        difference = _known(self.block.estimates.difference[place])
        weight = float(self.block.estimates.weight[place])
        missing = difference is None
        return Pair(
            base=run.pairs.bases[base],
            scenario=run.dataset.scenarios[scenario],
            variant=VARIANTS[run.cells.variant[swap]],
            swap=None if missing else float(run.cells.mean[swap][enters].mean()),
            anchor=None if missing else float(run.cells.mean[anchor][enters].mean()),
            difference=difference,
            swap_asks=int(self.block.swap_asks[place]),
            anchor_asks=int(self.block.anchor_asks[place]),
            weight=weight,
            contribution=None if difference is None else weight * difference,
            problem=self._problem(scenario, swap, anchor) if missing else None,
            cells=(swap, anchor),
        )

    def _problem(self, scenario: int, swap: int, anchor: int) -> str:
        columns = [self.block.place[1]] if self.block.place else list(self.run.validity.pooled[scenario])
        if not columns:
            return "no question of the scenario is pooled"
        answered = [bool(self.run.cells.count[cell, columns].any()) for cell in (swap, anchor)]
        if all(answered):
            return "no question has answers on both sides"
        silent = " and ".join(who for who, has in zip(("swap", "anchor"), answered, strict=True) if not has)
        return f"no answer of the {silent}"


def _says(row: Comparison) -> str:
    if row.delta is None:
        return "no pair has answers on both sides, so there is no delta"
    said = f"delta {signed(row.delta)} over {counted(row.pairs, 'pair')}"
    if row.verdict is not None:
        said += f", verdict: {row.verdict}" + (f" ({row.missing_claim})" if row.missing_claim else "")
    tests = [("p of noise", row.p_noise), ("q", row.q), ("p over people", row.p_people)]
    said += "".join(f"; {name} {figure(value)}" for name, value in tests if value is not None)
    if row.ci_noise is not None:
        said += f"; 95% against noise {signed(row.ci_noise[0])} to {signed(row.ci_noise[1])}"
    return said


def _sums(row: Comparison, pairs: Sequence[Pair]) -> tuple[str, ...]:
    present = [pair for pair in pairs if pair.contribution is not None]
    if not present:
        return ()
    total = math.fsum(pair.contribution or 0.0 for pair in present)
    bases: dict[str, int] = {}
    for pair in present:
        bases[pair.scenario] = bases.get(pair.scenario, 0) + 1
    by_number: dict[int, list[str]] = {}
    for scenario, number in bases.items():
        by_number.setdefault(number, []).append(scenario)
    weights = "; ".join(
        f"1/({len(bases)} x {number})" + ("" if len(by_number) == 1 else f" in {', '.join(names)}")
        for number, names in by_number.items()
    )
    return (
        f"weight = 1 / (scenarios x bases with a pair in the scenario) = {weights}",
        f"delta = sum of weight x difference over {counted(len(present), 'pair')} = {signed(total)}"
        f" (the report's: {signed(row.delta)})",
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
