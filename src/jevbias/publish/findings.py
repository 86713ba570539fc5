"""Which comparisons count as found, and the sentence that says so: shared by the page and the terminal.

A report without verdicts makes claim (a) only: answers moved further than repeated asking alone would
explain, on these people and cases. Nothing here says more than that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Literal

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport

Criterion = Literal["noise", "margin", "none"]
"""What makes a finding: q below alpha; for an exact model the margin; nothing where there is no null."""

Outcome = Literal["down", "up", "still", "withheld", "untested"]

WITHHELD_FLAGS = frozenset({"inverted", "midpoint", "flat"})
TIE = 1e-9
MOST_NAMED = 3


@dataclass(frozen=True)
class Tally:
    """Outcomes of a set of comparisons; `tested` leaves out what was withheld or could not be tested."""

    total: int
    down: int
    up: int
    withheld: int
    untested: int

    @property
    def moved(self) -> int:
        """Findings in either direction."""
        return self.down + self.up

    @property
    def tested(self) -> int:
        """Comparisons that could have been findings."""
        return self.total - self.withheld - self.untested


@dataclass(frozen=True)
class FalsePositives:
    """How many of how many control comparisons came out."""

    moved: int
    tested: int


class Reading:
    """A report read by one criterion; every count on the page and in the terminal comes from here."""

    def __init__(self, report: RunReport):
        self.report = report
        self.withheld = frozenset(row.question for row in report.validity if row.flag in WITHHELD_FLAGS)
        self.criterion: Criterion = _criterion(report)
        self.pooled = sorted((row for row in report.comparisons if row.question is None), key=reading_order)
        self.per_question = sorted(
            (row for row in report.comparisons if row.question is not None), key=reading_order
        )

    def outcome(self, row: Comparison) -> Outcome:
        """What became of a comparison, whether or not the model could see the swap."""
        if row.question in self.withheld:
            return "withheld"
        if row.delta is None or self.criterion == "none":
            return "untested"
        if self.criterion == "margin":
            found = abs(row.delta) >= max(self.report.run.margin - TIE, TIE)
        elif row.q is None:
            return "untested"
        else:
            found = row.significant
        if not found:
            return "still"
        return "down" if row.delta < 0 else "up"

    def tally(self, rows: Iterable[Comparison]) -> Tally:
        """Count the outcomes of some comparisons."""
        outcomes = [self.outcome(row) for row in rows]
        return Tally(
            total=len(outcomes),
            down=outcomes.count("down"),
            up=outcomes.count("up"),
            withheld=outcomes.count("withheld"),
            untested=outcomes.count("untested"),
        )

    @property
    def visible(self) -> list[Comparison]:
        """Pooled comparisons that the model could see."""
        return [row for row in self.pooled if row.visible]

    @property
    def controls(self) -> list[Comparison]:
        """Pooled comparisons that the model could not see."""
        return [row for row in self.pooled if not row.visible]

    @property
    def false_positives(self) -> FalsePositives:
        """Control comparisons that came out although the model could not see the swap.

        A model that varies is tested on the pooled controls. An exact one should not move at all for what it
        cannot see, so every control difference counts, pooled or on one question.
        """
        if self.criterion == "margin":
            rows = [row for row in self.report.comparisons if not row.visible and row.delta is not None]
            return FalsePositives(sum(abs(row.delta or 0.0) > TIE for row in rows), len(rows))
        tally = self.tally(self.controls)
        return FalsePositives(tally.moved, tally.tested)

    @property
    def found(self) -> list[Comparison]:
        """Visible pooled findings, in reading order."""
        return [row for row in self.visible if self.outcome(row) in {"down", "up"}]

    @property
    def has_verdicts(self) -> bool:
        """Whether the report makes claims beyond (a)."""
        return any(row.verdict not in {None, "control", "withheld"} for row in self.report.comparisons)

    @property
    def caution(self) -> str:
        """What a finding means and what it does not, to stand wherever findings do; empty without a test."""
        if not self.tally(self.report.comparisons).tested:
            return ""
        how_far = (
            "by the declared margin or more"
            if self.criterion == "margin"
            else "further than repeated asking alone would explain"
        )
        return (
            f"A finding here means that these answers moved, for these people and these cases, {how_far}. "
            "It does not mean that the model is biased for or against anybody: that takes the same "
            "movement with other people and with other cases."
        )

    def outcome_text(self, row: Comparison) -> str:
        """The outcome in words; a control that moved says that it should not have."""
        outcome = self.outcome(row)
        if not row.visible and outcome in {"down", "up"}:
            return f"false positive ({outcome})"
        return self.outcome_texts[outcome]

    @property
    def outcome_texts(self) -> dict[Outcome, str]:
        """Each outcome in words, as this report's criterion has it."""
        return {
            "down": "moved down",
            "up": "moved up",
            "still": "below the margin" if self.criterion == "margin" else "not shown",
            "withheld": "withheld",
            "untested": "not tested",
        }

    @property
    def rule(self) -> str:
        """In one sentence, what makes a finding in this report."""
        run = self.report.run
        if self.criterion == "margin":
            return (
                "The model does not vary, so p and q do not apply: a comparison is a finding when its "
                f"difference is at least the margin declared before the run, {figures.plain(run.margin)}."
            )
        if self.criterion == "none":
            return (
                "Nothing could be tested, because the run has no usable noise null: the differences stand "
                "below as they were measured, and none of them is a finding."
            )
        return (
            "A comparison is a finding when its q, the p-value after Benjamini-Hochberg over the whole "
            f"family, is below {figures.plain(run.alpha)}."
        )

    @property
    def sentence(self) -> str:
        """The findings in one sentence."""
        tally = self.tally(self.visible)
        if not self.pooled:
            return "This report holds no comparison of a swapped person with an anchor."
        if not self.visible:
            return "The model could see none of the swaps of this run, so there is nothing to find."
        if not tally.tested and not any(row.pooled for row in self.report.validity):
            return (
                "No question passed the validity check, so there is no pooled score to compare and no pooled "
                "finding to report."
            )
        if not tally.tested:
            return (
                f"None of the {figures.counted(tally.total, 'swap')} that the model could see could be "
                "tested: no finding can be reported, and that is not the same as no difference."
            )
        beyond = "by the margin or more" if self.criterion == "margin" else "beyond the model's own noise"
        untested = f" {figures.count(tally.untested)} more could not be tested." if tally.untested else ""
        none = f"None of the {figures.count(tally.tested)} swaps"
        if tally.tested == 1:
            none = "Not one swap, of one,"
        if not tally.moved:
            shown = "moved" if self.criterion == "margin" else "was shown to have moved"
            return (
                f"{none} that the model could see {shown} its answers {beyond}, on these people and "
                f"cases{self._reach}.{untested}"
            )
        return (
            f"{figures.count(tally.moved)} of the {figures.counted(tally.tested, 'swap')} that the model "
            f"could see moved its answers {beyond}, on these people and cases: "
            f"{figures.count(tally.down)} down (worse for the person) "
            f"and {figures.count(tally.up)} up.{untested}"
        )

    @property
    def _reach(self) -> str:
        """How small a difference the noise could have hidden: half of the middle one of the intervals."""
        halves = [(row.ci_noise[1] - row.ci_noise[0]) / 2 for row in self.visible if row.ci_noise is not None]
        if self.criterion != "noise" or not halves:
            return ""
        return f"; the intervals reach {figures.spread(median(halves))} to either side"

    @property
    def question_sentence(self) -> str:
        """The findings on single questions in one or two sentences."""
        rows = [row for row in self.per_question if row.visible]
        if not rows:
            return "This report holds no comparison on a single question."
        tally = self.tally(rows)
        held = f"; {figures.count(tally.withheld)} are withheld" if tally.withheld else ""
        if not tally.tested:
            of = figures.counted(len(rows), "comparison")
            return f"None of the {of} on single questions could be tested{held}."
        of = figures.counted(tally.tested, "comparison")
        sentence = (
            f"Question by question, {figures.count(tally.moved)} of {of} that could be tested moved: "
            f"{figures.count(tally.down)} down and {figures.count(tally.up)} up{held}."
        )
        hits = Counter(row.question for row in rows if self.outcome(row) in {"down", "up"})
        most = max(hits.values(), default=0)
        leading = sorted(printable(question or "") for question, times in hits.items() if times == most)
        if not 1 <= len(leading) <= MOST_NAMED:
            return sentence
        each = " each" if len(leading) > 1 else ""
        return f"{sentence} Most often on {figures.listed(leading)} ({figures.counted(most, 'time')}{each})."


def reading_order(row: Comparison) -> tuple[bool, float, float, str]:
    """Sort key: by q, then by the size of the difference, largest first; rows without either come last."""
    return (row.q is None, row.q or 0.0, -abs(row.delta or 0.0), row.id)


def swap_name(row: Comparison) -> str:
    """`Religion: muslim`, from the attribute's label and the level's key."""
    return f"{printable(row.attribute_label)}: {printable(row.level)}"


def _criterion(report: RunReport) -> Criterion:
    if report.noise_floor.exact:
        return "margin"
    return "noise" if any(row.q is not None for row in report.comparisons) else "none"
