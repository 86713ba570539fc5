"""A run with the stages of its analysis, each made when it is first looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from sqlalchemy import Engine, select

from jevbias.analysis.cells import Cells, build_cells
from jevbias.analysis.columns import as_columns, fetch_rows, places
from jevbias.analysis.comparisons import Block, evaluate_comparisons, evaluate_pooled
from jevbias.analysis.dataset import Dataset, load_dataset
from jevbias.analysis.factorial.person_means import PersonMeans, person_means
from jevbias.analysis.noise import Noise, measure_noise
from jevbias.analysis.noise_checks import probe_scores
from jevbias.analysis.noise_floor import noise_floor
from jevbias.analysis.paired import PooledScores, pool_questions
from jevbias.analysis.pairs import Pairs, pair_cells
from jevbias.analysis.people_claim import base_patterns
from jevbias.analysis.rows import Rows, comparison_rows
from jevbias.analysis.trace.evidence import CellRow, Who
from jevbias.analysis.validity import Validity, judge_questions
from jevbias.catalogue.models import VARIANTS
from jevbias.report.noise import NoiseFloor
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.ties import TIE
from jevbias.store.connections import reading
from jevbias.store.tables import PERSON, PROBE, Run


@dataclass(frozen=True, eq=False)
class TracedRun:
    """A stored run and what its analysis makes of it, the same as in its report."""

    engine: Engine
    run: Run
    dataset: Dataset
    _rows: dict[str | None, Rows] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, engine: Engine, run: Run) -> TracedRun:
        """Read the run's answers. Raises DatabaseError when the database cannot be read."""
        return cls(engine, run, load_dataset(engine, run))

    @cached_property
    def cells(self) -> Cells:
        """The run's cells."""
        return build_cells(self.dataset)

    @cached_property
    def noise(self) -> Noise:
        """Its pools of repeats."""
        return measure_noise(self.dataset, self.cells)

    @cached_property
    def validity(self) -> Validity:
        """Which questions respond to the case."""
        return judge_questions(self.dataset, self.cells, self.noise)

    @cached_property
    def pairs(self) -> Pairs:
        """Swaps beside their anchors."""
        return pair_cells(self.dataset, self.cells)

    @cached_property
    def pooled(self) -> Block:
        """The pooled comparisons, judged."""
        patterns = base_patterns(len(self.pairs.bases), self.dataset.facts.seed)
        return evaluate_pooled(self.dataset, self.pairs, self.validity, self.noise, patterns=patterns)

    @cached_property
    def blocks(self) -> dict[str | None, Block]:
        """Every block of comparisons by its question, judged."""
        found = evaluate_comparisons(self.dataset, self.pairs, self.validity, self.noise)
        return {block.question: block for block in found}

    @cached_property
    def floor(self) -> NoiseFloor:
        """The report's noise floor."""
        return noise_floor(self.noise, self.validity.pooled)

    @cached_property
    def person_means(self) -> PersonMeans:
        """What each person of a factorial run comes to."""
        return person_means(self.dataset, self.cells, self.validity)

    def rows(self, question: str | None) -> Rows:
        """The report's rows of the pooled comparisons, or of those on one `scenario.question`."""
        if question not in self._rows:
            block = self.pooled if question is None else self.blocks[question]
            self._rows[question] = comparison_rows(
                self.dataset, self.cells, self.pairs, self.validity, noise=self.noise, blocks=[block]
            )
        return self._rows[question]

    @cached_property
    def pooled_scores(self) -> PooledScores:
        """The pooled differences, with the questions that each is made of."""
        return pool_questions(self.pairs, self.validity.pooled, self.noise)

    @cached_property
    def scored(self) -> tuple[tuple[int, ...], ...]:
        """Per scenario the questions (positions) of a probe's score, as checks of the noise take it."""
        pooled = self.validity.pooled
        return tuple(self.noise.testable(place, columns) for place, columns in enumerate(pooled))

    @cached_property
    def scores(self) -> FloatArray:
        """Every probe's score, (probes,); NaN unless it answered all of its questions."""
        return probe_scores(self.noise, self.scored)

    @cached_property
    def people(self) -> list[Who]:
        """Everybody, as the dataset numbers them."""
        names = ("idx", "base", "is_anchor", "swapped_attribute", "swapped_level", "full_name")
        query = select(*(PERSON.c[name] for name in names)).where(PERSON.c.run_id == self.run.id)
        with reading(self.engine) as connection:
            rows = connection.execute(query.order_by(PERSON.c.idx)).all()
        return [
            Who(
                row.idx,
                row.base,
                row.is_anchor,
                None if row.swapped_attribute is None else f"{row.swapped_attribute}={row.swapped_level}",
                row.full_name,
            )
            for row in rows
        ]

    @cached_property
    def probe_ids(self) -> IntArray:
        """The ids of the probes, in the dataset's order."""
        names = ("id", "scenario", "variant", "condition", "replicate")
        query = select(PERSON.c.idx, *(PROBE.c[name] for name in names)).select_from(
            PROBE.join(PERSON, PERSON.c.id == PROBE.c.person_id)
        )
        with reading(self.engine) as connection:
            blocks = fetch_rows(connection, query.where(PROBE.c.run_id == self.run.id))
            rows = [row for block in blocks for row in block]
        idx, ids, scenario, variant, condition, replicate = as_columns(rows, 6)
        codes = (
            np.array(idx, dtype=np.int64),
            places(scenario, self.dataset.scenarios),
            places(variant, VARIANTS),
            places(condition, self.dataset.conditions),
            np.array(replicate, dtype=np.int64),
        )
        return np.array(ids, dtype=np.int64)[np.lexsort(codes[::-1])]

    def questions(self) -> Iterator[tuple[int, int, str]]:
        """The positions of every scenario and question, and `scenario.question`."""
        for scenario, key in enumerate(self.dataset.scenarios):
            for question, name in enumerate(self.dataset.questions[scenario]):
                yield scenario, question, f"{key}.{name}"

    def condition(self, name: str) -> int:
        """The position of a condition."""
        return [str(condition) for condition in self.dataset.conditions].index(name)

    def cell_probes(self, cell: int) -> slice:
        """The probes of a cell, which lie together."""
        first, last = np.searchsorted(self.cells.probe_cell, (cell, cell + 1)).tolist()
        return slice(first, last)

    def cell_rows(self, values: FloatArray, kept: BoolArray, *, least: int = 1) -> list[CellRow]:
        """The cells of the `kept` probes (probes,) with their `values` (probes,), in canonical order; cells
        of fewer than `least` of them are left out.
        """
        chosen = np.flatnonzero(kept)
        cell = self.cells.probe_cell[chosen]
        borders = np.flatnonzero(np.diff(cell)) + 1
        groups = np.split(chosen, borders) if chosen.size else []
        return [
            self._cell_row(int(self.cells.probe_cell[group[0]]), group, values[group])
            for group in groups
            if group.size >= least
        ]

    def _cell_row(self, cell: int, probes: IntArray, values: FloatArray) -> CellRow:
        mean = float(values.mean())
        apart = values - mean
        apart[np.abs(apart) < TIE] = 0.0
        squares = float(np.square(apart).sum())
        return CellRow(
            who=self.people[self.cells.person[cell]].label,
            scenario=self.dataset.scenarios[self.cells.scenario[cell]],
            variant=VARIANTS[self.cells.variant[cell]],
            condition=self.dataset.conditions[self.cells.condition[cell]],
            mean=mean,
            sd=float(np.sqrt(squares / (values.size - 1))) if values.size > 1 else None,
            values=tuple(values.tolist()),
            probes=tuple(self.probe_ids[probes].tolist()),
            cell=cell,
        )
