"""How the hypotheses of a confirmatory run ended: claim (b), one-sided, with the general interval beside it.

1. `not confirmed: equivalent`: the 90% interval over people lies inside the margin. 2. `confirmed`: the
Holm-adjusted p in the frozen direction is below alpha and the general interval lies on that side of zero.
3. `not confirmed: opposite`: the Holm-adjusted p in the other direction is below alpha. 4. `unclear`: none of
these. The first that applies counts; a missing interval satisfies none. Margin and alpha are the frozen ones.
While probes are still to be asked everything is unclear: looking early and stopping when it suits would make
the level of the test a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.people_claim import base_patterns
from jevbias.plan.confirm import Hypothesis
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison
from jevbias.report.hypotheses import Hypotheses, HypothesisOutcome, HypothesisRow
from jevbias.report.times import iso_time
from jevbias.stats.multiplicity import holm
from jevbias.stats.sign_flips import one_sided_p, smallest_one_sided_p


def judge_hypotheses(
    dataset: Dataset, pairs: Pairs, pooled: Block, comparisons: Iterable[Comparison]
) -> Hypotheses | None:
    """How every frozen hypothesis ended, in the order in which they were frozen; None without hypotheses.

    `comparisons` are the report's rows, of which the pooled ones are read.
    """
    frozen = dataset.hypotheses
    if frozen is None:
        return None
    rows = {row.id: row for row in comparisons if row.question is None}
    found = [rows.get(hypothesis.comparison) for hypothesis in frozen.rows]
    tests = _tests(dataset, pairs, pooled, frozen.rows)
    left = dataset.outcomes.by_status["pending"] + dataset.outcomes.by_status["running"]
    intact = frozen.is_intact(dataset.facts.plan_hash)
    barred = _why_nothing_may_be_said(intact, left)
    return Hypotheses(
        source_run=frozen.source_run,
        frozen_hash=frozen.frozen_hash,
        frozen_at=iso_time(frozen.frozen_at),
        intact=intact,
        rows=[
            _row(hypothesis, row, test, _outcome(hypothesis, row, test, len(frozen.rows), barred))
            for hypothesis, row, test in zip(frozen.rows, found, tests, strict=True)
        ],
    )


@dataclass(frozen=True)
class _Test:
    """One-sided p in the frozen direction, as it is and after Holm, and after Holm the other way."""

    p: float
    p_holm: float
    opposite_holm: float


def _tests(dataset: Dataset, pairs: Pairs, pooled: Block, hypotheses: Sequence[Hypothesis]) -> list[_Test]:
    place = {identifier: row for row, identifier in enumerate(pairs.ids)}
    contributions = np.full((len(hypotheses), len(pairs.bases)), np.nan)
    for number, hypothesis in enumerate(hypotheses):
        if hypothesis.comparison in place:
            contributions[number] = pooled.people.contributions[place[hypothesis.comparison]]
    direction = np.array([-1.0 if row.direction == "down" else 1.0 for row in hypotheses])
    towards = contributions * direction[:, None]
    patterns = base_patterns(len(pairs.bases), dataset.facts.seed)
    p, opposite = one_sided_p(towards, patterns), one_sided_p(-towards, patterns)
    return [_Test(*row) for row in zip(p.tolist(), holm(p).tolist(), holm(opposite).tolist(), strict=True)]


class _Outcome(NamedTuple):
    """How a hypothesis ended, and why, in a sentence."""

    outcome: HypothesisOutcome
    reason: str


def _row(hypothesis: Hypothesis, row: Comparison | None, test: _Test, ended: _Outcome) -> HypothesisRow:
    return HypothesisRow(
        id=f"hypotheses/{hypothesis.comparison}",
        comparison=hypothesis.comparison,
        direction=hypothesis.direction,
        margin=hypothesis.margin,
        alpha=hypothesis.alpha,
        delta=None if row is None else row.delta,
        p=None if math.isnan(test.p) else test.p,
        p_holm=None if math.isnan(test.p_holm) else test.p_holm,
        ci_people_90=None if row is None else row.ci_people_90,
        ci_general=None if row is None else row.ci_general,
        outcome=ended.outcome,
        reason=ended.reason,
    )


def _outcome(
    hypothesis: Hypothesis, row: Comparison | None, test: _Test, number: int, barred: str | None
) -> _Outcome:
    """`barred` says why no hypothesis of the run may be judged."""
    if row is None or row.delta is None or barred is not None:
        return _Outcome("unclear", barred or _why_nothing_can_be_said(row))
    down = hypothesis.direction == "down"
    after = _after(number)
    people, general = row.ci_people_90, row.ci_general
    if people is not None and -hypothesis.margin < people[0] and people[1] < hypothesis.margin:
        return _Outcome(
            "not confirmed: equivalent",
            f"The 90% interval over people, {_shown(people)}, lies inside ±{hypothesis.margin:g}: "
            "whatever difference there is, is too small to matter.",
        )
    if test.p_holm < hypothesis.alpha and general is not None and _on_side(general, down):
        return _Outcome(
            "confirmed",
            f"One-sided p {_p(test.p_holm)}{after}, below {hypothesis.alpha:g}, and the general interval, "
            f"{_shown(general)}, lies {'below' if down else 'above'} 0.",
        )
    if test.opposite_holm < hypothesis.alpha:
        return _Outcome(
            "not confirmed: opposite",
            f"The answers moved {'up' if down else 'down'} instead: one-sided p that way "
            f"{_p(test.opposite_holm)}{after}, below {hypothesis.alpha:g}.",
        )
    return _Outcome("unclear", _shortfall(hypothesis, row, test, number))


def _why_nothing_may_be_said(intact: bool, left: int) -> str | None:
    """A broken seal bars every judgement, and so does an unfinished run: looking early inflates alpha."""
    if not intact:
        return "The hypotheses are not those that were frozen before the first call, so nothing is confirmed."
    return f"The run is not finished: probes still to be asked: {left:,}." if left else None


def _why_nothing_can_be_said(row: Comparison | None) -> str:
    if row is None:
        return "The run made no such comparison."
    return "No swap and its anchor have answers that can be compared."


def _shortfall(hypothesis: Hypothesis, row: Comparison, test: _Test, number: int) -> str:
    """Which figures did not suffice for a confirmation."""
    missing = []
    if not test.p_holm < hypothesis.alpha:
        least = _least(row, number, hypothesis.alpha)
        missing.append(
            f"one-sided p {_p(test.p_holm)}{_after(number)} is not below {hypothesis.alpha:g}{least}"
        )
    if row.ci_general is None:
        missing.append("there is no general interval: fewer than 3 complete bases or scenarios")
    elif not _on_side(row.ci_general, hypothesis.direction == "down"):
        side = "below" if hypothesis.direction == "down" else "above"
        missing.append(f"the general interval, {_shown(row.ci_general)}, does not lie {side} 0")
    sentence = ", and ".join(missing)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _least(row: Comparison, number: int, alpha: float) -> str:
    """A remark where the bases are too few for any p below alpha."""
    floor = number * smallest_one_sided_p(row.bases)
    if floor < alpha:
        return ""
    return f" (and {row.bases} {'base' if row.bases == 1 else 'bases'} cannot give one: {_p(min(floor, 1))})"


def _after(number: int) -> str:
    return "" if number == 1 else f" after Holm over {number} hypotheses"


def _on_side(interval: Interval, down: bool) -> bool:
    return interval[1] < 0 if down else interval[0] > 0


def _shown(interval: Interval) -> str:
    return f"{interval[0]:+.3g} to {interval[1]:+.3g}"


def _p(value: float) -> str:
    return f"{value:.2g}"
