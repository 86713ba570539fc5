"""Failures are data: what has no answer, and whether that happened to one group more often than another."""

from __future__ import annotations

from collections.abc import Sequence

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
    """Whether one group's swaps failed more often than their anchors; empty where nothing failed.

    Placebos are outside the family that is corrected, so they are not counted.
    """
    if not report.failures.by_level:
        return ""
    alpha = report.run.alpha
    rows = [row for row in report.failures.by_level if row.q is not None]
    if not rows:
        return (
            "Whether swaps and their anchors went without a usable answer equally often could not be tested."
        )
    found = sum(row.significant for row in rows)
    tested = figures.counted(len(rows), "swap")
    if found:
        said = (
            f"{figures.count(found)} of {tested} went without a usable answer at another rate than their "
            "anchors, which is a finding of its own."
        )
    else:
        said = (
            "No difference is shown between how often swaps and their anchors went without a usable answer "
            f"(exact test, {tested}, none with q below {figures.plain(alpha)}), which does not mean that "
            f"there is none.{_largest_gap(rows)}"
        )
    return f"{said}{_too_few_pairs(rows, alpha)}"


def _largest_gap(rows: Sequence[FailureRow]) -> str:
    row = min(rows, key=lambda row: (-_gap(row), row.q or 0.0, row.id))
    return f" The largest gap is {level_line(row)}." if _gap(row) > 0 else ""


def _gap(row: FailureRow) -> float:
    """How far apart the rates of a level's swaps and of their anchors lie."""
    if not row.probes or not row.anchor_probes:
        return 0.0
    return abs(row.unusable / row.probes - row.anchor_unusable / row.anchor_probes)


def _too_few_pairs(rows: Sequence[FailureRow], alpha: float) -> str:
    """Which of the exact tests could not have shown anything: McNemar's p is 2 / 2^pairs at the least."""
    barred = [row.pairs for row in rows if _smallest_p(row.pairs) >= alpha]
    if not barred:
        return ""
    most = max(barred)
    some = f"{figures.count(len(barred))} of them {'has' if len(barred) == 1 else 'have'}"
    whose = "The swaps have" if len(barred) == len(rows) else some
    return (
        f" {whose} too few pairs for any p below {figures.plain(alpha)}: {figures.counted(most, 'pair')} at "
        f"most, which cannot give one below {figures.p_value(_smallest_p(most))}."
    )


def _smallest_p(pairs: int) -> float:
    return min(1.0, 2.0 ** (1 - pairs))


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
