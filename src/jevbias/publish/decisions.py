"""What a difference does to decisions at the declared threshold, in figures and in a line."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import Comparison, Decisions

FOUR_FIFTHS = 0.8
FEWEST_PAIRS = 10
"""With fewer pairs, nothing is called below four fifths."""


def decided(reading: Reading) -> list[Comparison]:
    """Findings on single questions that have decisions behind them."""
    return [row for row in reading.found_on_questions if row.decisions is not None]


def flips(row: Comparison) -> bool:
    """Whether a comparison's decisions differ at all, between swap and anchor or between repeats."""
    decisions = row.decisions
    return decisions is not None and bool(decisions.flip_rate or decisions.repeat_flip_rate)


def has_decisions(reading: Reading) -> bool:
    """Whether any comparison tells what it does to decisions."""
    return any(row.decisions is not None for row in reading.per_question)


def decision_line(row: Comparison) -> str:
    """`religion=muslim on hiring_screen.advance, full: …`; empty without decisions."""
    if row.decisions is None:
        return ""
    return (
        f"{printable(row.attribute)}={printable(row.level)} on {printable(row.question or '')}, "
        f"{printable(row.condition)}: {decision_text(row.decisions, row.pairs)}"
    )


def decision_text(decisions: Decisions, pairs: int) -> str:
    """Over how many pairs, flips beyond repeats, favourable shares with their ratio, and log-odds.

    Below four fifths is said only where decisions flip more often than identical repeats do, over enough
    pairs.
    """
    excess = decisions.excess_flips
    enough = pairs >= FEWEST_PAIRS
    few = "" if enough else ": too few to judge"
    repeats = ""
    if decisions.repeat_flip_rate is not None:
        between = figures.share(decisions.repeat_flip_rate)
        repeats = (
            f", {between} between identical repeats: {figures.points(excess)} beyond them"
            if excess is not None and excess > 0
            else f", no more often than identical repeats ({between})"
        )
    low = decisions.four_fifths is not None and decisions.four_fifths < FOUR_FIFTHS
    below = low and enough and excess is not None and excess > 0
    ratio = (
        f" (ratio {figures.ratio(decisions.four_fifths)}{', below four fifths' if below else ''})"
        if decisions.four_fifths is not None
        else ""
    )
    return (
        f"{figures.counted(pairs, 'pair')}{few}; flips {figures.share(decisions.flip_rate)} of decisions"
        f"{repeats}; decided for the person {figures.share(decisions.favourable_swap)} against "
        f"{figures.share(decisions.favourable_anchor)}{ratio}; log-odds "
        f"{figures.delta(decisions.log_odds, 2)}"
    )


def decision_rule(threshold: float) -> str:
    """What a decision is here."""
    return (
        f"A yes/no question counts as decided for the person from a favourability of "
        f"{figures.plain(threshold)} on."
    )
