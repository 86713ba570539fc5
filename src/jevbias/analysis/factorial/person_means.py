"""What each person's answers come to, once the strength of the case they met is taken out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.validity import Validity
from jevbias.catalogue.models import VARIANTS
from jevbias.stats.arrays import FloatArray
from jevbias.stats.ties import snap_ties


class Score(NamedTuple):
    """A column of person means: a condition (position) and a question, None for the pooled score.

    `parts` lists the scenarios (positions) with the questions (positions) of each that enter.
    """

    condition: int
    question: str | None
    parts: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def scenarios(self) -> list[int]:
        """The scenarios that enter, as positions."""
        return [scenario for scenario, _ in self.parts]


@dataclass(frozen=True, eq=False)
class PersonMeans:
    """Variant-adjusted person means, (people, scores), as differences from the score's `level` (scores,).

    NaN where a person has no answer, or nobody met the same case in the same condition to compare it with.
    `shares` (people, scenarios, variants) says which variant of a scenario each person met; a person of
    several is divided among them.
    """

    scores: tuple[Score, ...]
    values: FloatArray
    level: FloatArray
    shares: FloatArray

    def pooled(self, condition: int) -> int:
        """The column of a condition's pooled score."""
        return next(
            column
            for column, score in enumerate(self.scores)
            if score.condition == condition and score.question is None
        )


def person_means(dataset: Dataset, cells: Cells, validity: Validity) -> PersonMeans:
    """Adjust every answer for the case it is about, and average per person.

    A cell's mean becomes its difference from the mean over the people of the same scenario, variant and
    condition, question by question; a pooled score is the mean over the ok questions that the person
    answered, then over scenarios. As differences are averaged and not levels, a lost answer never moves a
    person's mean by how high or low its question stands.
    """
    people, scenarios = len(dataset.levels), len(dataset.scenarios)
    conditions, questions = len(dataset.conditions), cells.mean.shape[1]
    shape = (scenarios, len(VARIANTS), conditions)
    groups = np.ravel_multi_index((cells.scenario, cells.variant, cells.condition), shape)
    number = int(np.prod(shape))
    group_means, members = _means_by(groups, cells.mean, number)
    difference = np.where(members[groups] > 1, cells.mean - group_means[groups], np.nan)

    at = (conditions, scenarios, people)
    place = np.ravel_multi_index((cells.condition, cells.scenario, cells.person), at)
    by_question, _ = _means_by(place, difference, int(np.prod(at)))
    by_question = by_question.reshape(*at, questions)
    heights = _mean(group_means.reshape(*shape, questions), 1)

    scores = _scores(dataset, validity)
    values, level = np.full((people, len(scores)), np.nan), np.full(len(scores), np.nan)
    for column, (condition, _, parts) in enumerate(scores):
        if parts:
            picked = [by_question[condition, scenario][:, list(chosen)] for scenario, chosen in parts]
            values[:, column] = _mean(np.stack([_mean(part, 1) for part in picked]), 0)
            tall = [_mean(heights[scenario, condition, list(chosen)], 0) for scenario, chosen in parts]
            level[column] = _mean(np.array(tall), 0)
    return PersonMeans(scores, snap_ties(values), level, _shares(cells, people, scenarios))


def _scores(dataset: Dataset, validity: Validity) -> tuple[Score, ...]:
    pooled = tuple((scenario, columns) for scenario, columns in enumerate(validity.pooled) if columns)
    scores = []
    for condition in range(len(dataset.conditions)):
        scores.append(Score(condition, None, pooled))
        for scenario, key in enumerate(dataset.scenarios):
            for column, name in enumerate(dataset.questions[scenario]):
                scores.append(Score(condition, f"{key}.{name}", ((scenario, (column,)),)))
    return tuple(scores)


def _shares(cells: Cells, people: int, scenarios: int) -> FloatArray:
    met = np.zeros((people, scenarios, len(VARIANTS)))
    met[cells.person, cells.scenario, cells.variant] = 1.0
    total = met.sum(axis=2, keepdims=True)
    shares: FloatArray = np.divide(met, total, out=np.zeros_like(met), where=total > 0)
    return shares


def _means_by(group: NDArray[np.int64], values: FloatArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Means of the known `values` (rows, columns) by the group of their row, and how many they are."""
    means, counts = np.full((number, values.shape[1]), np.nan), np.zeros((number, values.shape[1]))
    for column in range(values.shape[1]):
        known = ~np.isnan(values[:, column])
        count = np.bincount(group[known], minlength=number)
        total = np.bincount(group[known], weights=values[known, column], minlength=number)
        np.divide(total, count, out=means[:, column], where=count > 0)
        counts[:, column] = count
    return means, counts


def _mean(values: FloatArray, axis: int) -> FloatArray:
    """The mean of the known values along an axis; NaN where there is none."""
    known = ~np.isnan(values)
    count = np.asarray(known.sum(axis=axis))
    total = np.asarray(np.where(known, values, 0.0).sum(axis=axis))
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean
