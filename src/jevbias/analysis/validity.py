"""Does a question respond to the case? If not, what it says about people means nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.cells import Cells
from jevbias.analysis.composition import compositions
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import Noise
from jevbias.catalogue.models import VARIANTS
from jevbias.report.run_report import ValidityFlag, ValidityRow
from jevbias.report.validity_rule import MIDPOINT_REACH, SMALLEST_SPAN, UNIFORM_NOISE, UNIFORM_RANGE
from jevbias.stats.arrays import FloatArray
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class Response:
    """How a question responds to the case, in favourability. None where it cannot be said."""

    span: float | None
    range: float | None
    flag: ValidityFlag
    non_monotone: bool


def judge_response(means: Mapping[str, float], noise: float | None) -> Response:
    """The flag of a question from its mean favourability per variant and its pooled SD of repeats.

    `means` holds the variants that were run. A noise that nobody measured cannot make a response too small
    to see, nor a question uniform.
    """
    present = [variant for variant in VARIANTS if variant in means]
    if len(present) < 2:
        return Response(None, None, "untested", non_monotone=False)
    span = means[present[-1]] - means[present[0]]
    spread = max(means.values()) - min(means.values())
    blur = 2.0 * (noise or 0.0)
    non_monotone = False
    if len(present) == 3:
        low, high = sorted((means["weak"], means["strong"]))
        non_monotone = not low - blur - TIE <= means["mid"] <= high + blur + TIE
    needed = max(SMALLEST_SPAN, blur) - TIE
    flag: ValidityFlag = "flat"
    if span <= -needed:
        flag = "inverted"
    elif span >= needed:
        flag = "ok"
    elif all(abs(mean - 0.5) <= MIDPOINT_REACH + TIE for mean in means.values()):
        flag = "midpoint"
    elif spread <= UNIFORM_RANGE + TIE and noise is not None and noise <= UNIFORM_NOISE + TIE:
        flag = "uniform"
    return Response(span, spread, flag, non_monotone)


@dataclass(frozen=True)
class Validity:
    """The report's rows, and per scenario the positions of the questions that enter pooled scores.

    `untested`: no question of the run met two variants, so that all of them are pooled.
    """

    rows: list[ValidityRow]
    pooled: tuple[tuple[int, ...], ...]
    untested: bool

    def flag(self, question: str) -> ValidityFlag:
        """The flag of `scenario.question`."""
        return next(row.flag for row in self.rows if row.question == question)


def judge_questions(dataset: Dataset, cells: Cells, noise: Noise) -> Validity:
    """Judge every question of the run."""
    judged = []
    for scenario, key in enumerate(dataset.scenarios):
        means = _variant_means(cells, scenario)
        people = compositions(dataset, cells, scenario)
        for question, name in enumerate(dataset.questions[scenario]):
            by_variant = {v: float(m[question]) for v, m in means.items() if not np.isnan(m[question])}
            sd = noise.question_pool(scenario, question).sd
            judged.append((key, name, by_variant, sd, judge_response(by_variant, sd), people[question]))
    untested = all(response.flag == "untested" for *_, response, _ in judged)
    rows = []
    for key, name, by_variant, sd, response, met in judged:
        asked = dataset.catalogue.scenarios[key].questions[name]
        rows.append(
            ValidityRow(
                id=f"validity/{key}.{name}",
                question=f"{key}.{name}",
                kind=asked.kind,
                direction=asked.direction,
                measures=asked.measures,
                means=by_variant,
                span=response.span,
                range=response.range,
                noise=sd,
                flag=response.flag,
                non_monotone=response.non_monotone,
                pooled=untested or (response.flag == "ok" and not response.non_monotone),
                bases=met.bases,
                base_sd=met.sd,
                base_reach=met.reach,
            )
        )
    enters = {row.question: row.pooled for row in rows}
    pooled = tuple(
        tuple(place for place, name in enumerate(names) if enters[f"{key}.{name}"])
        for key, names in zip(dataset.scenarios, dataset.questions, strict=True)
    )
    return Validity(rows, pooled, untested)


def _variant_means(cells: Cells, scenario: int) -> dict[str, FloatArray]:
    """Variant: the mean of every question, over people within conditions, then over conditions."""
    means: dict[str, FloatArray] = {}
    for place, variant in enumerate(VARIANTS):
        chosen = (cells.scenario == scenario) & (cells.variant == place)
        conditions = np.unique(cells.condition[chosen])
        rows = [_column_means(cells.mean[chosen & (cells.condition == c)]) for c in conditions]
        if rows:
            means[variant] = _column_means(np.stack(rows))
    return means


def _column_means(values: FloatArray) -> FloatArray:
    """Means over the rows, NaN left out; NaN where nothing is left."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    means: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means
