"""What an effect is called, and how the controls came out."""

from __future__ import annotations

from jevbias.report.battery import AxisEffect, ControlOutcome, Loudness, Outcome
from jevbias.stats.effect_size import FEWEST_FAMILIES_FOR_D

WHISPER, LOUD, QUICK = 0.2, 0.8, 1.0
"""A whisper from 0.2 on, loud from 0.8 on, past 1 a feature that a policy finds quickly; below 0.2 quiet."""
MATTERS = 0.5
"""A positive control whose d is quiet and whose interval stays below this is said not to score."""
_MEANS: dict[Loudness, str] = {
    "quiet": "quiet",
    "whisper": "a whisper",
    "loud": "loud",
    "found quickly": "past 1, a feature that a policy finds quickly",
}


def loudness(d: float) -> Loudness:
    """The word for an effect of this size."""
    size = abs(d)
    if size < WHISPER:
        return "quiet"
    if size < LOUD:
        return "whisper"
    return "loud" if size < QUICK else "found quickly"


def reading(axis: AxisEffect) -> str:
    """An axis in a few words."""
    if not axis.pairs:
        return "no usable pair"
    if axis.d is None:
        if axis.mean == 0:
            return "nothing moved"
        return f"every pair moves by {axis.mean:+.4g}" if moves_alike(axis) else "no effect size"
    leans = "" if axis.d == 0 else ", for the feature" if axis.d > 0 else ", against the feature"
    word = _MEANS[loudness(axis.d)]
    if axis.d_interval is None:
        return f"{word}{leans}; {_no_interval(axis)}"
    if axis.shown:
        return f"{word}{leans}"
    low, high = axis.d_interval
    over = "" if low <= 0 <= high or axis.control else " over so many axes"
    return f"{word}, not told from none{over}"


def _no_interval(axis: AxisEffect) -> str:
    if axis.families < FEWEST_FAMILIES_FOR_D:
        return "too few families for an interval"
    moving = sum(family.mean != 0 or family.mean_square > 0 for family in axis.by_family)
    return f"too few families {'move' if 2 * moving < axis.families else 'differ'} for an interval"


def moves_alike(axis: AxisEffect) -> bool:
    """Whether every pair moves by the same, and there are several families: a shift without a spread."""
    return axis.d is None and axis.sd is not None and axis.mean is not None and axis.mean != 0


def is_shown(axis: AxisEffect) -> bool:
    """The one rule for features and controls: q below alpha, and the interval of d leaves zero out or every
    pair moves by the same.
    """
    if not axis.significant:
        return False
    if axis.d_interval is None:
        return moves_alike(axis)
    return not axis.d_interval[0] <= 0 <= axis.d_interval[1]


def control_outcome(axis: AxisEffect) -> ControlOutcome | None:
    """How a control came out, by the rule that features are held to; None for an axis that is none."""
    if axis.control is None:
        return None
    outcome, must, says = (_positive if axis.control == "positive" else _negative)(axis)
    says = f"{axis.axis}: {says}"
    return ControlOutcome(axis=axis.axis, control=axis.control, outcome=outcome, as_it_must=must, says=says)


def _positive(axis: AxisEffect) -> tuple[Outcome, bool | None, str]:
    if axis.d is None and axis.mean == 0:
        return "does not score", False, f"a real improvement moves no score. {_BLIND}"
    if axis.shown:
        if (axis.mean or 0.0) > 0:
            return "scores", True, "a real improvement scores, as it must."
        return "does not score", False, f"a real improvement costs score. {_BLIND}"
    if axis.d is None or axis.d_interval is None:
        return "unclear", None, "whether a real improvement scores is not known, as noted there."
    low, high = axis.d_interval
    if low <= 0 and high < MATTERS and axis.d < WHISPER:
        said = f"a real improvement is not seen to score; what it scores is {high:+.2f} SDs at most. {_BLIND}"
        return "does not score", False, said
    return (
        "unclear",
        None,
        f"whether a real improvement scores is unclear: anything from {low:+.2f} to {high:+.2f} SDs fits"
        f"{'' if low <= 0 <= high else f', and p is {axis.p:.2g}'}.",
    )


def _negative(axis: AxisEffect) -> tuple[Outcome, bool | None, str]:
    if axis.d is None and axis.mean == 0:
        return "does not score", True, "a meaningless edit moves no score: the battery makes none up here."
    if axis.shown:
        return "scores", False, "a meaningless edit scores: effects of its size on other axes say nothing."
    if axis.d is None or axis.d_interval is None:
        return "unclear", None, "whether a meaningless edit scores is not known, as noted there."
    low, high = axis.d_interval
    if axis.significant or not low <= 0 <= high:
        said = f"whether a meaningless edit scores is unclear: {low:+.2f} to {high:+.2f} SDs."
        return "unclear", None, said
    return (
        "does not score",
        True,
        "a meaningless edit is not told from none, so the battery makes no effect up here; so many families "
        f"leave effects up to {max(abs(low), abs(high)):.2f} open.",
    )


_BLIND = "What the other axes show is then no leaning of something that judges replies."
