"""The noise floor in sentences, and whether the null that is built on it may be believed."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.base import Interval
from jevbias.report.noise import ConditionRatio, Drift
from jevbias.report.run_report import RunReport

DRIFT_LEVEL = 0.05
MATTERING = 0.5
"""The share of the margin from which a drift is called one: a test at 5% alone cries one time in twenty."""


def noise_sentence(report: RunReport) -> str:
    """How far identical requests differ, in words."""
    noise = report.noise_floor
    basis = (
        f"{figures.counted(noise.cells, 'cell')} asked more than once, "
        f"{figures.counted(noise.degrees_of_freedom, 'degree')} of freedom"
    )
    if noise.exact:
        return (
            f"Every repeat of an identical request came back identical ({basis}): the model does not vary, "
            f"there is no noise to test against, and {_without_noise(report)}."
        )
    if noise.answer_sd is None:
        return f"How far identical requests differ could not be measured ({basis})."
    if noise.answer_sd == 0:
        return f"Identical requests came back identical, on too few repeats to rely on it ({basis})."
    grid = f"; the answers lie on steps of {figures.plain(noise.grid_step)}" if noise.grid_step else ""
    measured, used = figures.spread(noise.measured_answer_sd), figures.spread(noise.answer_sd)
    if noise.measured_answer_sd is not None and measured != used:
        return (
            f"Identical requests came back {measured} apart (standard deviation of one "
            f"answer; {basis}{grid}); the tests use {used}, because rounding "
            "alone may hide that much."
        )
    return f"Identical requests came back {used} apart (standard deviation of one answer; {basis}{grid})."


def noise_checks(report: RunReport) -> tuple[str, ...]:
    """Noise by condition, swaps' noise against anchors', drift and model shifts: those that were measured.

    Each is called by its 95% interval, which stands beside it. A model that does not vary has none of the
    first two.
    """
    return tuple(
        said for said in (_by_condition(report), _ratio(report), _drift(report), _models(report)) if said
    )


def drift_clause(report: RunReport) -> str:
    """Whether the model moved while it was asked, in half a sentence; empty where that was not measured."""
    drift = report.noise_floor.drift
    if drift is None or drift.total is None:
        return ""
    if not _has_drifted(drift):
        return "no drift is shown"
    return f"its answers drifted by {figures.delta(drift.total)}"


def _by_condition(report: RunReport) -> str:
    pools = report.noise_floor.by_condition
    known = {name: pool for name, pool in pools.items() if pool.sd is not None}
    if len(known) < 2 or report.noise_floor.exact:
        return ""
    said = [f"{figures.spread(pool.sd)} under {printable(name)}" for name, pool in known.items()]
    uneven = [_uneven(row) for row in report.noise_floor.condition_ratios if not _covers(row.interval, 1.0)]
    although = f", although {figures.listed(uneven)}" if uneven else ""
    return f"Noise of a call's mean is {figures.listed(said)}; the tests join the conditions{although}."


def _uneven(row: ConditionRatio) -> str:
    quiet, loud = (row.condition, row.against) if row.ratio < 1 else (row.against, row.condition)
    return (
        f"{printable(row.condition)} has {figures.ratio(row.ratio)} times the noise of "
        f"{printable(row.against)} (95% {figures.ratios(row.interval)}): p-values of noise are too large "
        f"under {printable(quiet)} and too small under {printable(loud)}"
    )


def _ratio(report: RunReport) -> str:
    noise = report.noise_floor.swapped_against_anchor
    if noise is None or noise.ratio is None or report.noise_floor.exact:
        return ""
    within = f"95% {figures.ratios(noise.interval)}, " if noise.interval is not None else ""
    cells = (
        f"{figures.counted(noise.swap_cells, 'swapped cell')} against "
        f"{figures.counted(noise.anchor_cells, 'anchor cell')} under {printable(noise.condition)}"
    )
    doubt = ""
    if noise.interval is not None and not _covers(noise.interval, 1.0):
        doubt = " The test assumes a ratio of 1, which is in doubt: " + (
            "its p-values are too small." if noise.ratio > 1 else "its p-values are too large."
        )
    return (
        f"A swapped person's answers vary {figures.ratio(noise.ratio)} times as much as an anchor's "
        f"({within}{cells}).{doubt}"
    )


def _drift(report: RunReport) -> str:
    drift = report.noise_floor.drift
    if drift is None or drift.total is None:
        return ""
    over = "the run" if drift.hours is None else figures.duration(3600 * drift.hours)
    within = f", 95% {figures.interval(drift.interval)}" if drift.interval is not None else ""
    p = f", p {figures.p_value(drift.p)}" if drift.p is not None else ""
    whose = "repeats" if report.run.design == "factorial" else "anchors' answers"
    margin, size = report.run.margin, abs(drift.total)
    against = f", {figures.ratio(size / margin)} times the margin" if margin > 0 else ""
    by = f"{figures.delta(drift.total)} over {over}{against}"
    basis = f"({whose}, {figures.counted(drift.repeats, 'repeat')}{within}{p})"
    if not _has_drifted(drift):
        return f"No drift is shown: {by} {basis}."
    if size < MATTERING * margin:
        return f"The answers may have drifted by {by}: too little to matter by that margin {basis}."
    shuffled = "Calls go out in a shuffled order, so that this widens the noise and favours nobody."
    if not _interval_shows(drift):
        return f"The answers may have drifted by {by} {basis}. {shuffled}"
    return f"The model drifted by {by} {basis}. {shuffled}"


def _has_drifted(drift: Drift) -> bool:
    return _interval_shows(drift) or (drift.p is not None and drift.p < DRIFT_LEVEL)


def _interval_shows(drift: Drift) -> bool:
    return drift.interval is not None and not _covers(drift.interval, 0.0)


def _models(report: RunReport) -> str:
    rows = report.noise_floor.models
    if len(rows) < 2:
        return ""
    said = []
    for row in rows:
        within = f", 95% {figures.interval(row.interval)}" if row.interval is not None else ""
        shift = (
            "no ask in common with the others"
            if row.shift is None
            else f"{figures.delta(row.shift)} against the others{within}"
        )
        said.append(f"{printable(row.model)} ({figures.counted(row.probes, 'call')}; {shift})")
    return f"{figures.counted(len(rows), 'model')} answered: {figures.listed(said)}."


def _without_noise(report: RunReport) -> str:
    """What stands in for the noise test of a model that does not vary."""
    if report.run.design == "factorial":
        return "contrasts keep the p of their permutations, because people differ"
    return f"a difference counts from the declared margin of {figures.plain(report.run.margin)} on"


def _covers(interval: Interval, value: float) -> bool:
    return interval[0] <= value <= interval[1]
