"""What the figures of a collaboration bench say, in words that terminal and page share."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.collab import ArmRow, CollabReport, LevelRow, PairedRow, UseRow

ARMS = {
    "random_policy": "any legal action, each as likely; no model",
    "llm_autonomous": "the LLM picks freely; an illegal action is counted, takes a step and changes nothing",
    "scripted_plus_jev": "code lists the legal actions, the decision model takes the likeliest; no LLM",
    "llm_plus_jev": "the LLM proposes a few, the decision model arbitrates; unsure, it has the LLM propose "
    "again, and stops rather than guess",
    "llm_plus_reflex": "the LLM acts; the decision model may veto the action or call it a loop, and the LLM "
    "acts again",
    "llm_plus_review": "the LLM acts; the decision model reviews in stages, and every stage must pass",
}
"""What each arm is, in a line."""
NO_DECISION = "no decision model"

LIMITS = (
    (
        "One task.",
        "What an arm achieves here says how it does on this task, told in these words, and not on another.",
    ),
    (
        "Levels are not pooled.",
        "A rate over several levels is the mix of levels that was chosen. Each is tested by itself, "
        "corrected over all of them.",
    ),
    (
        "The decision model is no peer.",
        "It makes one typed judgment on the state that it is shown, and stops. It plans nothing and "
        "remembers nothing.",
    ),
    (
        "Not significant is not equal.",
        "With few episodes that differ hardly anything can be shown; jevbias collab plan says how many "
        "episodes a difference needs.",
    ),
    (
        "A confidence is not a probability of being right.",
        "It is the probability that the decision model gave to what it chose. Whether 0.6 of it is worth "
        "acting on is what the threshold assumes and the success rates test.",
    ),
)


def what_was_benched(report: CollabReport) -> str:
    """The task, the arms and the episodes, in a sentence."""
    run = report.run
    levels = figures.counted(len(run.levels), "level")
    return (
        f"{figures.counted(len(run.arms), 'arm')} on {printable(run.task)}: {levels}, "
        f"{figures.counted(run.episodes, 'episode')} each, the same ones for every arm."
    )


def outcomes(report: CollabReport) -> list[str]:
    """What came out, level by level: every significant difference between arms that use a model."""
    lines = []
    for level in report.levels:
        rows = [
            row
            for row in report.comparisons
            if row.level == level.level and "random_policy" not in (row.first, row.second)
        ]
        found = [row for row in rows if row.significant]
        name = printable(level.level)
        for row in found:
            ahead, behind = row.first, row.second
            if row.only_second > row.only_first:
                ahead, behind = behind, ahead
            lines.append(
                f"{name}: {printable(ahead)} succeeds more often than {printable(behind)} "
                f"({figures.points(abs(row.difference or 0.0))}; p over levels "
                f"{figures.p_value(row.p_levels)}; {printable(row.about)})."
            )
        if not found:
            flag = f" {FLAGS[level.flag]}" if level.flag is not None else ""
            stand_in = "" if report.run.llm_is_real else _about_stand_in(report, rows)
            lines.append(f"{name}: no difference between arms with a model is shown{stand_in}.{flag}")
    return lines


def facts(report: CollabReport) -> list[tuple[str, str]]:
    """Name and value of everything that a reader has to know about the run."""
    run, timing = report.run, report.timing
    price = run.llm_price
    pairs = [
        ("run", printable(run.name)),
        ("task", printable(run.task)),
        ("LLM", _llm(report)),
        ("decision model", printable(run.decision) if run.decision else NO_DECISION),
        ("confidence needed", figures.plain(run.threshold)),
        ("asked again in a step", f"{figures.count(run.escalations)} at most"),
        ("proposals", f"{figures.count(run.proposals)} at most"),
        ("episodes played", f"{figures.count(run.played)} of {figures.count(run.planned)}"),
        ("seed", str(run.seed)),
    ]
    if run.llm_is_real:
        said = (
            "not given" if price is None else f"{figures.money(price[0])} in, {figures.money(price[1])} out"
        )
        pairs.append(("LLM price, per million tokens", said))
    pairs.append(("began", figures.moment(timing.started_at)))
    if timing.sent_again:
        pairs.append(("calls sent again after an interruption", figures.count(timing.sent_again)))
    if timing.possibly_billed:
        pairs.append(("calls possibly billed without an answer", figures.count(timing.possibly_billed)))
    return pairs


def level_sentence(row: LevelRow) -> str:
    """How hard a level is, and whether it can say anything."""
    parts = []
    if row.optimal_steps is not None:
        parts.append(f"The shortest way takes {figures.short(row.optimal_steps)} steps on average.")
    if row.random_share is not None:
        between = f" ({figures.shares(row.random_interval)})" if row.random_interval else ""
        parts.append(f"Random actions succeed in {figures.share(row.random_share)} of games{between}.")
    if row.flag is not None:
        parts.append(FLAGS[row.flag])
    if row.doubt is not None:
        parts.append(f"Difficulty in doubt: {printable(row.doubt)}")
    return " ".join(parts)


FLAGS = {
    "floor": "Every arm fails every episode: this level says nothing about which is better.",
    "ceiling": "Every arm succeeds in every episode: this level says nothing about which is better.",
}


def rate_text(row: ArmRow) -> str:
    """`24 of 30`."""
    return f"{figures.count(row.successes)} of {figures.count(row.episodes)}"


def ends_text(row: ArmRow) -> str:
    """How the episodes that did not succeed ended."""
    ended = (
        (row.failures, "failed"),
        (row.out_of_steps, "out of steps"),
        (row.stopped, "stopped, unsure"),
        (row.broken, "broken off, not counted"),
    )
    return ", ".join(f"{figures.count(number)} {how}" for number, how in ended if number) or "-"


def checks_text(row: ArmRow) -> str:
    """What the decision model did to the LLM's answers."""
    done = (
        (row.escalations, "asked again"),
        (row.vetoes, "vetoed"),
        (row.loops, "called a loop"),
        (row.rejections, "rejected"),
        (row.unusable, "unusable judgments"),
    )
    return ", ".join(f"{figures.count(number)} {what}" for number, what in done if number) or "-"


def illegal_text(row: ArmRow) -> str:
    """Illegal actions that were named, and how many of the answers could not be read."""
    unread = ""
    if row.unreadable:
        how_many = "all" if row.unreadable == row.illegal else f"{figures.count(row.unreadable)} of them"
        unread = f", {how_many} unreadable"
    return f"{figures.count(row.illegal)}{unread}"


def pair_text(row: PairedRow) -> str:
    """`7 to 1 of 30`: the episodes in which just one of the two succeeds."""
    first, second, episodes = map(figures.count, (row.only_first, row.only_second, row.episodes))
    return f"{first} to {second} of {episodes}"


def tokens_text(row: UseRow) -> str:
    """Tokens in and out."""
    return f"{figures.count(row.input_tokens)} in, {figures.count(row.output_tokens)} out"


def _about_stand_in(report: CollabReport, rows: Sequence[PairedRow]) -> str:
    """In brackets, what the rows with a stand-in for an LLM say that they are about."""
    name = report.run.llm or ""
    about = next((row.about for row in rows if name and row.about.startswith(f"{name}:")), None)
    return "" if about is None else f" ({printable(about)})"


def _llm(report: CollabReport) -> str:
    run = report.run
    if run.llm is None:
        return "none"
    return printable(run.llm) if run.llm_is_real else f"{printable(run.llm)}, a stand-in: about no real model"
