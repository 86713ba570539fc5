"""The controls' design, simulated: how many small p-values shared anchors and shared probes make by chance.

Noise is normal with the SDs of the run's own pools; the shape of a pool hardly matters to a mean over pairs,
and a test holds this against resampled pools. An anchor's noise is drawn once per condition, base and
scenario and enters every control that subtracts it; a swap's own noise is drawn for each control. Answers of
one probe correlate as the run's repeats do. Every simulated run estimates its pools anew, with their degrees
of freedom, since that is what its tests are judged by. Where a grid of decimals widened a pool, the draws
keep its measured spread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import Noise
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.validity import Validity
from jevbias.people.keyed import keyed_bytes
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.shared_anchors import LEVELS, RUNS, SharedAnchors, count_reaching, estimated_sd

SingleArray = NDArray[np.float32]

Family = Literal["pooled", "per_question"]


@dataclass(frozen=True, eq=False)
class ControlCounts:
    """Counts per simulated run: controls that reach their own 5% critical value (`below_05`, (runs,)), those
    whose p is at or below the real family's cutoff (`significant`, (runs,)) and at or below each of
    `LEVELS` (`at_levels`, (levels, runs)).
    """

    below_05: IntArray
    significant: IntArray
    at_levels: IntArray


@dataclass(frozen=True, eq=False)
class ControlDesign:
    """What the simulation of a run's controls is made from; `blocks` are all of its blocks, pooled first."""

    dataset: Dataset
    pairs: Pairs
    validity: Validity
    noise: Noise
    blocks: Sequence[Block]

    def family(self, family: Family) -> Sequence[Block]:
        """The blocks of one family."""
        return self.blocks[:1] if family == "pooled" else self.blocks[1:]

    def simulate(self, family: Family, cutoff: float) -> ControlCounts:
        """Simulate one family. Up to a p of `cutoff` the real one's rows are significant; 0 for none."""
        key = keyed_bytes(self.dataset.facts.seed, "calibration", family)
        generator = np.random.Generator(np.random.PCG64(int.from_bytes(key, "big")))
        draws = self._pooled(generator) if family == "pooled" else self._per_question(generator)
        counts = np.zeros((2 + LEVELS.size, RUNS), dtype=np.int64)
        for block, rows, sizes in draws:
            counts += count_reaching(sizes, _critical_values(block, rows, cutoff))
        return ControlCounts(below_05=counts[0], significant=counts[1], at_levels=counts[2:])

    def _pooled(self, generator: np.random.Generator) -> Iterator[_Draws]:
        (block,) = self.family("pooled")
        questions = [
            self.noise.testable(scenario, pooled) for scenario, pooled in enumerate(self.validity.pooled)
        ]
        pools = _Pools.read(self.noise, list(enumerate(questions)))
        estimated = np.square(pools.estimated(generator, np.eye(len(questions))))
        for rows in self._controls():
            parts = _parts(block, rows, pools)
            total = parts.judged.sum(axis=1)
            # Pairs that lack a question draw from another pool; their rows keep the SE they were given.
            scale = _ratio(block.claim.standard_error[rows], np.sqrt(total))
            design = SharedAnchors(
                own=(parts.own * scale)[None],
                shared=(parts.shared * scale[:, None])[None],
                correlation=np.eye(1),
            )
            sizes = design.draw(generator)[0]
            relative = _ratio(parts.judged, total[:, None]) @ estimated
            sizes /= np.sqrt(np.where(relative > 0, relative, 1.0)).astype(np.float32)
            yield _Draws(block, rows, sizes)

    def _per_question(self, generator: np.random.Generator) -> Iterator[_Draws]:
        remaining = iter(self.family("per_question"))
        for scenario, names in enumerate(self.dataset.questions):
            blocks = list(islice(remaining, len(names)))
            each = [_Pools.read(self.noise, [(scenario, (question,))]) for question in range(len(names))]
            correlation = self._correlation(scenario)
            estimated = _Pools.joined(each).estimated(generator, correlation).astype(np.float32)
            for rows in self._controls():
                parts = [_parts(block, rows, pools) for block, pools in zip(blocks, each, strict=True)]
                design = SharedAnchors(
                    own=np.stack([part.own for part in parts]),
                    shared=np.stack([part.shared for part in parts]),
                    correlation=correlation,
                )
                drawn = design.draw(generator)
                drawn /= estimated[:, None, :]
                yield from (_Draws(block, rows, sizes) for block, sizes in zip(blocks, drawn, strict=True))

    def _controls(self) -> list[IntArray]:
        """The controls of every condition that has any; placebos are none."""
        control = ~self.pairs.visible & ~self.pairs.placebo
        conditions = np.array([condition for condition, _ in self.pairs.comparisons])
        found = [np.flatnonzero(control & (conditions == name)) for name in self.dataset.conditions]
        return [rows for rows in found if rows.size]

    def _correlation(self, scenario: int) -> FloatArray:
        """How the noise of one probe's answers correlates between the questions of a scenario.

        From the repeats; a missing answer counts as no deviation, which keeps the matrix a correlation.
        """
        probes, cells = self.dataset.probes, self.noise.cells
        number = len(self.dataset.questions[scenario])
        kept = (probes.scenario == scenario) & ~cells.control[cells.probe_cell]
        cell = cells.probe_cell[kept]
        count = cells.count[cell, :number]
        deviation = probes.favourability[kept, :number] - cells.mean[cell, :number]
        known = (count >= 2) & ~np.isnan(deviation)
        stretch = np.sqrt(count / np.maximum(count - 1, 1))
        deviation = np.where(known, deviation * stretch, 0.0)
        products = deviation.T @ deviation
        length = np.sqrt(np.diag(products))
        correlation = _ratio(products, np.outer(length, length))
        np.fill_diagonal(correlation, 1.0)
        return correlation


class _Draws(NamedTuple):
    """|delta| of controls (rows, runs), in units of how far the simulated run's noise is over-estimated."""

    block: Block
    rows: IntArray
    sizes: SingleArray


@dataclass(frozen=True, eq=False)
class _Pools:
    """Columns over pools: the SDs of what is drawn, of what tests are judged by, as measured, and the least
    that a grid allows.
    """

    drawn: FloatArray
    judged: FloatArray
    measured: FloatArray
    floor: FloatArray
    degrees_of_freedom: FloatArray

    @classmethod
    def read(cls, noise: Noise, scores: Sequence[tuple[int, Sequence[int]]]) -> _Pools:
        columns: list[tuple[float, ...]] = []
        for scenario, questions in scores:
            if not questions:
                columns.append((0.0, 0.0, 0.0, 0.0, 1.0))
                continue
            measured = noise.measured_pool(scenario, questions)
            columns.append(
                (
                    np.sqrt(measured.variance),
                    np.sqrt(noise.score_pool(scenario, questions).variance),
                    measured.sd or 0.0,
                    noise.grid.rounding_sd(scenario, questions),
                    max(measured.degrees_of_freedom, 1),
                )
            )
        return cls(*np.array(columns, dtype=np.float64).T)

    @classmethod
    def joined(cls, pools: Sequence[_Pools]) -> _Pools:
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(pool, name) for pool in pools]) for name in names})

    def estimated(self, generator: np.random.Generator, correlation: FloatArray) -> FloatArray:
        """The SDs that simulated runs judge by, relative to the real run's, (pools, runs)."""
        found = estimated_sd(self.measured, self.degrees_of_freedom, correlation, generator)
        least = self.floor[:, None]
        real = np.maximum(self.measured[:, None], least)
        return np.where(real > 0, _ratio(np.maximum(found, least), real), 1.0)


class _Parts(NamedTuple):
    """What rows are made of: the SD of the swaps' part (rows,), what a standard deviation of each anchor
    adds (rows, anchors), and the variance they are judged by, per scenario (rows, scenarios).
    """

    own: FloatArray
    shared: FloatArray
    judged: FloatArray


def _parts(block: Block, rows: IntArray, pools: _Pools) -> _Parts:
    weight = block.estimates.weight[rows]
    of_swap = _ratio(np.square(weight), block.swap_asks[rows])
    of_anchor = _ratio(np.square(weight), block.anchor_asks[rows])
    return _Parts(
        own=np.sqrt((of_swap * np.square(pools.drawn)).sum(axis=(1, 2))),
        shared=(np.sqrt(of_anchor) * pools.drawn).reshape(rows.size, -1),
        judged=((of_swap + of_anchor) * np.square(pools.judged)).sum(axis=1),
    )


def _critical_values(block: Block, rows: IntArray, cutoff: float) -> FloatArray:
    """|delta| at p = 0.05, at the cutoff and at each of `LEVELS` (levels + 2, rows); never for no p."""
    error, freedom = block.claim.standard_error[rows], block.claim.degrees_of_freedom[rows]
    tested = ~np.isnan(error)
    levels = np.array([cutoff, *LEVELS])
    degrees, which = np.unique(np.where(tested, freedom, 1.0), return_inverse=True)
    quantiles = np.asarray(stdtrit(degrees, 1.0 - levels[:, None] / 2.0))[:, which]
    values = np.vstack([block.claim.half_width[rows], quantiles * error])
    return np.where(tested, values, np.inf)


def _ratio(numerator: FloatArray, denominator: FloatArray | IntArray) -> FloatArray:
    """The quotient, 0 where nothing is divided by."""
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0)
