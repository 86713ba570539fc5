"""Two batteries side by side, from their reports alone."""

from __future__ import annotations

import math

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


def compare_batteries(first: BatteryReport, second: BatteryReport) -> ComparedBatteries:
    """Compare the second with the first on every axis that both have."""
    same_pairs = first.run.pairs_hash == second.run.pairs_hash
    axes = [
        _compared(axis, second.per_axis[name], same_pairs=same_pairs)
        for name, axis in first.per_axis.items()
        if name in second.per_axis
    ]
    leanings = [axis for axis in axes if axis.control is None]
    return ComparedBatteries(
        first=_side(first),
        second=_side(second),
        same_pairs=same_pairs,
        same_question=first.run.question == second.run.question,
        axes=axes,
        shared=[axis.axis for axis in leanings if axis.agreement == "shared"],
        opposite=[axis.axis for axis in leanings if axis.agreement == "opposite"],
        notes=_notes(first, second, same_pairs=same_pairs),
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


def _compared(first: AxisEffect, second: AxisEffect, *, same_pairs: bool) -> ComparedAxis:
    agreement = _agreement(first, second)
    differ = first.d is not None and second.d is not None and first.d * second.d < 0
    difference, bounds = _difference(first, second) if same_pairs else (None, None)
    return ComparedAxis(
        axis=first.axis,
        control=first.control,
        first=_axis_side(first),
        second=_axis_side(second),
        agreement=agreement,
        signs_differ=differ,
        difference=difference,
        difference_interval=bounds,
        says=_says(first, agreement, differ=differ and _audible(first) and _audible(second)),
    )


def _axis_side(axis: AxisEffect) -> AxisSide:
    return AxisSide(
        d=axis.d, d_interval=axis.d_interval, q=axis.q, families=axis.families, reading=axis.reading
    )


def _agreement(first: AxisEffect, second: AxisEffect) -> Agreement:
    if first.d_interval is None or second.d_interval is None:
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
    if not axis.shown or axis.d is None:
        return 0
    return 1 if axis.d > 0 else -1


def _says(axis: AxisEffect, agreement: Agreement, *, differ: bool) -> str:
    if axis.control is not None:
        return f"the {axis.control} control"
    says = {
        "shared": "both lean the same way: a stronger warning than one model alone, since a judge of this "
        "kind would not catch the other",
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


def _notes(first: BatteryReport, second: BatteryReport, *, same_pairs: bool) -> list[str]:
    notes = []
    if not same_pairs:
        notes.append(
            "the runs scored different pairs: effects stand side by side, and no difference of them is taken"
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
