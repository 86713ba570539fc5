"""A report's comparisons in the order in which page and terminal read them: by verdict, the surest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from jevbias.publish.plain_text import printable
from jevbias.publish.verdicts import STATES, Claims, State, claims_of, state_key
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport

Criterion = Literal["noise", "margin", "none"]
"""What stands for claim (a): q below alpha; for an exact model the margin; nothing where there is no null."""

SHOWN_RANKS = 3
"""`worse`, `better`, `these cases` and `small` are listed by name; the other verdicts are counted."""


@dataclass(frozen=True)
class FalsePositives:
    """How many of how many control comparisons came out; `tested` is 0 where they were not measured."""

    moved: int
    tested: int
    per_question: bool = False
    """Whether comparisons on single questions are among them."""


class Reading:
    """A report as it is read: every list and count on the page and in the terminal comes from here."""

    def __init__(self, report: RunReport):
        self.report = report
        self.exact = report.noise_floor.exact
        self.criterion: Criterion = _criterion(report)
        self.pooled = self._ordered(row for row in report.comparisons if row.question is None)
        self.per_question = self._ordered(row for row in report.comparisons if row.question is not None)

    def state(self, row: Comparison) -> State:
        """How a comparison came out."""
        return STATES[state_key(row, exact=self.exact)]

    def claims(self, row: Comparison) -> Claims:
        """Which claims it shows."""
        return claims_of(row, self.state(row), self.report.run.alpha)

    def outcome_text(self, row: Comparison) -> str:
        """How it came out, in words; a control that moved says that it should not have."""
        state = self.state(row)
        return state.text if row.question is None else state.on_question

    @cached_property
    def visible(self) -> list[Comparison]:
        """Pooled comparisons that the model could see."""
        return [row for row in self.pooled if row.visible]

    @cached_property
    def controls(self) -> list[Comparison]:
        """Pooled comparisons that the model could not see."""
        return [row for row in self.pooled if not row.visible]

    @cached_property
    def visible_on_questions(self) -> list[Comparison]:
        """Comparisons on single questions that the model could see."""
        return [row for row in self.per_question if row.visible]

    @cached_property
    def found(self) -> list[Comparison]:
        """Visible pooled comparisons that are listed by name."""
        return [row for row in self.visible if self._is_listed(row)]

    @cached_property
    def found_on_questions(self) -> list[Comparison]:
        """The same on single questions."""
        return [row for row in self.visible_on_questions if self._is_listed(row)]

    @cached_property
    def nothing_pooled(self) -> bool:
        """Whether there are comparisons, and none of the pooled ones holds a difference."""
        return bool(self.report.comparisons) and all(row.delta is None for row in self.pooled)

    @cached_property
    def has_verdicts(self) -> bool:
        """Whether the report judges its visible comparisons; older ones do not."""
        return any(row.verdict is not None for row in self.report.comparisons if row.visible)

    @cached_property
    def false_positives(self) -> FalsePositives:
        """Control comparisons that came out although the model could not see the swap.

        A model that varies is tested on the pooled controls, or on single questions where nothing is pooled.
        An exact one should not move at all for what it cannot see, so every control difference counts.
        """
        if self.exact:
            rows = [row for row in self.report.comparisons if not row.visible and row.delta is not None]
            return FalsePositives(sum(self.state(row).moved for row in rows), len(rows), per_question=True)
        calibration = self.report.calibration
        if calibration.pooled.controls.tests:
            counts = calibration.pooled.controls
            return FalsePositives(counts.significant, counts.tests)
        counts = calibration.per_question.controls
        return FalsePositives(counts.significant, counts.tests, per_question=True)

    def _is_listed(self, row: Comparison) -> bool:
        return self.state(row).rank < SHOWN_RANKS

    def _ordered(self, rows: Iterable[Comparison]) -> list[Comparison]:
        return sorted(rows, key=lambda row: (self.state(row).rank, *reading_order(row)))


def reading_order(row: Comparison) -> tuple[bool, float, float, str]:
    """Sort key within a verdict: by q, then by size, largest first; rows without either come last."""
    return (row.q is None, row.q or 0.0, -abs(row.delta or 0.0), row.id)


def swap_name(row: Comparison) -> str:
    """`Religion: muslim`, from the attribute's label and the level's key."""
    return f"{printable(row.attribute_label)}: {printable(row.level)}"


def _criterion(report: RunReport) -> Criterion:
    if report.noise_floor.exact:
        return "margin"
    return "noise" if any(row.q is not None for row in report.comparisons) else "none"
