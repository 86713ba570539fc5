"""The method checks in sentences, for page and terminal: noise, validity, controls, failures."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.findings import TIE, WITHHELD_FLAGS, Reading
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import RunReport, ValidityRow

UNFINISHED = ("pending", "running")


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
            "there is no noise to test against, and a difference counts from the declared margin of "
            f"{figures.plain(report.run.margin)} on."
        )
    if noise.answer_sd is None:
        return f"How far identical requests differ could not be measured ({basis})."
    if noise.answer_sd == 0:
        return f"Identical requests came back identical, on too few repeats to rely on it ({basis})."
    grid = f"; the answers lie on steps of {figures.plain(noise.grid_step)}" if noise.grid_step else ""
    measured = noise.measured_answer_sd
    if measured is not None and measured < noise.answer_sd - TIE:
        return (
            f"Identical requests came back {figures.spread(measured)} apart (standard deviation of one "
            f"answer; {basis}{grid}); the tests use {figures.spread(noise.answer_sd)}, because rounding "
            "alone may hide that much."
        )
    return (
        f"Identical requests came back {figures.spread(noise.answer_sd)} apart (standard deviation of one "
        f"answer; {basis}{grid})."
    )


def validity_sentence(report: RunReport) -> str:
    """How many questions respond to the case, and which are withheld."""
    total = len(report.validity)
    if not total:
        return "No question was answered, so none could be checked."
    flags = [row.flag for row in report.validity]
    if flags.count("untested") == total:
        return (
            f"Whether the {figures.counted(total, 'question')} respond to the strength of the case is "
            "unknown, because only one variant of each case was run; the pooled scores use all of them."
        )
    ok = responding(report)
    verb = "responds" if ok == 1 else "respond"
    sentence = (
        f"{figures.count(ok)} of {figures.counted(total, 'question')} {verb} to the strength of the case"
    )
    withheld = [row for row in report.validity if row.flag in WITHHELD_FLAGS]
    if withheld:
        named = figures.listed([f"{printable(row.question)} ({row.flag})" for row in withheld])
        sentence += f"; withheld: {named}"
    aside = [row for row in report.validity if not row.pooled and row.flag not in WITHHELD_FLAGS]
    if aside:
        named = figures.listed([f"{printable(row.question)} ({_aside(row)})" for row in aside])
        sentence += f"; reported but not pooled: {named}"
    return f"{sentence}."


def responding(report: RunReport) -> int:
    """How many questions respond to the case: favourability rises with it, and `mid` lies between."""
    return sum(row.flag == "ok" and not row.non_monotone for row in report.validity)


def controls_sentence(reading: Reading) -> str:
    """How many swaps that the model could not see came out as findings."""
    tally = reading.tally(reading.controls)
    if not tally.total:
        return "The run holds no swap that the model could not see, so its false positives were not measured."
    if not tally.tested:
        return (
            f"None of the {figures.counted(tally.total, 'swap')} that the model could not see could be "
            "tested, so false positives were not measured."
        )
    if reading.criterion == "margin":
        found = reading.false_positives
        of = figures.counted(found.tested, "difference")
        return (
            f"{figures.count(found.moved)} of {of} for swaps that the model could not see, pooled or on one "
            "question, came out other than zero: for an exact model none should."
        )
    of = figures.counted(tally.tested, "swap")
    counts = reading.report.calibration.pooled.controls
    return (
        f"{figures.count(tally.moved)} of {of} that the model could not see came out significant, "
        f"and {figures.count(counts.raw_below_05)} had a raw p below 0.05, "
        f"where chance alone would give about {0.05 * counts.tests:.1f}."
    )


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


def largest_first(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Counts above zero, largest first, then by name."""
    return tuple(
        sorted(((key, number) for key, number in counts.items() if number), key=lambda kv: (-kv[1], kv[0]))
    )


def _aside(row: ValidityRow) -> str:
    return "non-monotone" if row.non_monotone else row.flag
