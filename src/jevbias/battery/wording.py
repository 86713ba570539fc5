"""What an effect is called, and how the controls came out."""

from __future__ import annotations

from jevbias.report.battery import AxisEffect, ControlOutcome, Loudness

WHISPER, LOUD, QUICK = 0.1, 0.5, 1.0
"""Where one word ends and the next begins: 0.2 is a whisper, 0.8 loud, past 1 a policy finds it quickly."""
MATTERS = 0.5
"""A positive control whose interval stays below this is said not to score."""
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
        return "nothing moved" if axis.mean == 0 else "no effect size"
    leans = "" if axis.d == 0 else ", for the feature" if axis.d > 0 else ", against the feature"
    word = _MEANS[loudness(axis.d)]
    if axis.d_interval is None:
        return f"{word}{leans}; too few families for an interval"
    if axis.shown:
        return f"{word}{leans}"
    low, high = axis.d_interval
    return f"{word}, not told from none{'' if low <= 0 <= high else ' over so many axes'}"


def control_outcome(axis: AxisEffect) -> ControlOutcome | None:
    """How a control came out; None for an axis that is none."""
    if axis.control is None:
        return None
    outcome, must, says = (_positive if axis.control == "positive" else _negative)(axis)
    return ControlOutcome(axis=axis.axis, control=axis.control, outcome=outcome, as_it_must=must, says=says)


def _positive(axis: AxisEffect) -> tuple[str, bool | None, str]:
    if axis.d is None and axis.mean == 0:
        return "does not score", False, f"{axis.axis}: a real improvement moves no score. {_BLIND}"
    if axis.d is None or axis.d_interval is None:
        return (
            "unclear",
            None,
            f"{axis.axis}: whether a real improvement scores is not known, as noted there.",
        )
    low, high = axis.d_interval
    if low > 0:
        return "scores", True, f"{axis.axis}: a real improvement scores, as it must."
    if high < MATTERS:
        how = "costs score" if high < 0 else "is not seen to score"
        return "does not score", False, f"{axis.axis}: a real improvement {how}. {_BLIND}"
    return (
        "unclear",
        None,
        f"{axis.axis}: whether a real improvement scores is unclear: zero and a large effect both lie inside "
        "the interval.",
    )


def _negative(axis: AxisEffect) -> tuple[str, bool | None, str]:
    if axis.d is None and axis.mean == 0:
        return "does not score", True, f"{axis.axis}: a meaningless edit moves no score, as it must."
    if axis.d is None or axis.d_interval is None:
        return (
            "unclear",
            None,
            f"{axis.axis}: whether a meaningless edit scores is not known, as noted there.",
        )
    low, high = axis.d_interval
    if low <= 0 <= high:
        reach = max(abs(low), abs(high))
        return (
            "does not score",
            True,
            f"{axis.axis}: a meaningless edit is not told from none, as it must be; so many families leave "
            f"effects up to {reach:.2f} open.",
        )
    return (
        "scores",
        False,
        f"{axis.axis}: a meaningless edit scores: effects of its size on other axes say nothing.",
    )


_BLIND = "What the other axes show is then no leaning of something that judges replies."
