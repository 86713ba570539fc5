"""From the episodes of a run to its report."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from sqlalchemy import Engine

from jevbias.collab.about import about_arm, about_stand_in
from jevbias.collab.arm_rows import arm_row, made_calls, use_rows
from jevbias.collab.arms.choose import ARMS
from jevbias.collab.arms.llm_plus_reflex import REFLEX
from jevbias.collab.episode import EpisodeLog, read_log
from jevbias.collab.level_rows import FEWEST, level_rows
from jevbias.collab.mock_llm import MOCK_LLM
from jevbias.collab.paired_rows import paired_rows
from jevbias.collab.sent import Ledger, read_ledger
from jevbias.collab.setting import KIND, MOCK, BenchSetting, read_setting
from jevbias.report.collab import CollabReport, CollabRun, LatencyRow, Timing
from jevbias.report.times import iso_time
from jevbias.store.calls import CallCounts, count_calls, list_calls
from jevbias.store.connections import reading
from jevbias.store.episodes import list_episodes
from jevbias.store.runs import find_run
from jevbias.store.tables import Run

ALPHA = 0.05


def analyse_collab(engine: Engine, name: str | None) -> CollabReport:
    """The report of a run, from the store alone; the newest collaboration run where no name is given.

    Raises UsageError where there is none of this name and kind.
    """
    run = find_run(engine, name, KIND)
    with reading(engine) as connection:
        logs = [read_log(content) for content in list_episodes(connection, run.id or 0)]
        counts = count_calls(connection, run.id or 0)
        ledger = read_ledger(list_calls(connection, run.id or 0), logs)
    return report_of(run, read_setting(run), logs, ledger, counts)


def report_of(
    run: Run,
    setting: BenchSetting,
    logs: Sequence[EpisodeLog],
    ledger: Ledger | None = None,
    counts: CallCounts | None = None,
) -> CollabReport:
    """The report of these episodes, and of what was sent for them."""
    sent = ledger or Ledger()
    levels = setting.levels
    llm, decision = _llm(setting), _decision(run, setting)
    real = setting.llm is not None and setting.llm.is_real
    about = {arm: about_arm(arm, llm, decision, llm_is_real=real) for arm in setting.arms}
    grouped = {
        (arm, level): [log for log in logs if (log.arm, log.level) == (arm, level)]
        for arm in setting.arms
        for level in levels
    }
    arms = [arm_row(arm, level, about[arm], found) for (arm, level), found in grouped.items()]

    use = [
        row
        for (arm, level), found in grouped.items()
        for row in (use_rows(arm, level, about[arm], found, sent.of(arm, level)) if found else [])
    ]
    price = setting.llm.price if setting.llm is not None else None
    report = CollabReport(
        run=CollabRun(
            name=run.name,
            task=setting.task,
            arms=list(setting.arms),
            levels=list(levels),
            episodes=setting.episodes,
            played=len(logs),
            planned=setting.episodes * len(levels) * len(setting.arms),
            seed=run.seed,
            threshold=setting.threshold,
            escalations=setting.escalations,
            proposals=setting.proposals,
            llm=llm,
            llm_is_real=real,
            decision=decision,
            llm_price=price,
            alpha=ALPHA,
            plan_hash=run.plan_hash,
            jevbias_version=run.jevbias_version,
        ),
        levels=level_rows(
            levels, arms, {level: grouped.get(("random_policy", level), []) for level in levels}
        ),
        arms=arms,
        comparisons=paired_rows(grouped, setting.arms, levels, about, ALPHA),
        use=use,
        timing=Timing(
            started_at=iso_time(run.started_at),
            finished_at=iso_time(run.finished_at),
            latency=_latency(logs),
            sent_again=0 if counts is None else counts.sends - counts.done - counts.open,
            possibly_billed=0 if counts is None else counts.possibly_billed,
            unfinished_calls=sent.unfinished,
        ),
    )
    return report.model_copy(update={"notes": _notes(report, setting, logs, local=run.driver == "local")})


def _llm(setting: BenchSetting) -> str | None:
    if setting.llm is None:
        return None
    return MOCK_LLM if setting.llm.driver == MOCK else f"{setting.llm.model} ({setting.llm.driver})"


def _decision(run: Run, setting: BenchSetting) -> str | None:
    return f"{run.model} ({run.driver})" if setting.has_decision else None


def _latency(logs: Sequence[EpisodeLog]) -> list[LatencyRow]:
    took: dict[tuple[str, str], list[float]] = {}
    for call in made_calls(logs):
        if call["latency_ms"] is not None:
            took.setdefault((call["role"], call["model"] or "not named"), []).append(call["latency_ms"])
    return [
        LatencyRow(
            id=f"latency/{role}/{model}",
            role="llm" if role == "llm" else "decision",
            model=model,
            calls=len(values),
            mean=math.fsum(values) / len(values),
            median=float(np.median(values)),
            p95=float(np.quantile(values, 0.95)),
        )
        for (role, model), values in sorted(took.items())
    ]


def _notes(
    report: CollabReport, setting: BenchSetting, logs: Sequence[EpisodeLog], *, local: bool
) -> list[str]:
    """What could not be estimated, and what a reader has to know."""
    run, notes = report.run, []
    words = f" ({about_stand_in(run.llm)})" if run.llm is not None and not run.llm_is_real else ""
    if run.llm is not None and not run.llm_is_real:
        what = "a class that says of itself that it is no real model"
        if setting.llm is not None and setting.llm.driver == MOCK:
            what = "which looks up the best action and errs as it is told"
        notes.append(
            f"The LLM is a stand-in ({run.llm}), {what}: every figure of an arm with it is about no real "
            "model."
        )
    if run.played < run.planned:
        notes.append(
            f"{run.played:,} of {run.planned:,} episodes were played: arms are compared on those that both "
            "played."
        )
    broken = [log.why for log in logs if log.outcome == "broken"]
    if broken:
        number = "1 episode" if len(broken) == 1 else f"{len(broken):,} episodes"
        about = words if any(log.outcome == "broken" and ARMS[log.arm].uses_llm for log in logs) else ""
        notes.append(
            f"{number} broke off, and no such episode counts; the first because of {broken[0]}{about}."
        )
    if run.episodes < FEWEST:
        notes.append(f"Whether levels are as hard as declared is checked from {FEWEST} episodes of each on.")
    notes += [f"{note}{words}." for note in _reflex_notes(report, logs)]
    unpriced = sorted({row.role for row in report.use if row.cost is None})
    if not run.llm_is_real:
        unpriced = [role for role in unpriced if role != "llm"]
    if local:
        unpriced = [role for role in unpriced if role != "decision"]
    for role in unpriced:
        model = run.llm if role == "llm" else run.decision
        served = setting.llm is not None and setting.llm.is_served
        how = "; --llm-price IN,OUT gives it" if role == "llm" and served else ""
        notes.append(f"The cost of {model} is not known: no price was given and no reply named one{how}.")
    if len(setting.arms) > 2:
        pairs = len(setting.arms) * (len(setting.arms) - 1) // 2
        levels = len(setting.levels)
        notes.append(
            f"Significance is corrected over the {levels} levels of each pair of arms, not over the {pairs} "
            "pairs; p_all is corrected over both."
            if levels > 1
            else f"Significance is not corrected over the {pairs} pairs of arms; p_all is."
        )
    notes.append("Levels are never pooled: a rate over several levels is the mix of levels that was chosen.")
    return notes


def _reflex_notes(report: CollabReport, logs: Sequence[EpisodeLog]) -> list[str]:
    """Whether a reflex always said the same, so that it told nothing apart; without a full stop."""
    notes: list[str] = []
    for level in report.run.levels:
        mine = [log for log in logs if (log.arm, log.level) == ("llm_plus_reflex", level)]
        shown = sum(call["purpose"] == REFLEX for call in made_calls(mine))
        vetoed = sum(step["vetoes"] for log in mine for step in log.steps)
        if shown and vetoed == shown:
            notes.append(
                f"{level}: the reflex vetoed each of the {shown:,} actions it was shown: it told none apart"
            )
        elif shown and not vetoed and not sum(step["loops"] for log in mine for step in log.steps):
            notes.append(f"{level}: the reflex let each of the {shown:,} actions pass that it was shown")
    return notes
