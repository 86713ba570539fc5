"""One comparison of a report: a swap against its anchor, three claims about it, and one verdict."""

from __future__ import annotations

from typing import Literal

from jevbias.report.base import Figure, Interval, ReportModel

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

    flip_rate: Figure
    repeat_flip_rate: Figure | None
    excess_flips: Figure | None
    favourable_swap: Figure
    favourable_anchor: Figure
    four_fifths: Figure | None
    log_odds: Figure


class Comparison(ReportModel):
    """A swap against its anchor, pooled (`question` is None) or on one question.

    Claim (a), beyond the model's noise on these people and cases: `p_noise`, `q`, `significant`, `ci_noise`,
    `mde_noise`. Claim (b), for other people: `p_people`, `q_people`, `p_max_t`, `ci_people`, `ci_people_90`,
    `mde_people`. Claim (c), for other cases too, pooled rows only: `ci_general`, `ci_general_99`. The `mde_`
    figures are the smallest effects that the test would find in four runs of five, at level alpha and
    (`_adjusted`) at the level of one discovery in the row's family.
    """

    id: str
    condition: str
    question: str | None
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
    delta: Figure | None
    delta_all_questions: Figure | None = None
    """Pooled rows: the mean over all questions, valid or not; never tested."""
    sd: Figure | None
    cohens_d: Figure | None
    effective_n: Figure | None
    p_noise: Figure | None
    q: Figure | None
    significant: bool
    p_people: Figure | None = None
    p_people_floor: Figure | None = None
    """The smallest p that sign flips of this row's bases can give."""
    q_people: Figure | None = None
    p_max_t: Figure | None = None
    ci_noise: Interval | None = None
    ci_people: Interval | None = None
    ci_people_90: Interval | None = None
    ci_general: Interval | None = None
    ci_general_99: Interval | None = None
    mde_noise: Figure | None = None
    mde_noise_adjusted: Figure | None = None
    mde_people: Figure | None = None
    mde_people_adjusted: Figure | None = None
    verdict: ComparisonVerdict | None = None
    missing_claim: str | None = None
    """`these cases` only: which claim is missing, and why."""
    within_placebo_range: bool | None = None
    """Whether a visible, irrelevant edit moves answers as far; None without placebos."""
    bases_down: int = 0
    bases_up: int = 0
    scenarios_down: int = 0
    scenarios_up: int = 0
    by_base: dict[str, Figure] | None = None
    by_scenario: dict[str, Figure] | None = None
    decisions: Decisions | None = None
