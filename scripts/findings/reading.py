"""What today's method makes of published figures, as far as they reach: nothing here is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy.stats import norm

from findings.published import PublishedRun, Row
from jevbias.analysis.validity import Response, judge_response
from jevbias.settings import Settings
from jevbias.stats.intervals import clopper_pearson
from jevbias.stats.multiplicity import benjamini_hochberg

ALPHA = float(Settings.model_fields["alpha"].default)
MARGIN = float(Settings.model_fields["margin"].default)
Z = float(norm.isf(ALPHA / 2))


@dataclass(frozen=True)
class ReadRow:
    """A published comparison and its reading: `low` to `high` is the stretched noise interval."""

    row: Row
    significant: bool
    stands: bool
    low: float
    high: float

    @property
    def outcome(self) -> str:
        """In two or three words."""
        if self.stands:
            return "stands"
        return "published as found only" if self.significant else "not found"

    @property
    def clear_of_margin(self) -> bool:
        """Whether the whole interval lies beyond the margin."""
        return self.high < -MARGIN or self.low > MARGIN

    @property
    def inside_margin(self) -> bool:
        """Whether the whole interval lies within the margin."""
        return self.low > -MARGIN and self.high < MARGIN


class Reading:
    """One run, read again.

    The standard error of a published delta under the published null is `se`, its SD over the root of the
    pairs; `wide` is that times how far the publication's null understated the noise. A row `stands` where
    Benjamini-Hochberg over all pooled comparisons keeps it at `wide`, the comparisons that were not
    published (controls among them) counted with p = 1.
    """

    def __init__(self, run: PublishedRun):
        figures = run.figures
        self.run = run
        self.se = figures.null_sd / math.sqrt(figures.pairs)
        self.wide = self.se * figures.understated
        standing = self._kept(self.wide)
        reach = Z * self.wide
        self.rows = tuple(
            ReadRow(row, row.q < ALPHA, row in standing, row.delta - reach, row.delta + reach)
            for row in run.rows
        )
        self.reach = reach
        self.significant = [read for read in self.rows if read.significant]
        self.not_significant = [read for read in self.rows if not read.significant]
        self.standing = [read for read in self.rows if read.stands]
        self.fallen = [read for read in self.significant if not read.stands]
        self.worse = [read for read in self.standing if read.row.delta < 0]
        self.better = [read for read in self.standing if read.row.delta > 0]
        self.clear_of_margin = [read for read in self.rows if read.clear_of_margin]
        self.inside_margin = [read for read in self.rows if read.inside_margin]
        self.standing_protected = [read for read in self.standing if read.row.protected]
        self.plain_kept = len(self._kept(self.se))
        self.implied_se = self._implied_se()
        self.strict_kept = len(self._kept(self.implied_se * figures.understated))
        self.variance_kept = len(self._kept(self.se * math.sqrt(figures.understated)))
        self.floor_q = min(row.q for row in run.rows)
        self.at_floor = [row for row in run.rows if row.q == self.floor_q]
        self.resamples = round(figures.pooled / (self.floor_q * len(self.at_floor)))
        self.largest_quiet = max(abs(read.row.delta) for read in self.not_significant)
        self.control_interval = clopper_pearson(figures.control_significant, figures.controls)
        self.control_question_share = figures.control_questions_significant / figures.control_questions
        self.discoveries = figures.visible_significant + figures.control_significant
        self._weigh_controls()
        self.false_among_visible = figures.visible * figures.control_significant / figures.controls
        self.patterns = 2**figures.anchors
        self.people_floor = 2 / self.patterns
        needed = math.floor(self.people_floor * figures.visible / ALPHA) + 1
        self.rows_at_floor_needed = needed if needed <= figures.visible else None
        self.answers_per_call = figures.answers / figures.calls
        self.asked_questions = round(self.answers_per_call * figures.scenarios)

    @property
    def unmoved(self) -> list[str]:
        """Attributes none of whose swaps was published as found, in any condition, in the file's order."""
        moved = {read.row.attribute for read in self.significant}
        return list(dict.fromkeys(row.attribute for row in self.run.rows if row.attribute not in moved))

    def _weigh_controls(self) -> None:
        """What the controls say of the noise: differences between identical requests, so that the share of
        them beyond the published criterion tells how far its null was too narrow in these comparisons.
        """
        figures = self.run.figures
        criterion = float(norm.isf(ALPHA * self.discoveries / figures.pooled / 2))
        self.controls_expected = figures.controls * 2 * float(norm.sf(criterion / figures.understated))
        share = figures.control_significant / figures.controls
        low, high = self.control_interval or (share, 1.0)
        self.control_factor, self.control_factor_low, self.control_factor_high = (
            criterion / float(norm.isf(bound / 2)) if bound else 0.0 for bound in (share, low, high)
        )
        self.kept_by_controls = len(self._kept(self.se * max(1.0, self.control_factor)))
        self.kept_by_controls_at_most = len(self._kept(self.se * self.control_factor_high))

    def _kept(self, se: float) -> set[Row]:
        hidden = self.run.figures.pooled - len(self.run.rows)
        p = [2 * float(norm.sf(abs(row.delta) / se)) for row in self.run.rows] + [1.0] * hidden
        q = benjamini_hochberg(np.array(p))
        return {row for row, own in zip(self.run.rows, q, strict=False) if own < ALPHA}

    def _implied_se(self) -> float:
        """The standard error that the published q speak of, from those between their floor and alpha."""
        ranked = sorted(self.run.rows, key=lambda row: row.q)
        p = {row: row.q * rank / self.run.figures.pooled for rank, row in enumerate(ranked, 1)}
        told = [row for row in ranked if ranked[0].q < row.q < ALPHA]
        return median(abs(row.delta) / float(norm.isf(p[row] / 2)) for row in told)


@dataclass(frozen=True)
class Misread:
    """A question whose scoring misleads: published raw means from weak to strong, and today's flag of them
    with the sign it was read with and with the other.
    """

    name: str
    raw: tuple[float, float, float]
    more_is_worse: tuple[float, float, float]
    flag_read_as_better: str
    flag_read_as_worse: str
    non_monotone: bool


def misread_questions(run: PublishedRun) -> tuple[Misread, Misread]:
    """`credibility.handling` and `tenancy.deposit` of the Jev run."""
    return _misread(run, "credibility.handling", "handling"), _misread(run, "tenancy.deposit", "deposit")


def _misread(run: PublishedRun, name: str, key: str) -> Misread:
    weak, mid, strong = (getattr(run.figures, f"{key}_{variant}") for variant in ("weak", "mid", "strong"))
    raw = (weak, mid, strong)
    flipped = (1 - weak, 1 - mid, 1 - strong)
    as_better, as_worse = (_judge(means, run.figures.noise) for means in (raw, flipped))
    return Misread(
        name, raw, flipped, as_better.flag, as_worse.flag, as_better.non_monotone or as_worse.non_monotone
    )


def _judge(means: tuple[float, float, float], noise: float) -> Response:
    return judge_response(dict(zip(("weak", "mid", "strong"), means, strict=True)), noise)


class HandlingRepair:
    """What turning `credibility.handling` round would do to pooled figures, if scenarios weighed equally and
    the questions of a scenario too, as they do in this project.
    """

    def __init__(self, reading: Reading, questions: int):
        figures = reading.run.figures
        self.questions = questions
        self.share = 1 / (figures.scenarios * questions)
        self.shift = 2 * self.share * figures.handling_reported
        unspent = next(row for row in reading.run.rows if row.swap == "criminal_record=unspent")
        self.unspent_shift = 2 * self.share * figures.handling_unspent
        self.unspent_published = unspent.delta
        self.unspent_repaired = unspent.delta - self.unspent_shift
        self.smaller = [read for read in reading.significant if abs(read.row.delta) < self.shift]


class SideBySide:
    """Two readings over the comparisons that both files hold: signs and findings, never sizes."""

    def __init__(self, first: Reading, second: Reading):
        other = {read.row.key: read for read in second.rows}
        self.pairs = [(read, other[read.row.key]) for read in first.rows if read.row.key in other]
        self.signed = [pair for pair in self.pairs if all(read.row.delta for read in pair)]
        self.same_sign = [pair for pair in self.signed if _agree(pair)]
        self.both = [pair for pair in self.pairs if all(read.significant for read in pair)]
        self.both_same = [pair for pair in self.both if _agree(pair)]
        self.both_opposite = [pair for pair in self.both if not _agree(pair)]
        self.both_stand = [pair for pair in self.pairs if all(read.stands for read in pair)]
        self.both_stand_same = [pair for pair in self.both_stand if _agree(pair)]
        names = [pair for pair in self.signed if pair[0].row.condition == "name_only"]
        self.names, self.names_same = names, [pair for pair in names if _agree(pair)]
        self.leading = _leading(first.rows) & _leading(second.rows)
        shared = {q["question"]: q for q in second.run.questions}
        self.questions = [(q, shared[q["question"]]) for q in first.run.questions if q["question"] in shared]


def _agree(pair: Sequence[ReadRow]) -> bool:
    return pair[0].row.delta * pair[1].row.delta > 0


def _leading(rows: Sequence[ReadRow], most: int = 5) -> set[str]:
    ranked = sorted(rows, key=lambda read: -abs(read.row.delta))
    return {read.row.swap for read in ranked[:most]}
