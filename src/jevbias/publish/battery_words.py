"""Sentences about a battery that the terminal and the page share."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.base import Interval
from jevbias.report.battery import AxisEffect, BatteryReport, NearDuplicatePair

MOST_NEAR, MOST_LOST = 10, 10


def measured_sentence(report: BatteryReport) -> str:
    """What was scored, by whom."""
    run = report.run
    pairs = sum(axis.pairs + axis.pairs_lost for axis in report.per_axis.values())
    model = printable(", ".join(run.models_answered) or run.model)
    axes = figures.counted(len(report.per_axis), "axis", "axes")
    asked = f", asked “{printable(run.question)}”" if run.question else ""
    return (
        f"{figures.counted(pairs, 'matched pair')} on {axes} ({printable(run.pairs_source)} set), scored by "
        f"{model}{asked}."
    )


def strongest_sentence(report: BatteryReport) -> str:
    """The axis that the scores follow most."""
    axis = report.per_axis.get(report.strongest_axis or "")
    if axis is None:
        return "No axis has an effect size."
    return (
        f"Strongest axis: {printable(axis.axis)}, d {figures.delta(axis.d, 2)}{_bounds(axis.d_interval)}, "
        f"{axis.reading}."
    )


def trust_sentence(report: BatteryReport) -> str:
    """How far to go with it."""
    said = report.correlation_says
    return f"{report.trust}: {report.trust_says}. {said[0].upper()}{said[1:]}."


def noise_sentence(report: BatteryReport) -> str:
    """How far repeats differ."""
    noise = report.noise
    if noise.sd is None:
        return "No reply was scored twice, so how far repeats differ is unknown."
    replies = figures.counted(noise.cells, "reply", "replies")
    if noise.exact:
        return f"Repeats agree exactly on all {replies} scored more than once."
    return f"Repeats of one reply's score differ by SD {noise.sd:.4g} ({replies} scored more than once)."


def length_text(axis: AxisEffect) -> str:
    """The change in length: `+46.4 words, +223 characters`."""
    if axis.length is None:
        return figures.NOT_AVAILABLE
    return (
        f"{figures.delta(axis.length.words, 1)} words, {figures.delta(axis.length.characters, 0)} characters"
    )


def adjusted_text(axis: AxisEffect) -> str:
    """d without the change in length."""
    length = axis.length
    if length is None or length.d is None:
        return figures.NOT_AVAILABLE
    mark = " (beyond the data)" if length.extrapolated else ""
    return f"{figures.delta(length.d, 2)}{mark}"


def interval_text(bounds: Interval | None) -> str:
    """`+0.42 to +0.98`."""
    if bounds is None:
        return figures.NOT_AVAILABLE
    return f"{figures.delta(bounds[0], 2)} to {figures.delta(bounds[1], 2)}"


def score_text(value: float | None, *, signed: bool = False) -> str:
    """A figure in the scores' own units, which may be of any size: four decimals, or four significant digits
    where those would say nothing.
    """
    if value is None:
        return figures.NOT_AVAILABLE
    if value == 0 or 0.001 <= abs(value) < 1e6:
        return figures.delta(value) if signed else figures.spread(value)
    sign = figures.MINUS if value < 0 else "+" if signed else ""
    mantissa, _, power = f"{abs(value):.3e}".partition("e")
    return (
        f"{sign}{mantissa}e{int(power)}"
        if abs(value) < 1e-4 or abs(value) >= 1e6
        else f"{sign}{abs(value):.4g}"
    )


def score_interval(bounds: Interval | None) -> str:
    """Both ends of an interval in the scores' own units."""
    if bounds is None:
        return figures.NOT_AVAILABLE
    return f"{score_text(bounds[0], signed=True)} to {score_text(bounds[1], signed=True)}"


def steadiness_sentence(report: BatteryReport) -> str:
    """What d is not, and what to hold a mean against."""
    return f"{report.steadiness_says} ({score_text(report.scores_sd)} here)."


def near_sentence(near: NearDuplicatePair) -> str:
    """Two families that say nearly the same."""
    where = "" if near.same_axis else ", on two axes"
    return (
        f"{printable(near.first)} and {printable(near.second)}: {near.what}, "
        f"{figures.share(near.similarity)} alike{where}"
    )


def _bounds(bounds: Interval | None) -> str:
    return "" if bounds is None else f" ({interval_text(bounds)})"
