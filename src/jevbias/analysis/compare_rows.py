"""The rows of a comparison of two runs: each run's own figures, and what lies between them."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import TypeAdapter

from jevbias.analysis.compare_differences import Differences
from jevbias.analysis.compare_sources import Source
from jevbias.analysis.compared_pairs import Shared, Taken, pooled_questions
from jevbias.report.base import Interval
from jevbias.report.compared import ComparedRow, ComparedSide, Outcome
from jevbias.report.comparison import Comparison
from jevbias.report.factorial import Contrast
from jevbias.report.rounding import round_figure
from jevbias.report.run_report import RunReport
from jevbias.stats.ties import TIE

_ROWS = TypeAdapter(list[ComparedRow])
_ORDER: tuple[Outcome, ...] = (
    "differs",
    "differs here",
    "differs little",
    "alike",
    "unclear",
    "not compared",
    "control",
)
_NOTHING = Taken(None, 0, None, None, None, None, None)


def compared_rows(first: Source, second: Source, found: Differences) -> list[ComparedRow]:
    """One row for every comparison that both runs have: pooled, and on the questions that count in both.

    Sorted by outcome, then q, then size; pooled rows first.
    """
    margin = min(first.report.run.margin, second.report.run.margin)
    alpha = min(first.report.run.alpha, second.report.run.alpha)
    there = {row.id: row for row in told(second.report)}
    counted = {None, *found.questions}
    one_score = found.one_score(first.report, second.report)
    rows = []
    for one in told(first.report):
        two = there.get(one.id)
        if two is None or one.question not in counted:
            continue
        shared = found.shared.get(one.id)
        taken = found.taken.get(one.id, _NOTHING)
        sides = (
            _side(first.report, one, shared and shared[0], found),
            _side(second.report, two, shared and shared[1], found),
        )
        visible = one.visible and two.visible
        pooled = one.question is None
        same = _same_sign(sides[0].delta, sides[1].delta)
        rows.append(
            {
                "id": one.id,
                "condition": one.condition,
                "question": one.question,
                "attribute": one.attribute,
                "attribute_label": one.attribute_label,
                "level": one.level,
                "reference": one.reference,
                "protected": one.protected,
                "visible": visible,
                "first": sides[0],
                "second": sides[1],
                "same_sign": same if one_score or not pooled else None,
                "bases": taken.bases,
                "difference": taken.difference,
                "interval": taken.interval,
                "interval_90": taken.interval_90,
                "p": taken.p,
                "p_floor": taken.p_floor,
                "q": taken.q,
                "ci_general": taken.general,
                "ci_general_99": taken.general_99,
                "outcome": outcome(taken, visible=visible, pooled=pooled, margin=margin, alpha=alpha),
            }
        )
    return sorted(_ROWS.validate_python(rows), key=_order)


def outcome(taken: Taken, *, visible: bool, pooled: bool, margin: float, alpha: float) -> Outcome:
    """How two runs compare on one comparison; a pooled one has to hold for other cases too to be `differs`.
    A missing interval satisfies no clause.
    """
    if not visible:
        return "control"
    if taken.difference is None:
        return "not compared"
    if taken.q is not None and taken.q < alpha:
        if _inside(taken.interval, margin):
            return "differs little"
        general = taken.general_99
        beyond = not pooled or (general is not None and (general[0] > 0 or general[1] < 0))
        return "differs" if taken.interval is not None and beyond else "differs here"
    return "alike" if _inside(taken.interval_90, margin) else "unclear"


def _inside(interval: Interval | None, margin: float) -> bool:
    return interval is not None and -margin < interval[0] and interval[1] < margin


def told(report: RunReport) -> Iterator[Comparison | Contrast]:
    """The comparisons of a report; those of a factorial run are its contrasts."""
    yield from report.comparisons
    if report.factorial is not None:
        yield from report.factorial.contrasts


def _side(
    report: RunReport, row: Comparison | Contrast, shared: Shared | None, found: Differences
) -> ComparedSide:
    delta = row.delta if shared is None else shared.delta
    # The run's own noise of a probe's mean is over its own questions: a score over others has another.
    own = shared is None or row.question is not None or set(found.questions) == set(pooled_questions(report))
    noise = _noise(report, row.question) if own else None
    pairs = row.pairs if isinstance(row, Comparison) else row.people
    return ComparedSide(
        delta=delta,
        reported=row.delta,
        in_noise=round_figure(delta / noise) if noise and delta is not None else None,
        cohens_d=row.cohens_d if shared is None else shared.cohens_d,
        pairs=pairs if shared is None else shared.pairs,
        verdict=row.verdict if isinstance(row, Comparison) else None,
        q=row.q,
        q_people=row.q_people if isinstance(row, Comparison) else None,
        significant=row.significant,
    )


def _noise(report: RunReport, question: str | None) -> float | None:
    """The SD that a delta is given in units of; None where the run does not vary or did not repeat itself."""
    floor = report.noise_floor
    if floor.exact:
        return None
    if question is None:
        return floor.probe_sd
    pool = floor.by_question.get(question)
    return pool.sd if pool else None


def _same_sign(first: float | None, second: float | None) -> bool | None:
    if first is None or second is None or abs(first) < TIE or abs(second) < TIE:
        return None
    return (first < 0) == (second < 0)


def _order(row: ComparedRow) -> tuple[bool, int, float, float, str]:
    q = 2.0 if row.q is None else row.q
    size = abs(row.difference) if row.difference is not None else max(_size(row.first), _size(row.second))
    return (row.question is not None, _ORDER.index(row.outcome), q, -size, row.id)


def _size(side: ComparedSide) -> float:
    """How large a delta is in its own run: in noise, else in its own spread."""
    return abs(side.in_noise if side.in_noise is not None else side.cohens_d or 0.0)
