"""Figures of a factorial run taken apart: the people of each group and their adjusted means."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from jevbias.analysis.trace.evidence import Trace
from jevbias.analysis.trace.factorial_groups import Groups, named
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure, signed
from jevbias.report.comparison import comparison_id
from jevbias.report.rounding import round_figure
from jevbias.stats.arrays import BoolArray


def trace_contrast(run: TracedRun, identifier: str) -> Trace | None:
    """A level against its reference: everyone who has one of the two; None where there is no such row.

    The row is the report's but for q and the linear model, which take all the other contrasts to compute.
    """
    groups = Groups(run)
    condition, _, rest = identifier.partition("/")
    pair, _, question = rest.partition("/")
    key, _, level = pair.partition("=")
    factor = groups.factors.get(key)
    column = groups.column(condition, question or None)
    if factor is None or level not in factor.levels[1:] or column is None:
        return None
    row = {"id": identifier, "condition": condition, "question": question or None, "attribute": key}
    found = groups.contrast(factor, level, column)
    sides = [
        groups.listing(f"people with {key}={name}", {key: name}, column) for name in (level, factor.levels[0])
    ]
    says = "there is no delta: one of the groups has nobody with answers"
    if found["delta"] is not None:
        says = (
            f"delta {signed(found['delta'])}: {counted(found['people'], 'person')} with {level} less "
            f"{found['reference_people']} with {factor.levels[0]}; p {figure(found['p'])}"
        )
    row |= {"level": level, "reference": factor.levels[0], **found}
    return Trace(identifier, run.run.name, says, row, tuple(sides))


def trace_cell_mean(run: TracedRun, identifier: str) -> Trace | None:
    """The people who have two levels at once; None where there is no such cell."""
    groups = Groups(run)
    row = next((row for row in groups.cells if row.id == identifier), None)
    column = None if row is None else groups.column(row.condition, None)
    if row is None or column is None:
        return None
    listing = groups.listing(f"people with {named(row.levels)}", row.levels, column)
    says = "nobody of the run has both levels, or nobody of them an answer"
    if row.mean is not None:
        level = float(run.person_means.level[column])
        says = (
            f"mean {figure(row.mean)} = {figure(level)} (everybody) {signed(row.mean - level)} (these people)"
        )
    return Trace(identifier, run.run.name, says, row.model_dump(), (listing,))


def trace_interaction(run: TracedRun, identifier: str) -> Trace | None:
    """The four cells of an interaction; None where there is no such row.

    The row is the report's but for p and q, which take all the other interactions to compute.
    """
    groups = Groups(run)
    condition, _, pair = identifier.removeprefix("interactions/").partition("/")
    column = groups.column(condition, None)
    levels = dict(part.split("=", 1) for part in pair.split("+") if "=" in part)
    factors = [factor for key, factor in groups.factors.items() if key in levels]
    if column is None or len(factors) != 2 or named(levels, "+") != pair:
        return None
    shown = run.dataset.conditions[run.person_means.scores[column].condition]
    if [factor.key for factor in factors] != list(levels) or not all(
        levels[factor.key] in factor.levels[1:] and factor.attribute.visible_in(shown) for factor in factors
    ):
        return None
    references = {factor.key: factor.levels[0] for factor in factors}
    first, second = levels
    four = {
        "both": levels,
        f"{second} only": {**levels, first: references[first]},
        f"{first} only": {**levels, second: references[second]},
        "neither": references,
    }
    whole: BoolArray = np.all([factor.codes >= 0 for factor in groups.factors.values()], axis=0)
    listings = [groups.listing(f"{name}: {named(have)}", have, column, whole) for name, have in four.items()]
    sizes = [len(listing.rows) for listing in listings]
    if not all(sizes):
        return None
    means = [fmean(row.mean for row in listing.rows) for listing in listings]
    contrast = round_figure(means[0] - means[1] - means[2] + means[3])
    row = {"id": identifier, "condition": condition, "levels": levels, "people": sum(sizes)}
    row |= {"fewest": min(sizes), "contrast": contrast}
    says = (
        f"contrast {signed(contrast)} = (both - {second} only) - ({first} only - neither) over "
        f"{counted(sum(sizes), 'person')}"
    )
    return Trace(identifier, run.run.name, says, row, tuple(listings))


def factorial_ids(run: TracedRun) -> list[str]:
    """The ids of contrasts and of cells; interactions are too many to be listed."""
    groups = Groups(run)
    found = [
        comparison_id(run.dataset.conditions[score.condition], factor.key, level, score.question)
        for score in run.person_means.scores
        for factor in groups.factors.values()
        for level in factor.levels[1:]
    ]
    return found + [row.id for row in groups.cells]
