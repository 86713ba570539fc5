"""Two batteries side by side, from their reports alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from jevbias.battery.wording import WHISPER
from jevbias.report.base import Interval
from jevbias.report.batteries_compared import (
    Agreement,
    AxisSide,
    ComparedAxis,
    ComparedBatteries,
    ComparedSide,
)
from jevbias.report.battery import AxisEffect, BatteryReport
from jevbias.stats.effect_size import FamilyMoments, paired_difference

REPEATS_ALIKE = 1.2
"""How many times as often one run may score a reply for its d to be held against the other's."""
NOISE_ALIKE = 0.1
"""How far the shares of noise in the variance of a difference may lie apart before that is said."""


def compare_batteries(first: BatteryReport, second: BatteryReport) -> ComparedBatteries:
    """Compare the second with the first on every axis that both have."""
    common = [name for name in first.per_axis if name in second.per_axis]
    unlike = {name for name in common if not _same_pairs(first, second, name)}
    same_pairs = bool(common) and not unlike
    both = [(first.per_axis[name], second.per_axis[name]) for name in common]
    noisy = {one.axis for one, other in both if not _as_often(one, other)}
    weakness = _no_warning(first, second)
    axes = [
        _compared(
            one, other, same_pairs=one.axis not in unlike, as_often=one.axis not in noisy, weakness=weakness
        )
        for one, other in both
    ]
    leanings = [axis for axis in axes if axis.control is None]
    return ComparedBatteries(
        first=_side(first),
        second=_side(second),
        same_pairs=same_pairs,
        same_question=first.run.question == second.run.question,
        axes=axes,
        shared=(shared := [axis.axis for axis in leanings if axis.agreement == "shared"]),
        shared_says=_shared_says(shared, weakness),
        opposite=[axis.axis for axis in leanings if axis.agreement == "opposite"],
        notes=_notes(first, second, unlike=unlike, noisy=noisy),
    )


def _side(report: BatteryReport) -> ComparedSide:
    run = report.run
    return ComparedSide(
        name=run.name,
        driver=run.driver,
        model=run.model,
        scorer=run.scorer,
        pairs_hash=run.pairs_hash,
        jevbias_version=run.jevbias_version,
    )


def _same_pairs(first: BatteryReport, second: BatteryReport, axis: str) -> bool:
    return first.per_axis[axis].pairs_hash == second.per_axis[axis].pairs_hash


def _as_often(first: AxisEffect, second: AxisEffect) -> bool:
    """Whether d means the same on both: each reply scored about as often, or scores without noise."""
    exact = first.noise_sd == 0 and second.noise_sd == 0
    if exact or first.repeats is None or second.repeats is None:
        return True
    return max(first.repeats, second.repeats) <= REPEATS_ALIKE * min(first.repeats, second.repeats)


def _no_warning(first: BatteryReport, second: BatteryReport) -> str | None:
    """Why what both pay for is no stronger warning than one of them alone; None where it is."""
    if first.run.plan_hash == second.run.plan_hash and first.per_axis == second.per_axis:
        return "both sides are the same scores, so the second adds nothing"
    if first.run.question != second.run.question:
        return "the runs asked different questions, so it warns no more than one of them"
    for report in (first, second):
        positive = [outcome for outcome in report.controls if outcome.control == "positive"]
        if not positive or any(outcome.as_it_must for outcome in positive):
            break
    else:
        return "neither passes its positive control, so neither judges replies, and it warns of no judge"
    return None


def _shared_says(shared: Sequence[str], weakness: str | None) -> str | None:
    if not shared:
        return None
    return weakness or (
        "a stronger warning than one model alone, since a second judge of this kind would not catch the first"
    )


def _compared(
    first: AxisEffect, second: AxisEffect, *, same_pairs: bool, as_often: bool, weakness: str | None
) -> ComparedAxis:
    agreement = _agreement(first, second)
    differ = first.d is not None and second.d is not None and first.d * second.d < 0
    difference, bounds = _difference(first, second) if same_pairs and as_often else (None, None)
    if not same_pairs:
        weakness = weakness or "the runs scored different pairs of this axis"
    return ComparedAxis(
        axis=first.axis,
        same_pairs=same_pairs,
        control=first.control,
        first=_axis_side(first),
        second=_axis_side(second),
        agreement=agreement,
        signs_differ=differ,
        difference=difference,
        difference_interval=bounds,
        says=_says(first, agreement, weakness, differ=differ and _audible(first) and _audible(second)),
    )


def _axis_side(axis: AxisEffect) -> AxisSide:
    return AxisSide(
        d=axis.d,
        d_interval=axis.d_interval,
        q=axis.q,
        families=axis.families,
        repeats=axis.repeats,
        noise_sd=axis.noise_sd,
        sd=axis.sd,
        d_without_noise=axis.d_without_noise,
        reading=axis.reading,
    )


def _agreement(first: AxisEffect, second: AxisEffect) -> Agreement:
    if any(axis.d_interval is None and not axis.shown for axis in (first, second)):
        return "unknown"
    signs = [_shown_sign(first), _shown_sign(second)]
    if all(signs):
        return "shared" if signs[0] == signs[1] else "opposite"
    if signs[0]:
        return "only the first"
    return "only the second" if signs[1] else "neither"


def _audible(axis: AxisEffect) -> bool:
    return axis.d is not None and abs(axis.d) >= WHISPER


def _shown_sign(axis: AxisEffect) -> int:
    if not axis.shown or axis.mean is None:
        return 0
    return 1 if axis.mean > 0 else -1


def _says(axis: AxisEffect, agreement: Agreement, weakness: str | None, *, differ: bool) -> str:
    if axis.control is not None:
        return f"the {axis.control} control"
    says = {
        "shared": "both lean the same way: "
        + (
            weakness
            or "a stronger warning than one model alone, since a judge of this kind would not catch the other"
        ),
        "opposite": "opposite signs, both shown: what one pays for the other charges for",
        "only the first": "shown on the first alone",
        "only the second": "shown on the second alone",
        "neither": "not told from none on either",
        "unknown": "no interval on one side at least",
    }[agreement]
    return f"{says}; the estimates have opposite signs" if differ and agreement != "opposite" else says


def _difference(first: AxisEffect, second: AxisEffect) -> tuple[float | None, Interval | None]:
    """d of the second less that of the first, over the families that both have."""
    if first.d is None or second.d is None:
        return None, None
    own = {family.family: family for family in first.by_family}
    both = [family for family in second.by_family if family.family in own]
    if len(both) < 2:
        return None, None
    moments = [
        FamilyMoments(
            np.array([family.mean for family in families], dtype=np.float64),
            np.array([family.mean_square for family in families], dtype=np.float64),
        )
        for families in ([own[family.family] for family in both], both)
    ]
    difference, low, high = paired_difference(moments[0], moments[1])
    if math.isnan(difference):
        return None, None
    return difference, None if math.isnan(low) or math.isnan(high) else (low, high)


def _notes(first: BatteryReport, second: BatteryReport, *, unlike: set[str], noisy: set[str]) -> list[str]:
    notes = []
    common = [name for name in first.per_axis if name in second.per_axis]
    if not common:
        notes.append("the runs have no axis in common, so nothing is compared")
    if unlike:
        which = "" if len(unlike) == len(common) else f" on {', '.join(sorted(unlike))}"
        notes.append(
            f"the runs scored different pairs{which}: effects stand side by side, and no difference of them "
            "is taken"
        )
    if noisy:
        told = "; ".join(
            f"{report.run.name} scored each reply {_times(report, noisy)} times" for report in (first, second)
        )
        notes.append(
            f"NOT LIKE WITH LIKE on {', '.join(sorted(noisy))}: {told}. Noise is part of the SD that d is "
            "measured in, so more repeats make d larger: no difference is taken"
        )
    unsteady = [
        name
        for name in common
        if name not in noisy and _noise_shares_differ(first.per_axis[name], second.per_axis[name])
    ]
    if unsteady:
        notes.append(
            f"scores are noisier on one side on {', '.join(unsteady)}: part of the difference of d is noise; "
            "d without noise stands beside it in the JSON"
        )
    if first.run.question != second.run.question:
        notes.append("the runs asked different questions, or one of them none")
    for one, other in ((first, second), (second, first)):
        only = [axis for axis in one.per_axis if axis not in other.per_axis]
        if only:
            notes.append(f"only {one.run.name} has {', '.join(only)}")
    for report in (first, second):
        wrong = [outcome.says for outcome in report.controls if outcome.as_it_must is False]
        notes.extend(f"{report.run.name}: {says}" for says in wrong)
    return notes


def _times(report: BatteryReport, axes: Collection[str]) -> str:
    known = sorted({round(report.per_axis[axis].repeats or 0.0, 1) for axis in axes})
    return f"{known[0]:g}" if len(known) == 1 else f"{known[0]:g} to {known[-1]:g}"


def _noise_shares_differ(first: AxisEffect, second: AxisEffect) -> bool:
    shares = [
        (axis.noise_sd / axis.sd) ** 2 for axis in (first, second) if axis.noise_sd is not None and axis.sd
    ]
    return len(shares) == 2 and abs(shares[0] - shares[1]) > NOISE_ALIKE
