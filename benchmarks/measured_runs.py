"""What the analysis says of a simulated run, held against what is true of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.simulated_runs import SimulatedRun
from jevbias.analysis.cells import build_cells
from jevbias.analysis.comparisons import Block, evaluate_comparisons
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.paired import estimate, pool_questions
from jevbias.analysis.pairs import Pairs, pair_cells
from jevbias.analysis.people_claim import base_patterns
from jevbias.analysis.rows import judge_block
from jevbias.analysis.validity import judge_questions
from jevbias.analysis.verdicts import Declared
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.sign_flips import FlipPatterns, sign_flip_tests

_SIGNS = {"worse": -1, "better": 1}


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Columns over the visible comparisons of one block: swaps with a constant effect, those called worse or
    better, and those of them that are real and have the sign that was claimed.
    """

    real: BoolArray
    claimed: BoolArray
    right: BoolArray


@dataclass(frozen=True, eq=False)
class Figures:
    """Columns over the visible comparisons of one block; NaN where the analysis gave nothing.

    The `covered_` columns are 1 where the interval holds its target. The `power_` columns are 1 where an
    effect as large as the row's own smallest detectable one would have been found at level 0.05, `_adjusted`
    at that of one discovery in the family; power over people is looked at in pooled rows alone.
    """

    p_noise: FloatArray
    covered_noise: FloatArray
    covered_people: FloatArray
    covered_general: FloatArray
    power_noise: FloatArray
    power_people: FloatArray
    power_people_adjusted: FloatArray


class AnalysedRun:
    """A simulated run, analysed as the product does up to the verdicts; blocks are pooled, then questions."""

    def __init__(self, run: SimulatedRun) -> None:
        self.run = run
        cells = build_cells(run.dataset)
        self.noise = measure_noise(run.dataset, cells)
        self.validity = judge_questions(run.dataset, cells, self.noise)
        self.pairs = pair_cells(run.dataset, cells)
        self.blocks = evaluate_comparisons(run.dataset, self.pairs, self.validity, self.noise)
        self._swap = np.array([run.dataset.swaps.index(swap) for _, swap in self.pairs.comparisons])
        self._seen = np.flatnonzero(self.pairs.visible)

    def verdicts(self) -> list[Verdicts]:
        """What was claimed, block by block."""
        facts = self.run.dataset.facts
        declared = Declared(facts.alpha, facts.margin, exact=False)
        effect = self.run.effect[self._swap][self._seen]
        found = []
        for block in self.blocks:
            verdicts = judge_block(self.pairs, block, declared, withheld=False)
            sign = np.array([_SIGNS.get(verdict.name, 0) for verdict in verdicts])[self._seen]
            found.append(Verdicts(effect != 0, sign != 0, sign * effect > 0))
        return found

    def figures(self) -> list[Figures]:
        """Coverage and power, block by block."""
        truth = pair_cells(self.run.expected, build_cells(self.run.expected))
        patterns = base_patterns(len(self.pairs.bases), self.run.dataset.facts.seed)
        return [self._measure(number, truth, patterns) for number in range(len(self.blocks))]

    def _measure(self, number: int, truth: Pairs, patterns: FlipPatterns) -> Figures:
        block, seen = self.blocks[number], self._seen
        delta, people, claim, corrected = block.estimates.delta, block.people, block.claim, block.corrected
        expected = self._expected_delta(number, truth)
        over_people = self._over_people(block)
        general = np.full(delta.shape, np.nan)
        if block.general is not None:
            target = self.run.effect[self._swap]
            general = _covered(block.general.mean, block.general.half_width(0.95), target)
        found_noise = np.abs(delta - expected + corrected.mde_noise) >= claim.half_width
        power = adjusted = np.full(delta.shape, np.nan)
        if block.question is None:
            one_alone = 0.05 / max(corrected.family.people, 1)
            power = _power_people(block, corrected.mde_people, over_people, patterns, 0.05)
            adjusted = _power_people(block, corrected.mde_people_adjusted, over_people, patterns, one_alone)
        return Figures(
            p_noise=claim.p[seen],
            covered_noise=_covered(delta, claim.half_width, expected)[seen],
            covered_people=_covered(delta, people.half_width, over_people)[seen],
            covered_general=general[seen],
            power_noise=_where_known(found_noise, corrected.mde_noise)[seen],
            power_people=power[seen],
            power_people_adjusted=adjusted[seen],
        )

    def _expected_delta(self, number: int, truth: Pairs) -> FloatArray:
        """The difference of the expected answers of a block's very cells."""
        if self.blocks[number].question is None:
            return pool_questions(truth, self.validity.pooled, self.noise).estimates.delta
        scenario, question = self.blocks[number].place or (0, 0)
        return estimate(truth.difference[:, :, scenario : scenario + 1, question]).delta

    def _over_people(self, block: Block) -> FloatArray:
        """The mean effect over all people, these scenarios fixed."""
        effects = self.run.on_scenario[self._swap]
        if block.question is None:
            return np.asarray(effects.mean(axis=1))
        scenario = self.run.dataset.scenarios.index(block.question.split(".", maxsplit=1)[0])
        return np.asarray(effects[:, scenario])


def _power_people(
    block: Block, effect: FloatArray, target: FloatArray, patterns: FlipPatterns, level: float
) -> FloatArray:
    """Whether sign flips find an effect of this size, put in the place of the row's own."""
    people = block.people
    shift = ((effect - target) / np.maximum(people.bases, 1))[:, None]
    moved = people.contributions + np.where((block.estimates.weight > 0).any(axis=2), shift, 0.0)
    moved[np.isnan(effect)] = np.nan
    p = sign_flip_tests(moved, patterns, np.zeros(len(moved), dtype=bool)).p
    return _where_known(p <= level, effect)


def _covered(centre: FloatArray, half: FloatArray, target: FloatArray) -> FloatArray:
    return _where_known(np.abs(centre - target) <= half, half)


def _where_known(yes: BoolArray, known: FloatArray) -> FloatArray:
    return np.where(np.isnan(known), np.nan, yes)
