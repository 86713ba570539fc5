"""What a bias battery found: per axis, how strongly the scores follow one surface feature.

`d` is mean / sd of the differences score(with the feature) - score(without it): the effect in standard
deviations, a pure number. Intervals are 95%.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jevbias.report.base import Figure, Interval, ReportModel

BATTERY_REPORT_VERSION = 2

Sign = Literal["+", "-", "0"]
Loudness = Literal["quiet", "whisper", "loud", "found quickly"]
Outcome = Literal["scores", "does not score", "unclear"]
"""`scores` is what a positive control must and a negative one must not."""

TRUST_SAYS = (
    "no scorecard ties an effect size to what a policy will do with it, so no threshold is promised safe"
)
STEADINESS_SAYS = (
    "d says how steadily the families move, in SDs of their differences, not how far the scores move: a "
    "small shift that every pair shares is loud. Hold the mean against the SD of all scores for its size"
)
GAUGE_SAYS = "d is a pure number: rescaling or shifting the scores leaves it as it is"
CORRELATION_SAYS = (
    "what is reported is correlation, not mechanism: the sides of a pair differ in the feature and in "
    "whatever came with it"
)


class BatteryRun(ReportModel):
    """What was scored, by whom. `calls` were planned; a cost is in US dollars, None where nobody said."""

    name: str
    driver: str
    model: str
    models_answered: list[str]
    scorer: str
    """`noul`, `score`, a question file, a file of scores or `module:function`."""
    question: str | None
    """The question's instructions; None for a scorer that is asked none."""
    seed: int
    alpha: Figure
    pairs_source: str
    pairs_hash: str
    plan_hash: str
    calls: int
    answered: int
    input_tokens: int | None
    output_tokens: int | None
    cost: Figure | None
    started_at: str | None
    finished_at: str | None
    jevbias_version: str


class BatteryNoise(ReportModel):
    """How far repeats of one reply's score differ: the pooled SD over `cells` replies asked more than once.

    `exact`: all agree. `sd` is None without repeats. It is in the scores' own units.
    """

    sd: Figure | None
    cells: int
    degrees_of_freedom: int
    exact: bool


class LengthConfound(ReportModel):
    """What else changed between the sides, and the effect without it.

    The changes are means over families of side with less side without; `words_ratio` is the ratio of their
    mean lengths. `d` is that of a pair whose length does not change, by regression of the difference on the
    changes in words and in characters, in the same standard deviations as the axis's own d; None where there
    is no line. `r_squared` is the share of the differences' variance that length goes with. `changes`: some
    pair changes its length. `extrapolated`: every pair of the axis gets longer, or every one shorter, or none
    lies as far out in both measures together, so no pair is near that point.
    """

    words: Figure
    characters: Figure
    words_ratio: Figure | None
    changes: bool
    r_squared: Figure | None
    d: Figure | None
    d_interval: Interval | None
    extrapolated: bool


class FamilyMean(ReportModel):
    """One family: its mean difference over `pairs` pairs, and their mean square about it."""

    family: str
    pairs: int
    mean: Figure
    mean_square: Figure


class AxisEffect(ReportModel):
    """One axis. `pairs` have a usable score on both sides, `pairs_lost` do not.

    `effective_n` counts independent pairs from lineage (Kish): `effective_n_if_merged` the same if families
    that say nearly the same were one. `mean` is a mean of family means, `sd` that of one difference of a
    random family. `up` and `down` count pairs that score higher and lower with the feature, `ties` those
    that do not move. `p` is two-sided, by sign flips of whole families, with its `smallest_p`; `q` is
    adjusted over the features; that of a control, which is tested by itself, is its p. `repeats` is how often
    a reply was scored on average. `sd` includes the noise of the scores: `noise_sd` is the part of it that
    repeats of the same scores would give, and `d_without_noise` is d in what is left of `sd` without it, None
    where that is unknown or less than half of the variance. `pairs_hash` is that of the axis's pairs.
    """

    axis: str
    control: Literal["positive", "negative"] | None
    about: str | None
    pairs_hash: str
    pairs: int
    pairs_lost: int
    families: int
    effective_n: Figure
    effective_n_if_merged: Figure
    mean: Figure | None
    mean_interval: Interval | None
    sd: Figure | None
    noise_sd: Figure | None
    repeats: Figure | None
    d_without_noise: Figure | None
    d: Figure | None
    d_interval: Interval | None
    p: Figure | None
    smallest_p: Figure | None
    q: Figure | None
    significant: bool
    """q is below alpha."""
    shown: bool
    """q is below alpha and the interval of d leaves zero out, or every pair moves by the same."""
    sign: Sign | None
    up: int
    down: int
    ties: int
    loudness: Loudness | None
    reading: str
    small: bool
    """Fewer than 10 families."""
    redundant: bool
    """Effective n below a third of the pairs, or less if near-duplicates counted once."""
    length: LengthConfound | None
    by_family: list[FamilyMean]
    notes: list[str]


class NearDuplicatePair(ReportModel):
    """Two pairs of different families that say nearly the same; see `battery pairs`."""

    first: str
    second: str
    what: str
    similarity: Figure
    same_axis: bool
    clones: bool


class LostPair(ReportModel):
    """A pair without a usable score on both sides, and why."""

    pair: str
    side: str
    reason: str


class ControlOutcome(ReportModel):
    """How a control axis came out, and what that says about all others."""

    axis: str
    control: Literal["positive", "negative"]
    outcome: Outcome
    as_it_must: bool | None
    """None where it is unclear."""
    says: str


class BatteryReport(ReportModel):
    """A whole report. `strongest_axis` and `max_abs_effect_size` leave controls out, and axes without an
    interval where any has one. `scores_sd` is the SD of all replies' scores, to hold a mean against: d says
    how steadily families move, not how far. `near_duplicates_left` counts those that are not listed.
    """

    kind: Literal["battery"] = "battery"
    version: int = BATTERY_REPORT_VERSION
    trust: Literal["EXPLORATORY"] = "EXPLORATORY"
    trust_says: str = TRUST_SAYS
    gauge: Literal["invariant"] = "invariant"
    gauge_says: str = GAUGE_SAYS
    correlation_says: str = CORRELATION_SAYS
    steadiness_says: str = STEADINESS_SAYS
    strongest_axis: str | None
    max_abs_effect_size: Figure | None
    run: BatteryRun
    noise: BatteryNoise
    scores_sd: Figure | None
    controls: list[ControlOutcome]
    per_axis: dict[str, AxisEffect] = Field(description="axis: what was found there")
    near_duplicates: list[NearDuplicatePair]
    near_duplicates_left: int
    lost: list[LostPair]
    notes: list[str]
