"""Failures are data: what has no answer, and whether that happened to one group more often than another."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.failures import FailureRow
from jevbias.report.run_report import RunReport

UNFINISHED = ("pending", "running")


def failures_sentence(report: RunReport) -> str:
    """What has no answer, and how much of the run that is."""
    run = report.run
    waiting = sum(report.failures.by_status.get(status, 0) for status in UNFINISHED)
    lost = run.calls - run.answered - waiting
    missing = sum(report.failures.missing_answers.values())
    if not lost and not missing and not waiting:
        return "Every call was answered, and every question of every call."
    parts = []
    if waiting:
        parts.append(f"{figures.counted(waiting, 'call')} of {figures.count(run.calls)} are not finished")
    if lost:
        of = figures.share(lost / run.calls) if run.calls else figures.NOT_AVAILABLE
        parts.append(
            f"{figures.counted(lost, 'call')} of {figures.count(run.calls)} ({of}) brought no usable answer"
        )
    if missing:
        parts.append(f"{figures.counted(missing, 'answer')} went missing from calls that were answered")
    kinds = [
        f"{printable(kind)} {figures.count(number)}"
        for kind, number in largest_first(report.failures.by_kind)
    ]
    return f"{figures.listed(parts)}{f' ({figures.listed(kinds)})' if kinds else ''}."


def levels_sentence(report: RunReport) -> str:
    """Whether one group's swaps failed more often than their anchors; empty where nothing failed."""
    rows = report.failures.by_level
    if not rows:
        return ""
    found = [row for row in rows if row.significant]
    tested = figures.counted(sum(row.p is not None for row in rows), "swap")
    if not found:
        return (
            f"No swap went without a usable answer at another rate than its anchor (exact test, {tested}, "
            f"none with q below {figures.plain(report.run.alpha)})."
        )
    return (
        f"{figures.count(len(found))} of {tested} went without a usable answer at another rate than their "
        "anchors, which is a finding of its own."
    )


def level_line(row: FailureRow) -> str:
    """One level's failures against its anchors', in words."""
    return (
        f"{printable(row.attribute)}={printable(row.level)} under {printable(row.condition)}: "
        f"{rate(row.unusable, row.probes)} of its calls, {rate(row.anchor_unusable, row.anchor_probes)} of "
        f"its anchors' (q {figures.p_value(row.q)})"
    )


def by_level(report: RunReport) -> list[FailureRow]:
    """The rows by level, the surest first."""
    return sorted(
        report.failures.by_level, key=lambda row: (row.q is None, row.q or 0.0, row.p or 0.0, row.id)
    )


def rate(part: int, whole: int) -> str:
    """A share of calls, n/a of none."""
    return figures.share(part / whole) if whole else figures.NOT_AVAILABLE


def largest_first(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Counts above zero, largest first, then by name."""
    return tuple(
        sorted(((key, number) for key, number in counts.items() if number), key=lambda kv: (-kv[1], kv[0]))
    )
