"""What attaching a person does: mean favourability per condition, and the shift between conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.validity import Validity
from jevbias.report.run_report import ConditionRow
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.ties import snap_ties

Parts = list[tuple[int, Sequence[int]]]
"""Scenarios and the questions of each, as positions."""


def condition_rows(dataset: Dataset, cells: Cells, validity: Validity) -> list[ConditionRow]:
    """One row per condition for the pooled score and for every question.

    A base's figure is the mean over its people (pooled: of the mean over the questions, then over scenarios);
    bases weigh equally. A shift is taken within each person, scenario and variant, over what was answered in
    both conditions; below 1e-9 it is 0. People of a factorial run count as one base, which is not listed.
    """
    baseline = _baseline(dataset)
    rows = []
    for condition, name in enumerate(dataset.conditions):
        here = np.flatnonzero(cells.condition == condition)
        shifted = baseline is not None and condition != baseline
        change = cells.mean[here] - _baseline_means(cells, here, baseline) if shifted else None
        for question, parts in _scores(dataset, validity):
            means = _by_base(dataset, cells, here, parts, cells.mean[here])
            if not means:
                continue
            shifts = {} if change is None else _by_base(dataset, cells, here, parts, change)
            listed = means if change is None else {base: _shift([value]) for base, value in shifts.items()}
            rows.append(
                ConditionRow(
                    id=f"conditions/{name}" if question is None else f"conditions/{name}/{question}",
                    condition=name,
                    question=question,
                    mean=_mean(means.values()),
                    shift=_shift(shifts.values()) if shifts else None,
                    baseline=dataset.conditions[baseline] if shifted and baseline is not None else None,
                    by_base={str(base): value for base, value in listed.items() if base >= 0},
                )
            )
    return rows


def _baseline(dataset: Dataset) -> int | None:
    """The condition that shows least: `blind`, else `name_only`; None when only `full` was run."""
    return 0 if dataset.conditions and dataset.conditions[0] != "full" else None


def _scores(dataset: Dataset, validity: Validity) -> Iterator[tuple[str | None, Parts]]:
    yield None, [(scenario, columns) for scenario, columns in enumerate(validity.pooled) if columns]
    for scenario, key in enumerate(dataset.scenarios):
        for column, name in enumerate(dataset.questions[scenario]):
            yield f"{key}.{name}", [(scenario, [column])]


def _baseline_means(cells: Cells, here: IntArray, baseline: int | None) -> FloatArray:
    """The means of the same person, scenario and variant under the baseline; NaN where there is none."""
    place = np.stack([cells.person, cells.scenario, cells.variant])
    found = np.full(tuple(place.max(axis=1, initial=0) + 1), -1)
    there = np.flatnonzero(cells.condition == baseline)
    found[tuple(place[:, there])] = there
    match = found[tuple(place[:, here])]
    return np.where(match[:, None] >= 0, cells.mean[match], np.nan)


def _by_base(
    dataset: Dataset, cells: Cells, here: IntArray, parts: Parts, values: FloatArray
) -> dict[int, float]:
    """Base: the mean of `values` (cells in `here`, questions), people first, then scenarios equally."""
    collected: dict[int, list[float]] = {}
    for scenario, columns in parts:
        chosen = cells.scenario[here] == scenario
        scores = values[chosen][:, columns]
        known = ~np.isnan(scores)
        answered = known.any(axis=1)
        score = np.where(known, scores, 0.0).sum(axis=1)[answered] / known.sum(axis=1)[answered]
        # Cells of one person first: an anchor may have met several variants.
        people, place = np.unique(cells.person[here][chosen][answered], return_inverse=True)
        means = np.bincount(place, weights=score) / np.bincount(place) if people.size else score
        bases, place = np.unique(dataset.base[people], return_inverse=True)
        by_base = np.bincount(place, weights=means) / np.bincount(place) if people.size else means
        for number, mean in zip(bases.tolist(), by_base.tolist(), strict=True):
            collected.setdefault(number, []).append(mean)
    return {base: _mean(means) for base, means in sorted(collected.items())}


def _shift(values: Iterable[float]) -> float:
    return float(snap_ties(np.array(_mean(values))))


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
