"""Two runs of one plan, pair by pair: both runs' scores over what both answered, and their difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.compare_sources import Source
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.figures import figures, intervals
from jevbias.analysis.paired import Estimates, estimate, mean_over_questions
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.people_claim import PeopleClaim, base_patterns, claim_people
from jevbias.report.base import Interval
from jevbias.report.run_report import RunReport
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.stats.two_way import two_way_layout


@dataclass(frozen=True)
class Shared:
    """One run on one comparison, over what both runs share."""

    delta: float | None
    cohens_d: float | None
    pairs: int


@dataclass(frozen=True)
class Taken:
    """The difference of two runs on one comparison; None where it could not be estimated."""

    difference: float | None
    bases: int
    interval: Interval | None
    interval_90: Interval | None
    p: float | None
    p_floor: float | None
    q: float | None
    general: Interval | None = None
    general_99: Interval | None = None


@dataclass(frozen=True, eq=False)
class Block:
    """Comparisons of both runs, pooled (`question` is None) or on one question, and their difference."""

    question: str | None
    first: Estimates
    second: Estimates
    difference: Estimates


@dataclass(frozen=True, eq=False)
class SharedScores:
    """Two runs of one plan over what both answered. `family` (comparisons,) marks the visible ones, placebos
    apart; `bases` is the number of bases.
    """

    ids: tuple[str, ...]
    blocks: tuple[Block, ...]
    family: BoolArray
    bases: int
    shared: Mapping[str, tuple[Shared, Shared]]


@dataclass(frozen=True, eq=False)
class OwnScores:
    """One run's scores by comparison id, and the deltas of its bases."""

    of: Mapping[str, Shared]
    by_base: Mapping[str, tuple[float, ...]]


def pooled_questions(report: RunReport) -> tuple[str, ...]:
    """The questions of a run's own pooled scores, as `scenario.question`."""
    return tuple(row.question for row in report.validity if row.pooled)


def counted_questions(one: RunReport, two: RunReport) -> tuple[str, ...]:
    """The questions that enter pooled scores in both runs, as `scenario.question`."""
    there = set(pooled_questions(two))
    return tuple(question for question in pooled_questions(one) if question in there)


def shared_scores(first: Source, second: Source, questions: Sequence[str]) -> SharedScores:
    """Both runs of one plan, over these questions and the pairs that both answered them for."""
    one, dataset = _stored(first)
    two, _ = _stored(second)
    both = ~np.isnan(one.difference) & ~np.isnan(two.difference)
    values = [np.where(both, pairs.difference, np.nan) for pairs in (one, two)]
    blocks = []
    for name, scores in _scores(dataset, questions, values):
        blocks.append(Block(name, estimate(scores[0]), estimate(scores[1]), estimate(scores[1] - scores[0])))
    ids = one.ids
    shared: dict[str, tuple[Shared, Shared]] = {}
    for block in blocks:
        sides = zip(_sides(block.first), _sides(block.second), strict=True)
        shared.update(zip(_named(ids, block.question), sides, strict=True))
    return SharedScores(ids, tuple(blocks), one.visible & ~one.placebo, len(one.bases), shared)


def own_scores(source: Source, questions: Sequence[str]) -> OwnScores:
    """One run over these questions, whatever another answered."""
    pairs, dataset = _stored(source)
    of: dict[str, Shared] = {}
    by_base: dict[str, tuple[float, ...]] = {}
    for name, (score,) in _scores(dataset, questions, [pairs.difference]):
        found = estimate(score)
        names = _named(pairs.ids, name)
        of.update(zip(names, _sides(found), strict=True))
        for identifier, values in zip(names, found.by_base, strict=True):
            by_base[identifier] = tuple(values[~np.isnan(values)].tolist())
    return OwnScores(of, by_base)


def differences_of_pairs(scores: SharedScores, report: RunReport) -> dict[str, Taken]:
    """The differences by id: intervals by t over the bases, p from flipping their signs, q over the visible
    comparisons of each family, pooled and per question.
    """
    patterns = base_patterns(scores.bases, report.run.seed)
    taken: dict[str, Taken] = {}
    for blocks in (scores.blocks[:1], scores.blocks[1:]):
        estimates = [block.difference for block in blocks]
        claims = claim_people(estimates, patterns, scores.family)
        stacked = [np.where(scores.family, claim.p, np.nan) for claim in claims]
        q = np.split(benjamini_hochberg(np.concatenate(stacked)), len(stacked)) if stacked else []
        for block, claim, corrected in zip(blocks, claims, q, strict=True):
            rows = taken_rows(block.difference, claim, corrected, general=block.question is None)
            taken.update(zip(_named(scores.ids, block.question), rows, strict=True))
    return taken


def taken_rows(difference: Estimates, claim: PeopleClaim, q: FloatArray, *, general: bool) -> list[Taken]:
    """The columns of differences, row by row; `general` with the intervals over bases and scenarios."""
    nothing: list[Interval | None] = [None] * len(difference.delta)
    layout = two_way_layout(difference.difference) if general else None
    return [
        Taken(*row)
        for row in zip(
            figures(difference.delta),
            claim.bases.tolist(),
            intervals(difference.delta, claim.half_width),
            intervals(difference.delta, claim.half_width_90),
            figures(claim.p),
            figures(claim.p_floor),
            figures(q),
            intervals(layout.mean, layout.half_width(0.95)) if layout else nothing,
            intervals(layout.mean, layout.half_width(0.99)) if layout else nothing,
            strict=True,
        )
    ]


def _scores(
    dataset: Dataset, questions: Sequence[str], values: Sequence[FloatArray]
) -> list[tuple[str | None, list[FloatArray]]]:
    """Per score, pooled first and then every question, d(b, s) of each of `values`."""
    places = [
        (scenario, column)
        for scenario, key in enumerate(dataset.scenarios)
        for column, name in enumerate(dataset.questions[scenario])
        if f"{key}.{name}" in questions
    ]
    enters = np.zeros(values[0].shape[2:], dtype=bool)
    for place in places:
        enters[place] = True
    scores: list[tuple[str | None, list[FloatArray]]] = [
        (None, [mean_over_questions(each, ~np.isnan(each) & enters) for each in values])
    ]
    for scenario, column in places:
        name = f"{dataset.scenarios[scenario]}.{dataset.questions[scenario][column]}"
        scores.append((name, [each[:, :, scenario : scenario + 1, column] for each in values]))
    return scores


def _stored(source: Source) -> tuple[Pairs, Dataset]:
    if source.pairs is None or source.dataset is None:
        raise ValueError(f"{source.label} is a report file and holds no pairs")
    return source.pairs, source.dataset


def _named(ids: Sequence[str], question: str | None) -> list[str]:
    return list(ids) if question is None else [f"{name}/{question}" for name in ids]


def _sides(estimates: Estimates) -> list[Shared]:
    columns = (figures(estimates.delta), figures(estimates.cohens_d), estimates.pairs.tolist())
    return [Shared(*row) for row in zip(*columns, strict=True)]
