"""One verdict per comparison, from its three claims; the first rule that applies.

1. `control`: the model could not see the swap. 2. `withheld`: the question failed validity.
3. `worse`, `better`: beyond noise, beyond these people by more than the margin, and, pooled, beyond these
   cases: the 99% general interval excludes zero, and its q over the family is below alpha.
4. `small`: beyond noise, and too small to matter. 5. `these cases`: beyond noise only.
6. `no difference`: not beyond noise, and shown to lie inside the margin. 7. `unclear`: anything else.

Where the model does not vary there is no q: |delta| against the margin stands in for it, and `small` cannot
occur. An interval that is missing satisfies no clause.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from jevbias.report.base import Interval
from jevbias.report.comparison import ComparisonVerdict
from jevbias.stats.ties import TIE


class Verdict(NamedTuple):
    """A verdict and, for `these cases`, the claims that are missing for more."""

    name: ComparisonVerdict
    missing: str | None = None


@dataclass(frozen=True)
class Declared:
    """What was declared before the run, whether the model varies at all, and what claim (b) is about: `other
    people` only where backgrounds were drawn.
    """

    alpha: float
    margin: float
    exact: bool
    beyond: str = "other people"


class Evidence(NamedTuple):
    """What the verdict on one comparison rests on; None where it could not be estimated. `q_general` and
    `ci_general_99` are of pooled rows alone.
    """

    visible: bool
    withheld: bool
    pooled: bool
    delta: float | None
    q: float | None
    q_people: float | None
    q_general: float | None
    ci_people: Interval | None
    ci_people_90: Interval | None
    ci_general_99: Interval | None


def judge(evidence: Evidence, declared: Declared) -> Verdict:
    """The verdict on one comparison."""
    if not evidence.visible:
        return Verdict("control")
    if evidence.withheld:
        return Verdict("withheld")
    moved = _beyond_noise(evidence, declared)
    if moved:
        return _judge_moved(evidence, declared)
    equivalent = moved is False and _inside(evidence.ci_people_90, declared.margin)
    return Verdict("no difference" if equivalent else "unclear")


def _judge_moved(evidence: Evidence, declared: Declared) -> Verdict:
    inside = _inside(evidence.ci_people, declared.margin)
    missing = _missing_claims(evidence, declared)
    if inside and not declared.exact:
        return Verdict("small")
    if inside:
        missing.append("a size that matters: the interval lies inside the margin")
    if missing:
        return Verdict("these cases", " and ".join(missing))
    return Verdict("worse" if (evidence.delta or 0.0) < 0 else "better")


def _beyond_noise(evidence: Evidence, declared: Declared) -> bool | None:
    """Whether the difference is shown to be beyond noise; None where it could not be tested."""
    if evidence.delta is None:
        return None
    if declared.exact:
        return abs(evidence.delta) >= declared.margin - TIE
    return None if evidence.q is None else evidence.q < declared.alpha


def _missing_claims(evidence: Evidence, declared: Declared) -> list[str]:
    missing = []
    if evidence.q_people is None:
        missing.append(f"{declared.beyond}: no p")
    elif evidence.q_people >= declared.alpha:
        missing.append(f"{declared.beyond}: q {evidence.q_people:.2g}")
    elif evidence.ci_people is None:
        missing.append(f"{declared.beyond}: no interval, fewer than 3 bases")
    if evidence.pooled:
        general = evidence.ci_general_99
        if general is None:
            missing.append("other cases: no interval, fewer than 3 complete bases or scenarios")
        elif not _excludes_zero(general, evidence.delta or 0.0):
            missing.append(f"other cases: 99% interval {general[0]:+.3f} to {general[1]:+.3f}")
        elif evidence.q_general is None:
            missing.append("other cases: no q")
        elif evidence.q_general >= declared.alpha:
            missing.append(f"other cases: q {evidence.q_general:.2g}")
    return missing


def _inside(interval: Interval | None, margin: float) -> bool:
    """Whether the interval lies within the margin to either side; a missing one does not."""
    return interval is not None and -margin < interval[0] and interval[1] < margin


def _excludes_zero(interval: Interval, delta: float) -> bool:
    """Whether the interval lies wholly on the side of zero that the difference is on."""
    return interval[1] < 0 if delta < 0 else interval[0] > 0
