"""The factorial part of a report: people who differ in everything at once."""

from __future__ import annotations

from jevbias.report.base import Figure, Interval, Question, ReportModel, Share, Size


class Contrast(ReportModel):
    """One level of an attribute against its reference, pooled (`question` is None) or on one question.

    `delta` is the difference of variant-adjusted person means, `p` from permutations, `interval` from the
    studentised bootstrap, 95%. `adjusted` is the level's coefficient in a linear model of person means on
    every attribute, with its classical standard error and p; None where the level cannot be told from the
    others. `q` and `adjusted_q` are Benjamini-Hochberg over the pooled or over the per-question contrasts.

    `in_case`: the facts of the case tell the level although the condition does not (a career capped at an
    early age), so that the row is no negative control. `withheld`: the question failed validity.
    """

    id: str
    condition: str
    question: Question | None
    attribute: str
    attribute_label: str
    level: str
    reference: str
    protected: bool
    visible: bool
    in_case: bool = False
    withheld: bool = False
    people: int
    reference_people: int
    delta: Figure | None
    interval: Interval | None
    cohens_d: Figure | None
    p: Share | None
    q: Share | None
    significant: bool
    adjusted: Figure | None = None
    adjusted_error: Size | None = None
    adjusted_p: Share | None = None
    adjusted_q: Share | None = None


class CellMean(ReportModel):
    """The mean pooled favourability of the people who have two levels at once; None for an empty cell.

    The interval, 95%, is by t from the spread within all cells of the condition.
    """

    id: str
    condition: str
    levels: dict[str, str]
    """Attribute: level."""
    people: int
    mean: Share | None
    interval: Interval | None


class Interaction(ReportModel):
    """Do two levels together do more or less than the sum of what each does (pooled favourability)?

    `contrast` is (both - second only) - (first only - neither), from cell means, where the others of the
    four cells are at the references. `people` are those in the four cells, `fewest` those in the smallest.
    """

    id: str
    condition: str
    levels: dict[str, str]
    """Attribute: level, in the catalogue's order."""
    people: int
    fewest: int
    contrast: Figure
    interval: Interval | None
    p: Share | None
    q: Share | None
    significant: bool


class ContrastCounts(ReportModel):
    """How many tests of one kind came out; hidden ones (`blind`, or not in the name) are the control."""

    tests: int
    significant: int
    raw_below_05: int


_NO_TESTS = ContrastCounts(tests=0, significant=0, raw_below_05=0)


class Factorial(ReportModel):
    """Contrasts, intersections and interactions of a factorial run.

    `permutations` shuffles stand behind every p, `most_permutations` behind the smallest; where there are
    fewer arrangements than `permutations`, all of them are counted. `bootstrap` is the number of resamples.
    `parameters` and `degrees_of_freedom` (people less parameters) are the linear model's, for the pooled
    score of the condition that shows most; the parameters include the variants of the case that people met.

    `empty_cells` names, for the two attributes that are written up as cells, the pairs of levels that nobody
    has; `interactions_untested` counts the pairs of levels whose contrast lacks one of its four cells.
    `visible` and `hidden` count pooled contrasts, their `per_question` namesakes those on single questions;
    what starts with `adjusted` counts the linear model's p and q of the same rows. Contrasts and interactions
    are sorted by q, then by size.
    """

    people: int
    permutations: int
    most_permutations: int
    bootstrap: int
    parameters: int
    degrees_of_freedom: int
    contrasts: list[Contrast]
    cells: list[CellMean]
    empty_cells: list[str]
    interactions: list[Interaction]
    interactions_untested: int
    visible: ContrastCounts
    hidden: ContrastCounts
    visible_per_question: ContrastCounts
    hidden_per_question: ContrastCounts
    adjusted_visible: ContrastCounts = _NO_TESTS
    adjusted_hidden: ContrastCounts = _NO_TESTS
    adjusted_visible_per_question: ContrastCounts = _NO_TESTS
    adjusted_hidden_per_question: ContrastCounts = _NO_TESTS
