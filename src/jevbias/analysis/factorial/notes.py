"""Sentences about a factorial run: what its figures mean, what could not be estimated, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jevbias.analysis.dataset import Dataset
from jevbias.analysis.factorial.levels import Factor, person_factors
from jevbias.analysis.wording import listed
from jevbias.report.factorial import Contrast, Factorial
from jevbias.stats.bootstrap import FEWEST_PEOPLE


def factorial_notes(dataset: Dataset, factorial: Factorial, *, exact: bool) -> Iterator[str]:
    """What a reader of the factorial part has to know beside its figures; `exact`: the model never varies."""
    if not dataset.outcomes.answered:
        return
    factors = person_factors(dataset)
    if not factors:
        yield "The levels of these people are not known, so there are no contrasts."
        return
    pooled = [row for row in factorial.contrasts if row.question is None]
    single = [row for row in factorial.contrasts if row.question is not None]
    if any(row.p is not None for row in factorial.contrasts):
        yield (
            "A contrast compares people who differ in everything else too, over backgrounds drawn at random: "
            "it speaks of people like these, and of these cases. A linear model takes the other attributes "
            "out; where the two disagree, chance imbalance between the groups is the likeliest reason."
        )
    if exact:
        yield (
            "That the model does not vary leaves the contrasts their p: they are between people, who differ "
            "in everything else."
        )
    yield from _about_controls(dataset, factors, factorial)
    yield from _about_levels(factors, factorial)
    for kind, rows in (("pooled", pooled), ("per-question", single)):
        yield from _about_contrasts(kind, rows)
    yield from _about_the_linear_model(factors, factorial, pooled)
    yield from _about_intersections(factorial)


def _about_controls(dataset: Dataset, factors: Sequence[Factor], factorial: Factorial) -> Iterator[str]:
    if not factorial.hidden.tests and not factorial.hidden_per_question.tests:
        yield "Every contrast that was tested was visible to the model, so there is no negative control."
    elif "blind" not in dataset.conditions:
        yield "Without `blind`, the negative control is what a name does not carry."
    told = _levels(factors, (row for row in factorial.contrasts if row.in_case))
    if told:
        yield (
            "A case that claims a career caps it for a person too young to have had it, so its facts betray "
            f"{listed(told)} even where the person is not shown: these contrasts count as neither visible "
            "nor hidden."
        )


def _about_levels(factors: Sequence[Factor], factorial: Factorial) -> Iterator[str]:
    missing = [
        f"{factor.key}={level}"
        for factor in factors
        for code, level in enumerate(factor.levels)
        if code and not (factor.codes == code).any()
    ]
    if missing:
        yield f"Nobody has {listed(missing)}, so nothing is said of it."
    unanchored = [f"{f.key}={f.levels[0]}" for f in factors if not (f.codes == 0).any()]
    if unanchored:
        yield (
            f"Nobody has {listed(unanchored)}, the reference that the other levels are set against, so none "
            "of them has a contrast."
        )
    unknown = sum(bool(any(f.codes[person] < 0 for f in factors)) for person in range(factorial.people))
    if unknown:
        yield (
            f"A level of {unknown} of {factorial.people} people is not known: they take part in the "
            "contrasts of their other attributes only."
        )


def _about_contrasts(kind: str, rows: Sequence[Contrast]) -> Iterator[str]:
    estimated = [row for row in rows if row.delta is not None]
    if len(estimated) < len(rows):
        yield (
            f"{len(rows) - len(estimated)} of {len(rows)} {kind} contrasts have no estimate, because nobody "
            "on one side has a score; an answer counts beside another person's to the same case."
        )
    bare = [row for row in estimated if row.interval is None]
    if bare:
        small = sum(min(row.people, row.reference_people) < FEWEST_PEOPLE for row in bare)
        reasons = []
        if small:
            reasons.append(f"{small} have fewer than {FEWEST_PEOPLE} people on one side")
        if small < len(bare):
            reasons.append(f"in {len(bare) - small} nobody, or hardly anybody, differs within a side")
        yield f"{len(bare)} of {len(rows)} {kind} contrasts have no interval: {listed(reasons)}."
    flat = sum(row.cohens_d is None for row in estimated)
    if flat:
        yield (
            f"{flat} of {len(rows)} {kind} contrasts have no Cohen's d: people do not differ within the "
            "sides, or there are too few of them."
        )


def _about_the_linear_model(
    factors: Sequence[Factor], factorial: Factorial, pooled: Sequence[Contrast]
) -> Iterator[str]:
    estimated = [row for row in pooled if row.delta is not None]
    if not estimated:
        return
    if factorial.degrees_of_freedom < 1:
        yield (
            f"The linear model has as many parameters as people with a score ({factorial.parameters}), so it "
            "leaves no degree of freedom for an error: no adjusted figure has a p."
        )
    apart = _levels(factors, (row for row in estimated if row.adjusted is None))
    if apart:
        yield (
            f"The linear model leaves out {listed(apart)}: among the people who answered, what they do "
            "cannot be told from what other levels do."
        )
    perfect = sum(row.adjusted is not None and row.adjusted_p is None for row in estimated)
    if perfect and factorial.degrees_of_freedom > 0:
        yield f"{perfect} adjusted figures have no p: the linear model fits everybody without an error."


def _about_intersections(factorial: Factorial) -> Iterator[str]:
    if not factorial.cells:
        yield (
            "There is no table of intersections: it takes one attribute that the name carries and one that "
            "name and field carry (name culture and gender)."
        )
    if factorial.empty_cells:
        yield f"Nobody has both levels of {listed(factorial.empty_cells)}."
    if any(row.significant for row in factorial.interactions):
        yield (
            "An interaction compares four small groups of people, who may differ in a third attribute by "
            "chance: hold it for a hypothesis until other people confirm it."
        )
    bare = sum(row.p is None for row in factorial.interactions)
    if bare:
        yield (
            f"{bare} interaction contrasts have no p: nobody differs within the cells, or each cell has one "
            "person."
        )


def _levels(factors: Sequence[Factor], rows: Iterable[Contrast]) -> list[str]:
    """The levels that the rows are about, each once, in the catalogue's order."""
    named = {(row.attribute, row.level) for row in rows}
    return [f"{f.key}={level}" for f in factors for level in f.levels if (f.key, level) in named]
