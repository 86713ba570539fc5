"""How far answers move when nothing but the form of a request changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion
from jevbias.report.testbench_answers import Movement
from jevbias.stats.arrays import FloatArray
from jevbias.stats.means import Mean, mean_of
from jevbias.stats.multiplicity import holm
from jevbias.stats.sign_flips import MOST_EXACT_UNITS, flip_patterns, one_sided_p, smallest_p
from jevbias.stats.ties import TIE
from jevbias.testbench.bench import Told
from jevbias.testbench.observed import Distribution, observe
from jevbias.testbench.semantics_asks import ALONE, KEYS, NEGATED, OPTIONS, PLAIN, REPEAT

LEVEL = 0.05
Change: TypeAlias = Literal["option_order", "company", "key_order", "negation"]


@dataclass(frozen=True)
class CaseAnswers:
    """What came of one case's calls, by what each was for; those without an answer are left out."""

    told: Mapping[str, Told]

    def value(self, what: str, question: str) -> float | None:
        """The answer to a question on [0, 1]."""
        told = self.told.get(what)
        answers = told.reading.answers if told is not None else ()
        return next((answer.value for answer in answers if answer.question == question), None)

    def distribution(self, what: str, question: str) -> dict[str, float] | None:
        """The probabilities of a question's options, by option."""
        told = self.told.get(what)
        found: list[Distribution] = observe(told).distributions if told is not None else []
        return next(
            (dict(zip(d.options, d.probabilities, strict=True)) for d in found if d.question == question),
            None,
        )


Shift: TypeAlias = Callable[[CaseAnswers, str, str], float | None]
"""How far one question moved in a case, with the call that was changed; the repeat stands in for it too."""


def movements(cases: Sequence[CaseAnswers], step: float = 0.0) -> list[Movement]:
    """Every question under every change, p-values adjusted over all of them. `step` is that of the grid which
    the server rounds to (0: none), so that intervals hold what rounding hides.
    """
    rows = [row for row in _rows(cases, step) if row is not None]
    raw = [p for row in rows for p in (row.p_mean, row.p_spread)]
    adjusted = holm(np.array([np.nan if p is None else p for p in raw]))
    return [
        _judged(row, *(None if math.isnan(p) else float(p) for p in pair))
        for row, pair in zip(rows, adjusted.reshape(-1, 2), strict=True)
    ]


def _rows(cases: Sequence[CaseAnswers], step: float) -> Iterator[Movement | None]:
    plain = next((case.told[PLAIN] for case in cases if PLAIN in case.told), None)
    questions = plain.ask.frame.questions if plain is not None else {}
    again = _values(_moved(case, REPEAT, question) for case in cases for question in questions)
    quiet = 0 if np.any(np.abs(again) > TIE) else again.size

    def row(change: Change, question: str, what: str, shift: Shift) -> Movement | None:
        return _row(change, question, cases, what, shift, step=step, quiet=quiet)

    for key, question in questions.items():
        if isinstance(question, ChoiceQuestion):
            yield row("option_order", key, OPTIONS, _gain_of_standing_first)
        yield row("company", key, f"{ALONE}{key}", _lost_alone)
        yield row("key_order", key, KEYS, _moved)
        if isinstance(question, NoulQuestion):
            yield row("negation", key, NEGATED, _gap)


def _row(
    change: Change,
    question: str,
    cases: Sequence[CaseAnswers],
    what: str,
    shift: Shift,
    *,
    step: float,
    quiet: int,
) -> Movement | None:
    moved = _values(shift(case, what, question) for case in cases)
    same = _moved if shift in (_gap, _lost_alone) else shift
    still = _values(same(case, REPEAT, question) for case in cases)
    estimate = mean_of(moved)
    if estimate is None:
        return None
    rms = _rms(moved)
    repeats = _rms(still) if still.size else None
    pairs = [(shift(case, what, question), same(case, REPEAT, question)) for case in cases]
    return Movement(
        change=change,
        question=question,
        cases=moved.size,
        mean=estimate.mean,
        interval=_with_rounding(estimate, step),
        mean_absolute=float(np.abs(moved).mean()),
        largest=float(np.abs(moved).max()),
        rms=rms,
        repeats_rms=repeats,
        p_mean=_p_of_mean(estimate, moved),
        p_spread=_p_of_spread(pairs, quiet),
        moves=None,
    )


def _with_rounding(estimate: Mean, step: float) -> tuple[float, float] | None:
    """The interval, wider by what rounding to a grid may hide: half a step, and no more, as the cases of a
    scenario fall on different places of it. Where nothing moved there is nothing to hide.
    """
    if estimate.interval is None or not (estimate.mean or estimate.interval[1]):
        return estimate.interval
    half = math.hypot((estimate.interval[1] - estimate.interval[0]) / 2, step / 2)
    return estimate.mean - half, estimate.mean + half


def _p_of_mean(estimate: Mean, moved: FloatArray) -> float | None:
    """Student's p; where every case moved by the same, that of their all having moved to the same side."""
    if estimate.p == 0.0 and np.ptp(moved) <= TIE:
        return smallest_p(moved.size)
    return estimate.p


def _p_of_spread(pairs: Sequence[tuple[float | None, float | None]], quiet: int) -> float | None:
    """The one-sided p of a change moving answers no more than asking again does.

    If the change does nothing, it and the repeat are exchangeable within a case, however the answers are
    rounded: signs of the differences of squares are flipped. Where none of `quiet` repeats moved at all, the
    number that the change moved is held against that (Fisher's exact test).
    """
    both = np.array([pair for pair in pairs if None not in pair], dtype=np.float64)
    if not both.size:
        return None
    if quiet:
        moved = int(np.sum(np.abs(both[:, 0]) > TIE))
        return math.comb(len(both), moved) / math.comb(len(both) + quiet, moved)
    excess = np.square(both[:, 0]) - np.square(both[:, 1])
    if excess.size <= MOST_EXACT_UNITS:
        return float(one_sided_p(excess[None, :], flip_patterns(excess.size))[0])
    estimate = mean_of(excess)
    if estimate is None or estimate.p is None:
        return None
    return estimate.p / 2 if estimate.mean > 0 else 1 - estimate.p / 2


def _judged(row: Movement, p_mean: float | None, p_spread: float | None) -> Movement:
    known = [p for p in (p_mean, p_spread) if p is not None]
    moves = min(known) < LEVEL if known else None
    return row.model_copy(update={"p_mean": p_mean, "p_spread": p_spread, "moves": moves})


def _moved(case: CaseAnswers, what: str, question: str) -> float | None:
    plain, changed = case.value(PLAIN, question), case.value(what, question)
    return None if plain is None or changed is None else changed - plain


def _lost_alone(case: CaseAnswers, what: str, question: str) -> float | None:
    """The answer among others less the answer alone."""
    moved = _moved(case, what, question)
    return None if moved is None else -moved


def _gap(case: CaseAnswers, what: str, question: str) -> float | None:
    plain, negated = case.value(PLAIN, question), case.value(what, question)
    return None if plain is None or negated is None else plain + negated - 1


def _gain_of_standing_first(case: CaseAnswers, what: str, question: str) -> float | None:
    """How much more probable the outer options are where they stand first than where they stand last."""
    plain, turned = case.distribution(PLAIN, question), case.distribution(what, question)
    if plain is None or turned is None:
        return None
    first, last = next(iter(plain)), next(reversed(plain))
    return ((plain[first] - turned[first]) + (turned[last] - plain[last])) / 2


def _values(found: Iterator[float | None]) -> FloatArray:
    return np.array([value for value in found if value is not None], dtype=np.float64)


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.square(values).mean()))
