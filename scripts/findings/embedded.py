"""What the reports of the embedded models say, counted as `FINDINGS-sparrow.md` tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from findings.shipped import Shipped, ShippedRun
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport, ValidityRow
from jevbias.report.validity_rule import WITHHELD

MOVED = ("worse", "better", "these cases")
KINDS = ("pooled", "uneven", "uniform")
NAMED = ("name_culture", "gender")
"""The attributes that come with another name; every other swap puts the same words beside every anchor."""


@dataclass(frozen=True)
class ByAttribute:
    """The strongest comparison of an attribute in each run."""

    attribute: str
    protected: bool
    rows: tuple[Comparison, ...]


class EmbeddedRun:
    """One model's deep run beside its placebos. `pooled` and `on_questions` are visible rows; `told` are
    those on questions that are not withheld, and `moved` those of them that reach the margin.
    """

    def __init__(self, shipped: ShippedRun):
        self.report = report = shipped.report
        self.run = report.run
        self.noise = report.noise_floor
        self.validity = report.validity
        self.flags = Counter(row.flag for row in report.validity)
        self.responding = [row for row in report.validity if row.flag == "ok"]
        self.entering = [row for row in report.validity if row.pooled]
        self.middle_range = median(row.range or 0.0 for row in report.validity)
        self.within_bases = [row for row in report.validity if row.within_bases]
        self.ok_within_bases = [row for row in self.within_bases if row.flag == "ok"]
        self.withheld = [row for row in report.validity if row.flag in WITHHELD]
        self.scenarios_entering = _scenarios(self.entering)
        self.scenarios_left_out = [key for key in self.run.scenarios if key not in self.scenarios_entering]
        self.pooled, self.on_questions, self.controls = _rows(report)
        self.controls_that_moved = [row for row in self.controls if row.delta != 0]
        self.verdicts = Counter(row.verdict for row in self.pooled)
        self.question_verdicts = Counter(row.verdict for row in self.on_questions)
        self.told = [row for row in self.on_questions if row.verdict != "withheld"]
        self.moved = strongest_first(row for row in self.told if row.verdict in MOVED)
        self.shown = [row for row in self.moved if row.verdict != "these cases"]
        self.shown_on = _by_question(self.shown, report.validity)
        worse, better = (
            {_swap(row) for row in self.moved if row.verdict == verdict} for verdict in ("worse", "better")
        )
        self.both_ways = worse & better
        self.most_moved = Counter(row.question for row in self.moved).most_common(1)[0]
        self.largest_pooled = strongest_first(self.pooled)[0]
        self.beyond_cases = [row for row in self.pooled if _excludes_zero(row.ci_general_99)]
        self.at_margin = [row for row in self.on_questions if self._matters(row)]
        self._count_people()
        self._weigh_words()
        self.decided_otherwise = [row for row in self.moved if row.decisions and row.decisions.flip_rate > 0]
        self.yes_no_moved = [row for row in self.moved if row.decisions]
        self._weigh_placebos(shipped.placebos)

    @property
    def still(self) -> list[Comparison]:
        """The visible comparisons on single questions that do not move at all."""
        return [row for row in self.on_questions if row.delta == 0]

    @property
    def seconds(self) -> float:
        """How long the run took."""
        return _seconds(self.run.started_at, self.run.finished_at)

    def by_attribute(self, rows: Sequence[Comparison]) -> list[Comparison]:
        """The strongest of the rows per attribute, strongest first."""
        first: dict[str, Comparison] = {}
        for row in strongest_first(rows):
            first.setdefault(row.attribute, row)
        return list(first.values())

    def _count_people(self) -> None:
        full = [row for row in self.on_questions if row.condition == "full"]
        self.worded = [row for row in full if row.attribute not in NAMED]
        self.named = [row for row in self.on_questions if row.attribute in NAMED]
        self.unanimous = [row for row in self.on_questions if one_way(row)]
        self.worded_unanimous = [row for row in self.worded if one_way(row)]
        self.named_unanimous = [row for row in self.named if one_way(row)]
        self.named_moved = [row for row in self.moved if row.attribute in NAMED]
        self.named_shown = [row for row in self.shown if row.attribute in NAMED]
        self.worded_moved = [row for row in self.moved if row.attribute not in NAMED]
        flipped = [row.q_people for row in self.on_questions if row.p_people == row.p_people_floor]
        self.q_people_at_floor = max(q for q in flipped if q is not None)

    def _weigh_words(self) -> None:
        """The questions that a swap moves further than strong and weak cases lie apart, and those that the
        sight of a dossier moves further than any swap does.
        """
        farthest: dict[str, float] = {}
        for row in self.on_questions:
            if row.question is not None and row.condition == "full":
                farthest[row.question] = max(farthest.get(row.question, 0.0), abs(row.delta or 0.0))
        self.swap_beats_case = [
            row.question for row in self.validity if farthest[row.question] > (row.range or 0.0)
        ]
        shifts = [row for row in self.report.conditions if row.shift is not None and row.question is not None]
        self.shifts = sorted(shifts, key=lambda row: -abs(row.shift or 0.0))
        self.shift_beats_swaps = [
            row for row in shifts if abs(row.shift or 0.0) > farthest[row.question or ""]
        ]

    def _weigh_placebos(self, report: RunReport) -> None:
        """Placebos of the same anchors against the deep run's swaps under `full`, question by question."""
        if report.placebos is None:
            raise LookupError(f"{report.run.name} has no placebos")
        self.placebo_run = report.run
        self.placebos = report.placebos
        told = {row.question for row in self.told}
        self.placebo_rows = strongest_first(
            row for row in report.placebos.comparisons if row.visible and row.question in told
        )
        self.placebos_at_margin = [row for row in self.placebo_rows if self._matters(row)]
        self.placebos_like_shown = [row for row in self.placebos_at_margin if one_way(row)]
        self.worded_told = [row for row in self.worded if row.question in told]
        self.worded_like_shown = [row for row in self.worded_told if self._matters(row) and one_way(row)]
        self.placebo_limits = {
            row.question: row.limit for row in report.placebos.ranges if row.question is not None
        }
        medians = {row.question: row.median for row in report.placebos.ranges if row.question is not None}
        self.placebo_median_as_far = [
            row.question
            for row in self.validity
            if medians[row.question] >= median(abs(swap.delta or 0.0) for swap in self._full_on(row.question))
        ]
        self.beyond_placebos = [row for row in self.worded_told if self.is_beyond(row)]
        self.moved_beyond_placebos = [row for row in self.worded_moved if self.is_beyond(row)]
        self.beyond_if_alike = 1 / (report.placebos.levels + 1)
        self._repeat_swap(report)

    def _repeat_swap(self, report: RunReport) -> None:
        """The swap that both runs have, on the question where its two differences lie furthest apart."""
        first = {row.id: row for row in self.told}
        pairs = [(first[row.id], row) for row in report.comparisons if row.id in first]
        self.twice = max(pairs, key=lambda pair: abs((pair[0].delta or 0.0) - (pair[1].delta or 0.0)))

    def is_beyond(self, row: Comparison) -> bool:
        """Whether a row under `full` moves further than every placebo on its question."""
        return abs(row.delta or 0.0) > self.placebo_limits[row.question or ""]

    def _matters(self, row: Comparison) -> bool:
        return abs(row.delta or 0.0) >= self.run.margin

    def _full_on(self, question: str) -> list[Comparison]:
        return [row for row in self.on_questions if row.condition == "full" and row.question == question]


class Embedded:
    """Both models and what lies between them."""

    def __init__(self, shipped: Shipped):
        self.first, self.second = (EmbeddedRun(run) for run in shipped.runs)
        self.pair = pair = shipped.compared
        self.outcomes = Counter(row.outcome for row in pair.rows if row.visible and row.question is None)
        on_questions = [row for row in pair.rows if row.visible and row.question is not None]
        self.differing = sorted(
            (row for row in on_questions if row.outcome == "differs"),
            key=lambda row: -abs(row.difference or 0.0),
        )
        self.opposite = [row for row in self.differing if row.same_sign is False]
        self.responding_in_both = [
            row.question
            for row in self.first.responding
            if row.question in {other.question for other in self.second.responding}
        ]

    @property
    def runs(self) -> tuple[EmbeddedRun, EmbeddedRun]:
        """In the order in which they are compared."""
        return self.first, self.second

    def attributes(self) -> list[ByAttribute]:
        """Per attribute the strongest pooled row of each model, in the catalogue's order."""
        strongest = [{row.attribute: row for row in run.by_attribute(run.pooled)} for run in self.runs]
        names = list(dict.fromkeys(row.attribute for row in self.first.pooled))
        names.sort(key=self.first.run.swept.index)
        return [
            ByAttribute(name, strongest[0][name].protected, tuple(found[name] for found in strongest))
            for name in names
        ]


def strongest_first(rows: Iterable[Comparison]) -> list[Comparison]:
    """Ordered by the size of their deltas."""
    return sorted(rows, key=lambda row: (-abs(row.delta or 0.0), row.id))


def one_way(row: Comparison) -> bool:
    """Whether all bases move the same way."""
    return row.bases > 0 and row.bases in (row.bases_down, row.bases_up)


def _rows(report: RunReport) -> tuple[list[Comparison], list[Comparison], list[Comparison]]:
    """Visible pooled rows, visible rows on single questions, and controls of both kinds."""
    seen = [row for row in report.comparisons if row.visible]
    hidden = [row for row in report.comparisons if not row.visible]
    pooled = [row for row in seen if row.question is None]
    return pooled, [row for row in seen if row.question is not None], hidden


def _scenarios(rows: Sequence[ValidityRow]) -> list[str]:
    return list(dict.fromkeys(row.question.partition(".")[0] for row in rows))


def _by_question(rows: Sequence[Comparison], validity: Sequence[ValidityRow]) -> dict[str, list[Comparison]]:
    """Rows by what their question is worth: `pooled`, `uneven` (`ok` but not monotone) or `uniform`."""
    worth = {
        row.question: "pooled" if row.pooled else "uneven" if row.flag == "ok" else row.flag
        for row in validity
    }
    kinds = {kind: [row for row in rows if worth[row.question or ""] == kind] for kind in KINDS}
    if sum(map(len, kinds.values())) != len(rows):
        raise LookupError(f"a comparison is told on a question that is none of {', '.join(KINDS)}")
    return kinds


def _swap(row: Comparison) -> tuple[str, str, str]:
    return row.condition, row.attribute, row.level


def _excludes_zero(bounds: tuple[float, float] | None) -> bool:
    return bounds is not None and (bounds[0] > 0 or bounds[1] < 0)


def _seconds(start: str | None, end: str | None) -> float:
    if start is None or end is None:
        raise LookupError("a shipped run is finished")
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
