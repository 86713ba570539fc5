"""What the figures of a collaboration bench say, in words that terminal and page share."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.collab import ArmRow, CollabReport, LevelRow, PairedRow, StopKind, UseRow

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
RANDOM = "random_policy"
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
    """What came out, level by level: every difference that is significant over all pairs of arms and levels,
    the arms that are not shown to do better than random actions, and those without any outcome.
    """
    lines = []
    for level in report.levels:
        compared = [row for row in report.comparisons if row.level == level.level]
        rows = [row for row in compared if RANDOM not in (row.first, row.second)]
        with_random = [row for row in compared if RANDOM in (row.first, row.second)]
        shown = [row for row in compared if row.p_all is not None and row.p_all < report.run.alpha]
        found = [row for row in rows if row in shown]
        name = printable(level.level)
        if not any(row.episodes for row in compared):
            lines.append(f"{name}: nothing can be said yet: no episode has an outcome in two arms.")
        for row in [*found, *(row for row in with_random if row in shown)]:
            ahead, behind = _ahead_and_behind(row)
            if behind == RANDOM:
                continue
            how = "random actions succeed" if ahead == RANDOM else f"{printable(ahead)} succeeds"
            lines.append(
                f"{name}: {how} more often than {printable(behind)} "
                f"({figures.points(abs(row.difference or 0.0))}; p over all pairs of arms and levels "
                f"{figures.p_value(row.p_all)}; {printable(row.about)})."
            )
        for row in with_random:
            if row.p_all is not None and row not in shown:
                arm = row.second if row.first == RANDOM else row.first
                lines.append(
                    f"{name}: {printable(arm)} is not shown to do better than random actions "
                    f"({printable(row.about)})."
                )
        for arm_row in report.arms:
            if arm_row.level == level.level:
                lines += [
                    f"{name}: {printable(arm_row.arm)} {what} ({printable(arm_row.about)})."
                    for what in _without_meaning(arm_row)
                ]
        if any(row.episodes for row in rows) and not found:
            flag = f" {_flag(report, level)}" if level.flag is not None else ""
            words = _about_stand_in(report)
            lines.append(f"{name}: no difference between arms with a model is shown{words}.{flag}")
    return lines


def _without_meaning(row: ArmRow) -> list[str]:
    """Why an arm's figures say nothing of it."""
    if row.broken and not row.episodes:
        return [f"has no outcome: {figures.counted(row.broken, 'episode')} broke off"]
    said = []
    if row.named and row.unreadable == row.named:
        answers = figures.counted(row.named, "answer")
        said.append(f"says nothing of the LLM's choices: {answers}, none of them readable")
    if row.unusable and not row.judgments:
        judgments = figures.counted(row.unusable, "judgment")
        said.append(f"says nothing of the decision model: {judgments}, none of them usable")
    return said


def _ahead_and_behind(row: PairedRow) -> tuple[str, str]:
    return (row.second, row.first) if row.only_second > row.only_first else (row.first, row.second)


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
    if timing.unfinished_calls:
        pairs.append(("calls of episodes without an end, in no row", figures.count(timing.unfinished_calls)))
    return pairs


def level_sentence(report: CollabReport, row: LevelRow) -> str:
    """How hard a level is, and whether it can say anything."""
    parts = []
    if row.optimal_steps is not None:
        parts.append(f"The shortest way takes {figures.short(row.optimal_steps)} steps on average.")
    if row.random_share is not None:
        between = f" ({figures.shares(row.random_interval)})" if row.random_interval else ""
        parts.append(f"Random actions succeed in {figures.share(row.random_share)} of games{between}.")
    if row.flag is not None:
        parts.append(_flag(report, row))
    if row.doubt is not None:
        parts.append(f"Difficulty in doubt: {printable(row.doubt)}")
    return " ".join(parts)


def _flag(report: CollabReport, row: LevelRow) -> str:
    do = "fails every episode" if row.flag == "floor" else "succeeds in every episode"
    words = _about_stand_in(report)
    return f"Every arm with a model {do}: this level says nothing about which is better{words}."


def rate_text(row: ArmRow) -> str:
    """`24 of 30`."""
    return f"{figures.count(row.successes)} of {figures.count(row.episodes)}"


STOPPED: dict[StopKind, str] = {
    "unsure": "the decision model was unsure",
    "unusable": "no usable judgment",
    "nothing_legal": "nothing legal was named",
}


def ends_text(row: ArmRow) -> str:
    """How the episodes that did not succeed ended."""
    unexplained = row.stopped - sum(row.stopped_for.values())
    ended = (
        (row.failures, "failed"),
        (row.out_of_steps, "out of steps"),
        *((row.stopped_for.get(kind, 0), f"stopped: {why}") for kind, why in STOPPED.items()),
        (unexplained, "stopped"),
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
        (row.unusable, "unusable judgment" if row.unusable == 1 else "unusable judgments"),
    )
    return ", ".join(f"{figures.count(number)} {what}" for number, what in done if number) or "-"


def illegal_text(row: ArmRow) -> str:
    """Illegal actions among all that were named, and how many of the answers could not be read."""
    unread = ""
    if row.unreadable:
        how_many = "all" if row.unreadable == row.illegal else f"{figures.count(row.unreadable)} of them"
        unread = f", {how_many} unreadable"
    of = "" if row.named is None else f" of {figures.count(row.named)}"
    return f"{figures.count(row.illegal)}{of}{unread}"


def efficiency_text(row: ArmRow) -> str:
    """The path efficiency, and the successes that it is the mean of."""
    if row.efficiency is None:
        return figures.NOT_AVAILABLE
    successes = figures.counted(row.efficiency_episodes, "success", "successes")
    return f"{figures.ratio(row.efficiency)} over {successes}"


def pair_text(row: PairedRow) -> str:
    """`7 to 1 of 30`: the episodes in which just one of the two succeeds."""
    first, second, episodes = map(figures.count, (row.only_first, row.only_second, row.episodes))
    return f"{first} to {second} of {episodes}"


def calls_text(row: UseRow) -> str:
    """Calls that were answered, and the requests that were sent for them where those are more."""
    sent = f" ({figures.count(row.sent)} sent)" if row.sent > row.calls else ""
    return f"{figures.counted(row.calls, 'call')}{sent}"


def tokens_text(row: UseRow) -> str:
    """Tokens in and out."""
    return f"{figures.count(row.input_tokens)} in, {figures.count(row.output_tokens)} out"


def _about_stand_in(report: CollabReport) -> str:
    """In brackets, what the rows with a stand-in for an LLM say that they are about."""
    name = report.run.llm
    if name is None or report.run.llm_is_real:
        return ""
    about = next((row.about for row in report.arms if row.about.startswith(f"{name}:")), None)
    return "" if about is None else f" ({printable(about)})"


def _llm(report: CollabReport) -> str:
    run = report.run
    if run.llm is None:
        return "none"
    return printable(run.llm) if run.llm_is_real else f"{printable(run.llm)}, a stand-in: about no real model"
