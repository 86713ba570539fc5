"""How far answers move when nothing but the form of a request changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion
from jevbias.report.testbench import Movement
from jevbias.stats.arrays import FloatArray
from jevbias.stats.means import mean_of
from jevbias.stats.multiplicity import holm
from jevbias.stats.sd_intervals import excess_p
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


def movements(cases: Sequence[CaseAnswers]) -> list[Movement]:
    """Every question under every change, p-values adjusted over all of them."""
    rows = [row for row in _rows(cases) if row is not None]
    raw = [p for row in rows for p in (row.p_mean, row.p_spread)]
    adjusted = holm(np.array([np.nan if p is None else p for p in raw]))
    return [
        _judged(row, *(None if math.isnan(p) else float(p) for p in pair))
        for row, pair in zip(rows, adjusted.reshape(-1, 2), strict=True)
    ]


def _rows(cases: Sequence[CaseAnswers]) -> Iterator[Movement | None]:
    plain = next((case.told[PLAIN] for case in cases if PLAIN in case.told), None)
    for key, question in (plain.ask.frame.questions if plain is not None else {}).items():
        if isinstance(question, ChoiceQuestion):
            yield _row("option_order", key, cases, OPTIONS, _gain_of_standing_first)
        yield _row("company", key, cases, f"{ALONE}{key}", _lost_alone)
        yield _row("key_order", key, cases, KEYS, _moved)
        if isinstance(question, NoulQuestion):
            yield _row("negation", key, cases, NEGATED, _gap)


def _row(
    change: Change, question: str, cases: Sequence[CaseAnswers], what: str, shift: Shift
) -> Movement | None:
    moved = _values(shift(case, what, question) for case in cases)
    same = _moved if shift in (_gap, _lost_alone) else shift
    still = _values(same(case, REPEAT, question) for case in cases)
    estimate = mean_of(moved)
    if estimate is None:
        return None
    rms = _rms(moved)
    repeats = _rms(still) if still.size else None
    return Movement(
        change=change,
        question=question,
        cases=moved.size,
        mean=estimate.mean,
        interval=estimate.interval,
        mean_absolute=float(np.abs(moved).mean()),
        largest=float(np.abs(moved).max()),
        rms=rms,
        repeats_rms=repeats,
        p_mean=estimate.p,
        p_spread=None if repeats is None else excess_p(rms, repeats, moved.size),
        moves=None,
    )


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
