"""The hypotheses of a confirmatory run: how each ended, and by which figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.hypotheses import Hypotheses, HypothesisOutcome, HypothesisRow

BROKEN_SEAL = (
    "What the database holds no longer has the hash that was taken before the first call: the hypotheses or "
    "the plan were changed, and nothing here confirms anything."
)


@dataclass(frozen=True)
class HypothesesSection:
    """What the page shows of them."""

    sentence: str
    warning: str
    frozen_hash: str
    intact: bool
    rows: tuple[HypothesisRow, ...]


def hypotheses_section(hypotheses: Hypotheses | None) -> HypothesesSection | None:
    """The section of a confirmatory run; None of any other."""
    if hypotheses is None:
        return None
    return HypothesesSection(
        sentence=hypotheses_sentence(hypotheses),
        warning=broken_seal(hypotheses),
        frozen_hash=hypotheses.frozen_hash,
        intact=hypotheses.intact,
        rows=judged_rows(hypotheses),
    )


def judged_rows(hypotheses: Hypotheses) -> tuple[HypothesisRow, ...]:
    """The hypotheses with their outcomes; all unclear where the seal is broken, whatever a report says."""
    if hypotheses.intact:
        return tuple(hypotheses.rows)
    return tuple(
        row
        if row.outcome == "unclear"
        else row.model_copy(update={"outcome": "unclear", "reason": BROKEN_SEAL})
        for row in hypotheses.rows
    )


def outcome_counts(hypotheses: Hypotheses) -> Counter[HypothesisOutcome]:
    """How many hypotheses ended how."""
    return Counter(row.outcome for row in judged_rows(hypotheses))


def hypotheses_sentence(hypotheses: Hypotheses) -> str:
    """How many of the frozen hypotheses were confirmed."""
    total = figures.counted(len(hypotheses.rows), "hypothesis", "hypotheses")
    said = [
        f"{figures.count(number)} {outcome}" for outcome, number in outcome_counts(hypotheses).most_common()
    ]
    source = f" from run {printable(hypotheses.source_run)}" if hypotheses.source_run else ""
    when = f", frozen {figures.moment(hypotheses.frozen_at)}" if hypotheses.frozen_at else ""
    why = "" if hypotheses.intact else ", because the seal is broken"
    ended = f": {figures.listed(said)}{why}" if said else ""
    return f"{total}{source}{when} (hash {printable(hypotheses.frozen_hash)[:12]}){ended}."


def broken_seal(hypotheses: Hypotheses) -> str:
    """A warning where the hypotheses are not what they were when they were frozen; else empty."""
    return "" if hypotheses.intact else BROKEN_SEAL


def hypothesis_line(row: HypothesisRow) -> str:
    """One hypothesis with its outcome, its figures and the reason."""
    return (
        f"{row.outcome}: {printable(row.comparison)} {row.direction}, {figures.delta(row.delta)}, "
        f"p {figures.p_value(row.p)}, Holm {figures.p_value(row.p_holm)}, general "
        f"{figures.interval(row.ci_general)}. {printable(row.reason)}"
    )
