"""The factorial part of a report: people who differ in everything at once."""

from __future__ import annotations

from jevbias.report.base import Figure, Interval, ReportModel


class Contrast(ReportModel):
    """One level of an attribute against its reference, pooled (`question` is None) or on one question.

    `delta` is the difference of variant-adjusted person means, `p` from permutations, `interval` from the
    bootstrap. `adjusted` is the level's coefficient in a linear model of person means on every attribute,
    with its classical standard error and p; None where the level cannot be told from the others.
    """

    id: str
    condition: str
    question: str | None
    attribute: str
    attribute_label: str
    level: str
    reference: str
    protected: bool
    visible: bool
    people: int
    reference_people: int
    delta: Figure | None
    interval: Interval | None
    cohens_d: Figure | None
    p: Figure | None
    q: Figure | None
    significant: bool
    adjusted: Figure | None = None
    adjusted_error: Figure | None = None
    adjusted_p: Figure | None = None
    adjusted_q: Figure | None = None


class CellMean(ReportModel):
    """The mean pooled favourability of the people who have two levels at once; None for an empty cell."""

    id: str
    condition: str
    levels: dict[str, str]
    """Attribute: level."""
    people: int
    mean: Figure | None
    interval: Interval | None


class Interaction(ReportModel):
    """Do two levels together do more or less than the sum of what each does (pooled favourability)?

    `contrast` is (both - second only) - (first only - neither), from cell means, where the others of the
    four cells are at the references.
    """

    id: str
    condition: str
    levels: dict[str, str]
    """Attribute: level, in the catalogue's order."""
    people: int
    contrast: Figure
    p: Figure | None
    q: Figure | None
    significant: bool


class ContrastCounts(ReportModel):
    """How many tests of one kind came out; hidden ones (`blind`, or not in the name) are the control."""

    tests: int
    significant: int
    raw_below_05: int


class Factorial(ReportModel):
    """Contrasts, intersections and interactions of a factorial run.

    `empty_cells` names, per pair of attributes that is written up as cells, the pairs of levels that nobody
    has; `interactions_untested` counts the pairs of levels whose contrast lacks one of its four cells.
    `parameters` and `degrees_of_freedom` (people less parameters) are the linear model's.
    """

    people: int
    permutations: int
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
