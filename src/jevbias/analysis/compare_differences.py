"""The difference of differences of two runs: what it may rest on, and what it comes to.

Where both runs asked the same plan, each pair of one is set beside the same pair of the other, and the signs
of whole bases are flipped as in claim (b). Where they asked other people about the same cases, their bases
are two independent sets (Welch 1947); if some of the people are the same after all, the interval is usually
too wide, and too narrow only where the two runs err about the same people in opposite ways. Nothing is
subtracted between two drivers, because their deltas are in different units, nor between runs whose words,
cases or kinds of people differ, because the difference would be theirs as much as the model's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from jevbias.analysis.compare_sources import Source
from jevbias.analysis.compared_bases import differences_of_bases, differences_of_other_bases
from jevbias.analysis.compared_pairs import (
    Shared,
    Taken,
    counted_questions,
    differences_of_pairs,
    own_scores,
    pooled_questions,
    shared_scores,
)
from jevbias.report.compared import Basis
from jevbias.report.run_report import RunReport

OTHER_INSTRUMENT = (
    "The runs were asked through different drivers, {first} and {second}. What comes back through two "
    "drivers is not measured on one scale, so no delta of one is subtracted from a delta of the other or "
    "held against it. What compares is their signs, and each delta in units of its run's noise and spread."
)
FACTORIAL = (
    "People of a factorial run have no bases to flip the signs of: each run's contrasts stand beside the "
    "other's."
)
NO_QUESTION = "No question counts in both runs: there is no score that they share."
OTHER_POOL = (
    "At least one run is a report file, and the two pool different questions: their scores are not about the "
    "same. Name both runs in a database to compare them over what they share."
)
OTHER_WORDS = "The runs' catalogues differ: a difference could come from the words instead of the model."
OTHER_CASES = "The runs asked about different scenarios: a difference could come from the cases."
OTHER_BACKGROUNDS = (
    "The anchors of one run have drawn backgrounds that those of the other lack: the bases are people of "
    "different kinds."
)
OTHER_SWEPT = (
    "The runs swept different attributes, and backgrounds are drawn: what is drawn depends on what is swept, "
    "so the bases are people of different kinds."
)
OTHER_SCORES = (
    "The two pool different questions, and their pooled scores are each run's own: their signs are not held "
    "against each other. Two runs of one plan in a database would be compared over what they share."
)
INDEPENDENT = (
    "The runs asked different plans: the bases are taken as two independent sets, by Welch's t, and the "
    "cases as they are. Where some of the people are the same, the intervals are usually wider than "
    "they need to be."
)
FROM_REPORTS = (
    "At least one run is a report file: pooled scores are compared base by base, with the cases as they are, "
    "and single questions have no difference."
)


@dataclass(frozen=True, eq=False)
class Differences:
    """What two runs share. `shared` holds, by comparison id, both runs' scores over what they share, and
    `taken` the difference between them; where either lacks an id, the reports' own figures stand.
    """

    basis: Basis
    why_none: str | None
    questions: tuple[str, ...]
    shared: Mapping[str, tuple[Shared, Shared]] = field(default_factory=dict)
    taken: Mapping[str, Taken] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def flipped(self) -> bool:
        """Whether p comes from sign flips of bases that both runs have."""
        return self.basis in ("pairs", "bases")

    def one_score(self, one: RunReport, two: RunReport) -> bool:
        """Whether the pooled scores of both runs are over the same questions."""
        return bool(self.shared) or set(pooled_questions(one)) == set(pooled_questions(two))


def take_differences(first: Source, second: Source) -> Differences:
    """The second run's differences less the first's, on the best basis that there is."""
    one, two = first.report, second.report
    questions = counted_questions(one, two)
    same_plan = one.run.plan_hash == two.run.plan_hash
    stored = first.pairs is not None and second.pairs is not None
    why = _why_none(one, two, questions, same_plan=same_plan, stored=stored)
    if same_plan and stored and questions and one.run.design != "factorial":
        scores = shared_scores(first, second, questions)
        if why is None:
            return Differences("pairs", None, questions, scores.shared, differences_of_pairs(scores, one))
        return Differences("none", why, questions, scores.shared)
    if why is not None:
        notes = [NO_QUESTION] if not questions and why != NO_QUESTION else []
        if questions and why != OTHER_POOL and set(pooled_questions(one)) != set(pooled_questions(two)):
            notes.append(OTHER_SCORES)
        return Differences("none", why, questions, notes=tuple(notes))
    if same_plan:
        return Differences("bases", None, questions, {}, differences_of_bases(one, two), (FROM_REPORTS,))
    return _of_other_bases(first, second, questions, stored=stored)


def _of_other_bases(
    first: Source, second: Source, questions: tuple[str, ...], *, stored: bool
) -> Differences:
    shared: dict[str, tuple[Shared, Shared]] = {}
    if stored:
        one, two = own_scores(first, questions), own_scores(second, questions)
        shared = {name: (one.of[name], two.of[name]) for name in one.of if name in two.of}
        by_base = one.by_base, two.by_base
    else:
        by_base = _reported(first.report), _reported(second.report)
    taken = differences_of_other_bases(*by_base, first.report)
    notes = (INDEPENDENT,) if stored else (INDEPENDENT, FROM_REPORTS)
    return Differences("other bases", None, questions, shared, taken, notes)


def _reported(report: RunReport) -> dict[str, tuple[float, ...]]:
    return {row.id: tuple(row.by_base.values()) for row in report.comparisons if row.by_base}


def _why_none(
    one: RunReport, two: RunReport, questions: tuple[str, ...], *, same_plan: bool, stored: bool
) -> str | None:
    if one.run.design == "factorial":
        return FACTORIAL
    if one.run.driver != two.run.driver:
        return OTHER_INSTRUMENT.format(first=one.run.driver, second=two.run.driver)
    if not questions:
        return NO_QUESTION
    others = {
        OTHER_WORDS: one.run.catalogue_hash != two.run.catalogue_hash,
        OTHER_CASES: one.run.scenarios != two.run.scenarios,
        OTHER_BACKGROUNDS: _drawn(one) != _drawn(two),
        OTHER_SWEPT: (_drawn(one) or _drawn(two)) and set(one.run.swept) != set(two.run.swept),
    }
    if not same_plan and any(others.values()):
        return next(why for why, differ in others.items() if differ)
    return None if stored or set(pooled_questions(one)) == set(pooled_questions(two)) else OTHER_POOL


def _drawn(report: RunReport) -> bool:
    return bool(report.generalisation and report.generalisation.drawn)
