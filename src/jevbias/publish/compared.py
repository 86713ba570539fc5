"""Two runs side by side in sentences: what they share, in what they agree, where they differ.

Nothing here calls a delta of one driver larger or smaller than one of another, nor draws a difference between
the two: they are not in one unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.publish.verdicts import MEANINGS
from jevbias.report.compared import ComparedPair, ComparedRow, ComparedRun, ComparedRuns, SignAgreement

FOUND = ("worse", "better", "these cases", "small")
OUTCOMES = {
    "differs": "The two runs differ: q is below alpha, the difference is not shown to lie inside the margin, "
    "and a pooled one is shown for other cases too (99% general interval; there is one only where the same "
    "pairs are compared).",
    "differs here": "q is below alpha: the runs differ on these cases, and it is not shown for others.",
    "differs little": "q is below alpha, and the difference is shown to lie inside the margin: real, and too "
    "small to matter (95% interval).",
    "alike": "The difference is shown to lie inside the margin (90% interval).",
    "unclear": "A difference is neither shown nor ruled out.",
    "not compared": "There is no difference that could be taken.",
}


def pair_sentence(pair: ComparedPair) -> str:
    """What the comparison of a run with the first rests on."""
    first, second = printable(pair.first), printable(pair.second)
    over = f"over {figures.counted(len(pair.questions), 'question')} that count in both"
    plan = "Both runs asked the same plan" if pair.same_plan else "The runs asked different plans"
    if pair.same_run:
        return f"{first} is compared with itself: every difference has to be zero."
    if pair.basis == "pairs":
        return f"{plan}: every pair of {second} stands beside the same pair of {first}, {over}."
    if pair.basis == "bases":
        return f"{plan}: {second} stands beside {first} base by base, {over}."
    if pair.basis == "other bases":
        return f"{plan} about the same cases: their bases are two sets, {over}."
    return f"{plan}: {second} stands beside {first}, and no difference is taken between them."


def pair_warnings(pair: ComparedPair) -> list[str]:
    """What to know before reading on: why nothing is subtracted, what differs besides the answers, notes."""
    said = [pair.why_none] if pair.why_none else []
    others = [row for row in pair.declared if row.what not in WHO_WAS_ASKED]
    if not pair.same_plan and others:
        named = "; ".join(f"{row.what} ({row.first} against {row.second})" for row in others)
        said.append(f"The runs differ in other things than their answers: {named}.")
    elif not pair.same_plan:
        said.append("The plans differ: these runs did not ask the same about the same people.")
    for ids, has, lacks in (
        (pair.only_first, pair.first, pair.second),
        (pair.only_second, pair.second, pair.first),
    ):
        if ids:
            swaps = figures.counted(len(ids), "pooled comparison")
            said.append(f"{swaps} of {has} left aside, because {lacks} has no such row.")
    return [printable(text) for text in (*said, *pair.notes)]


WHO_WAS_ASKED = ("driver", "model", "models that answered", "endpoint", "jevbias")
"""Differences that are what a comparison is about, and stand in the table of runs."""


def outcome_sentence(pair: ComparedPair) -> str:
    """How many swaps came out how; empty where no difference is taken."""
    if pair.basis == "none":
        return ""
    if pair.identical:
        return "Every difference between the two is zero."
    rows = [row for row in pair.rows if row.visible and row.question is None]
    tally = {name: sum(row.outcome == name for row in rows) for name in OUTCOMES}
    swaps = figures.counted(len(rows), "swap")
    within = figures.plain(pair.margin)
    # Only pairs speak for other cases: on any other basis no pooled difference could be `differs`.
    parts = [f"{figures.count(tally['differs'])} differ between the runs"] if pair.basis == "pairs" else []
    parts += [
        f"{figures.count(tally['differs here'])} differ on these cases (not shown for others)",
        f"{figures.count(tally['differs little'])} differ little (shown to lie within {within})",
        f"{figures.count(tally['alike'])} are alike (within {within})",
        f"{figures.count(tally['unclear'])} are unclear",
    ]
    if tally["not compared"]:
        parts.append(f"{figures.count(tally['not compared'])} could not be compared")
    test = "Welch's t" if pair.basis == "other bases" else "flipping the signs of whole bases"
    return (
        f"Of {swaps} that the model could see, {figures.listed(parts)}: by {test}, with q below "
        f"{figures.plain(pair.alpha)}."
    )


def power_sentence(pair: ComparedPair) -> str:
    """What the bases bar from being shown; empty where a single difference could come out, and where every
    swap is told.
    """
    if pair.identical or pair.lone_q is None or pair.lone_q < pair.alpha:
        return ""
    if not any(row.outcome == "unclear" for row in pair.rows if row.question is None):
        return ""
    bases = figures.counted(pair.bases, "base")
    tests = figures.count(pair.tests)
    return (
        f"With {bases} a single difference among {tests} cannot come out: its q would "
        f"be {figures.p_value(pair.lone_q)} at best. That none is shown does not say that there is none."
    )


def signs_sentence(signs: SignAgreement, *, on_questions: bool = False) -> str:
    """How often the two runs have a swap on the same side of zero."""
    if not signs.of:
        return ""
    swaps = (
        figures.counted(signs.of, "comparison on single questions", "comparisons on single questions")
        if on_questions
        else figures.counted(signs.of, "swap")
    )
    said = (
        f"Of {swaps} with a delta other than zero in both runs, "
        f"{figures.count(signs.agree)} ({figures.share(signs.agree / signs.of)}) have it on the same side of "
        "zero. By chance alone it is half of them on average; but swaps share their anchors, so they go "
        "together, and the share of any two runs can lie far from half."
    )
    if signs.of_moved:
        said += (
            f" {figures.count(signs.of_moved)} moved the answers of both, "
            f"{figures.count(signs.agree_moved)} of them on the same side."
        )
    return said


def verdict_lines(compared: ComparedRuns, *, on_questions: bool = False) -> list[tuple[str, list[str]]]:
    """Per verdict, how many visible comparisons of every run have it; those that no run has are left out."""
    counts = [run.question_verdicts if on_questions else run.verdicts for run in compared.runs]
    return [
        (name, [figures.count(here.get(name, 0)) for here in counts])
        for name in MEANINGS
        if any(here.get(name) for here in counts)
    ]


def noise_text(run: ComparedRun) -> str:
    """A run's noise floor: the SD of an answer and of a probe's mean."""
    if run.exact:
        return "exact: the model does not vary"
    if run.answer_sd is None:
        return figures.NOT_AVAILABLE
    return f"{figures.spread(run.answer_sd)} an answer, {figures.spread(run.probe_sd)} a probe's mean"


def controls_text(run: ComparedRun) -> str:
    """How many pooled swaps that the model could not see came out."""
    if not run.controls_tested:
        return "not measured"
    return f"{figures.count(run.controls_moved)} of {figures.count(run.controls_tested)}"


def side_text(row: ComparedRow, *, second: bool) -> str:
    """One run on one comparison: `−0.0500, −4.1 SDs of its noise, d −0.80: these cases`."""
    side = row.second if second else row.first
    parts = [figures.delta(side.delta), *own_units(row, second=second)]
    verdict = f": {side.verdict}" if side.verdict else ""
    return f"{', '.join(parts)}{verdict}"


def own_units(row: ComparedRow, *, second: bool) -> list[str]:
    """A delta in its own run's units: SDs of its noise, and Cohen's d."""
    side = row.second if second else row.first
    parts = []
    if side.in_noise is not None:
        parts.append(f"{figures.delta(side.in_noise, 1)} SDs of its noise")
    if side.cohens_d is not None:
        parts.append(f"d {figures.delta(side.cohens_d, 2)}")
    return parts


def sign_text(row: ComparedRow) -> str:
    """Whether both deltas are on one side of zero."""
    return {True: "same", False: "opposite", None: figures.NOT_AVAILABLE}[row.same_sign]


def difference_text(row: ComparedRow) -> str:
    """The difference with its interval, p and q; empty where none was taken."""
    if row.difference is None:
        return ""
    parts = [f"difference {figures.delta(row.difference)}"]
    if row.interval is not None:
        parts.append(f"95% {figures.interval(row.interval)}")
    parts.append(f"p {figures.p_value(row.p)}, q {figures.p_value(row.q)}")
    if row.ci_general is not None:
        parts.append(f"95% general {figures.interval(row.ci_general)}")
    return f"{'; '.join(parts)}; {figures.counted(row.bases, 'base')}"


def telling(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Visible rows that say something: the runs differ on them, or one of them moved its answers."""
    return [
        row
        for row in rows
        if row.visible
        and (
            row.outcome in ("differs", "differs here", "differs little")
            or row.first.verdict in FOUND
            or row.second.verdict in FOUND
        )
    ]
