"""The report of a battery: a pure function of the stored scores and the run's seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Engine

from jevbias.battery.effects import axis_effect
from jevbias.battery.near_duplicates import near_duplicates
from jevbias.battery.noise import pooled_noise
from jevbias.battery.pairs import SIDES
from jevbias.battery.scores import KIND, SETTING, Scores, load_scores
from jevbias.battery.wording import control_outcome, is_shown, reading
from jevbias.report.battery import (
    AxisEffect,
    BatteryReport,
    BatteryRun,
    LostPair,
    NearDuplicatePair,
)
from jevbias.report.rounding import round_figure
from jevbias.report.times import iso_time
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.store.progress import RunProgress, run_progress
from jevbias.store.runs import find_run
from jevbias.store.tables import Run

MOST_NEAR_KEPT = 500
"""Near-duplicates that a report lists; it says how many more there are."""


def report_battery(engine: Engine, name: str | None) -> BatteryReport:
    """The report of the battery of this name, or of the newest one; it may be half done.

    Raises UsageError where there is none, or the run is of another kind.
    """
    run = find_run(engine, name, KIND)
    scores = load_scores(engine, run)
    return make_report(scores, _run_info(run, run_progress(engine, run.id or 0), scores))


def make_report(scores: Scores, run: BatteryRun) -> BatteryReport:
    """Everything that a battery says."""
    near = near_duplicates(scores.pairs)
    noise = pooled_noise(scores.values.values())
    axes = [axis_effect(scores, axis, near, noise, run.seed) for axis in scores.pairs.by_axis]
    adjusted = _with_q(axes, run.alpha)
    strongest = _strongest(adjusted)
    return BatteryReport(
        strongest_axis=strongest.axis if strongest else None,
        max_abs_effect_size=abs(strongest.d) if strongest and strongest.d is not None else None,
        run=run,
        noise=noise.in_report,
        scores_sd=_spread(scores),
        controls=[outcome for axis in adjusted if (outcome := control_outcome(axis)) is not None],
        per_axis={axis.axis: axis for axis in adjusted},
        near_duplicates_left=max(len(near) - MOST_NEAR_KEPT, 0),
        near_duplicates=[
            NearDuplicatePair(
                first=found.first,
                second=found.second,
                what=found.what,
                similarity=found.similarity,
                same_axis=found.same_axis,
                clones=found.clones,
            )
            for found in near.most_alike(MOST_NEAR_KEPT)
        ],
        lost=_lost(scores),
        notes=_notes(scores, adjusted, strongest),
    )


def _with_q(axes: Sequence[AxisEffect], alpha: float) -> list[AxisEffect]:
    """Features are adjusted over each other; a control is a question of its own, so its q is its p."""
    p = np.array([np.nan if axis.p is None else axis.p for axis in axes], dtype=np.float64)
    feature = np.array([axis.control is None for axis in axes], dtype=np.bool_)
    q = p.copy()
    q[feature] = benjamini_hochberg(p[feature])
    return [_judged(axis, own, alpha) for axis, own in zip(axes, q.tolist(), strict=True)]


def _judged(axis: AxisEffect, q: float, alpha: float) -> AxisEffect:
    known = None if np.isnan(q) else round_figure(q)
    judged = axis.model_copy(update={"q": known, "significant": q < alpha})
    judged = judged.model_copy(update={"shown": is_shown(judged)})
    return judged.model_copy(update={"reading": reading(judged)})


def _spread(scores: Scores) -> float | None:
    """The SD of all replies' scores (divisor n - 1), each the mean of its repeats."""
    means = np.array([float(np.mean(own)) for own in scores.values.values()], dtype=np.float64)
    unit = float(np.abs(means).max(initial=0.0)) or 1.0
    return float((means / unit).std(ddof=1)) * unit if len(means) > 1 else None


def _strongest(axes: Sequence[AxisEffect]) -> AxisEffect | None:
    known = [axis for axis in axes if axis.d is not None and axis.control is None]
    sure = [axis for axis in known if axis.d_interval is not None]
    return max(sure or known, key=lambda axis: abs(axis.d or 0.0), default=None)


def _lost(scores: Scores) -> list[LostPair]:
    return [
        LostPair(pair=pair.id, side=side, reason=scores.without[pair.id, side])
        for pair in scores.pairs.pairs
        for side in SIDES
        if (pair.id, side) in scores.without
    ]


def _notes(scores: Scores, axes: Sequence[AxisEffect], strongest: AxisEffect | None) -> list[str]:
    notes = []
    if scores.unfinished:
        notes.append(
            f"the run is not through: {scores.unfinished:,} of {scores.planned:,} calls have no answer yet"
        )
    if scores.repeats_lost:
        notes.append(
            f"repeats without a score: {scores.repeats_lost:,}; their replies are scored by the others alone"
        )
    if strongest is None:
        notes.append("no axis has an effect size, so none is the strongest; each axis says why")
    elif strongest.d_interval is None:
        notes.append("no axis has an interval of d: the strongest may be strongest by chance")
    absent = [kind for kind in ("positive", "negative") if all(axis.control != kind for axis in axes)]
    if absent:
        notes.append(
            f"the set has no {' and no '.join(absent)} control: whether the scorer judges replies, or "
            "what a meaningless edit does to it, was not looked at"
        )
    values = {value for own in scores.values.values() for value in own}
    if len(values) == 1:
        every = "every score"
        if scores.without:
            every += f" that there is ({len(scores.values):,} replies)"
        notes.append(f"{every} is {next(iter(values)):.6g}: the scorer does not tell replies apart")
    if len(scores.models_answered) > 1:
        notes.append(f"several models answered: {', '.join(scores.models_answered)}")
    return notes


def _run_info(run: Run, progress: RunProgress, scores: Scores) -> BatteryRun:
    said: Mapping[str, object] = run.settings.get(SETTING, {})
    asked = said.get("asked", True)
    return BatteryRun(
        name=run.name,
        driver=run.driver,
        model=run.model,
        models_answered=list(scores.models_answered),
        scorer=str(said.get("scorer", "")),
        question=str(scores.question["instructions"]) if asked else None,
        seed=run.seed,
        alpha=run.alpha,
        pairs_source=scores.pairs.source,
        pairs_hash=scores.pairs.hash,
        plan_hash=run.plan_hash,
        calls=scores.planned,
        answered=scores.answered,
        input_tokens=progress.input_tokens,
        output_tokens=progress.output_tokens,
        cost=progress.cost,
        started_at=iso_time(run.started_at),
        finished_at=iso_time(run.finished_at),
        jevbias_version=run.jevbias_version,
    )
