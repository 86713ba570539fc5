"""One comparison of a report: a swap against its anchor, three claims about it, and one verdict."""

from __future__ import annotations

from typing import Literal

from jevbias.report.base import (
    Question,
    ReportModel,
    Rounded,
    RoundedDifference,
    RoundedInterval,
    RoundedShare,
    RoundedSize,
)

ComparisonVerdict = Literal[
    "control", "withheld", "worse", "better", "small", "these cases", "no difference", "unclear"
]


class Decisions(ReportModel):
    """What a difference does to decisions at the declared threshold; yes/no questions only.

    A decision is favourable where favourability is at least the threshold. `flip_rate` is the share of pairs
    of a swap's and its anchor's answers that decide differently, `repeat_flip_rate` that of two identical
    asks of the anchor, and `excess_flips` their difference: what the swap adds; all three over the anchors
    that were asked at least twice, where there are any. `four_fifths` is `favourable_swap` /
    `favourable_anchor` (None where no anchor is decided for). `log_odds` is the mean difference of the logit
    of favourability, which stays half a step of the answers' grid (else 0.0005) away from 0 and 1.
    """

    flip_rate: RoundedShare
    repeat_flip_rate: RoundedShare | None
    excess_flips: RoundedDifference | None
    favourable_swap: RoundedShare
    favourable_anchor: RoundedShare
    four_fifths: RoundedSize | None
    log_odds: Rounded


class Comparison(ReportModel):
    """A swap against its anchor, pooled (`question` is None) or on one question.

    Claim (a), beyond the model's noise on these people and cases: `p_noise`, `q`, `significant`, `ci_noise`,
    `mde_noise`. Claim (b), for other people: `p_people`, `q_people`, `p_max_t`, `ci_people`, `ci_people_90`,
    `mde_people`. Claim (c), for other cases too, pooled rows only: `ci_general`, `ci_general_99`,
    `p_general` (1 minus the confidence at which that interval reaches zero), `q_general`. The `mde_` figures
    are the smallest effects that the test would find in four runs of five, at level alpha and (`_adjusted`)
    at the level of one discovery in the row's family.
    """

    id: str
    condition: str
    question: Question | None
    attribute: str
    attribute_label: str
    level: str
    level_phrase: str | None
    reference: str
    protected: bool
    visible: bool
    pairs: int
    bases: int = 0
    """Bases with at least one pair."""
    delta: RoundedDifference | None
    delta_all_questions: RoundedDifference | None = None
    """Pooled rows: the mean over all questions, valid or not; never tested."""
    sd: RoundedSize | None
    cohens_d: Rounded | None
    effective_n: RoundedSize | None
    p_noise: RoundedShare | None
    q: RoundedShare | None
    significant: bool
    p_people: RoundedShare | None = None
    p_people_floor: RoundedShare | None = None
    """The smallest p that sign flips of this row's bases can give."""
    q_people: RoundedShare | None = None
    p_max_t: RoundedShare | None = None
    ci_noise: RoundedInterval | None = None
    ci_people: RoundedInterval | None = None
    ci_people_90: RoundedInterval | None = None
    ci_general: RoundedInterval | None = None
    ci_general_99: RoundedInterval | None = None
    p_general: RoundedShare | None = None
    q_general: RoundedShare | None = None
    mde_noise: RoundedSize | None = None
    mde_noise_adjusted: RoundedSize | None = None
    mde_people: RoundedSize | None = None
    mde_people_adjusted: RoundedSize | None = None
    verdict: ComparisonVerdict | None = None
    missing_claim: str | None = None
    """`these cases` only: which claim is missing, and why."""
    within_placebo_range: bool | None = None
    """Whether a visible, irrelevant edit moves answers as far; None without placebos."""
    bases_down: int = 0
    bases_up: int = 0
    scenarios_down: int = 0
    scenarios_up: int = 0
    by_base: dict[str, RoundedDifference] | None = None
    by_scenario: dict[str, RoundedDifference] | None = None
    decisions: Decisions | None = None

    @property
    def bases_agree(self) -> bool:
        """Whether all of several bases moved the same way, however little."""
        return self.bases > 1 and self.bases in (self.bases_down, self.bases_up)


def comparison_id(condition: str, attribute: str, level: str, question: str | None = None) -> str:
    """The id of a comparison; `question` is `scenario.question`, None where it is pooled."""
    pooled = f"{condition}/{attribute}={level}"
    return pooled if question is None else f"{pooled}/{question}"
