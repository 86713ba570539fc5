"""The report of a collaboration bench: rates per arm and level, paired tests per level, what it took.

Nothing here is pooled over levels. Whatever rests on a stand-in for an LLM says so in its own row, in
`about`. Everything but `timing` is a function of the episodes and of what was sent for them alone.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jevbias.report.base import Figure, Interval, ReportModel

COLLAB_REPORT_VERSION = 1

StopKind = Literal["unsure", "unusable", "nothing_legal"]
"""Why an arm stopped rather than guess: the decision model was not sure enough; it gave no usable answer; the
LLM named nothing that is legal."""
STOP_KINDS: tuple[StopKind, ...] = ("unsure", "unusable", "nothing_legal")
LevelFlag = Literal["floor", "ceiling"]
"""`floor`: every arm fails every episode; `ceiling`: every arm succeeds in all. Such a level says nothing."""


class CollabRun(ReportModel):
    """What was benched: the task, the arms, and who acted in them."""

    name: str
    task: str
    arms: list[str]
    levels: list[str]
    episodes: int
    """Episodes of each level; every arm plays the same ones."""
    played: int
    planned: int
    """Episodes over all arms and levels."""
    seed: int
    threshold: Figure
    """The confidence from which the decision model's word counts."""
    escalations: int
    proposals: int
    llm: str | None
    """Driver and model of the LLM; None where no arm has one."""
    llm_is_real: bool
    decision: str | None
    llm_price: tuple[Figure, Figure] | None
    """US dollars per million tokens in and out, as given; None where nothing was given."""
    alpha: Figure
    plan_hash: str
    jevbias_version: str


class LevelRow(ReportModel):
    """One level: whether it can say anything, and whether it is as hard as the task declares."""

    id: str
    level: str
    flag: LevelFlag | None
    optimal_steps: Figure | None
    """The mean over episodes of the fewest steps to success; None where the task does not know."""
    random_share: Figure | None
    """How often random legal actions succeed: the mean over episodes of each one's share of random games."""
    random_interval: Interval | None
    random_games: int
    doubt: str | None
    """Why the declared difficulty is in doubt, in a sentence; None where it is not."""


class ArmRow(ReportModel):
    """One arm on one level. `about` says which models its figures are about."""

    id: str
    arm: str
    level: str
    about: str
    episodes: int
    """Episodes with an outcome: those that broke are not counted."""
    broken: int
    successes: int
    rate: Figure | None
    interval: Interval | None
    """Wilson's."""
    failures: int
    out_of_steps: int
    stopped: int
    stopped_for: dict[StopKind, int] = Field(default_factory=dict)
    """Of these, how many for what; episodes that older versions played do not say."""
    efficiency: Figure | None
    """The mean of optimal steps over steps taken, among successes; 1 is the shortest way."""
    efficiency_episodes: int = 0
    """The successes that it is the mean of: those whose optimal steps are known."""
    steps: Figure | None
    """The mean number of steps in an episode."""
    illegal: int
    """Illegal actions that the LLM named, whether or not they were done."""
    named: int | None = None
    """All actions that it named, proposals too; None where an older version has not counted them."""
    illegal_per_step: Figure | None
    unreadable: int
    """Of these, answers in which no action could be read."""
    escalations: int
    vetoes: int
    loops: int
    rejections: int
    unusable: int
    """Judgments in which the decision model gave no usable answer."""
    confidence: Figure | None
    """The mean, over judgments, of the probability with which the decision model spoke for the action."""
    judgments: int


class UseRow(ReportModel):
    """What one model took in one arm and level. Tokens and cost are None where nobody counted or priced."""

    id: str
    arm: str
    level: str
    role: Literal["llm", "decision"]
    model: str
    about: str
    calls: int
    """Calls that were answered."""
    calls_per_episode: Figure
    sent: int = 0
    """Requests that were sent for them, those that failed and were sent anew too."""
    input_tokens: int | None
    output_tokens: int | None
    cost: Figure | None
    """US dollars."""


class PairedRow(ReportModel):
    """Two arms on one level, episode by episode: the exact McNemar test.

    `p_levels` is p after Holm over the levels of this pair of arms, `p_all` over every pair and level.
    `significant`: p_levels < alpha on at least five discordant episodes. `least_p` is the smallest p that so
    many discordant episodes could give, `needed` the fewest with which p < alpha is possible at all, and
    `needed_corrected` the fewest with which it is after the correction, whatever the other levels show.
    """

    id: str
    first: str
    second: str
    level: str
    about: str
    episodes: int
    both: int
    only_first: int
    only_second: int
    neither: int
    discordant: int
    difference: Figure | None
    """The rate of the second less that of the first, over the episodes of both."""
    p: Figure | None
    p_levels: Figure | None
    p_all: Figure | None
    significant: bool
    least_p: Figure
    needed: int
    needed_corrected: int
    says: str
    """What the row shows, in a sentence."""


class LatencyRow(ReportModel):
    """How long the calls to one model took, in milliseconds."""

    id: str
    role: Literal["llm", "decision"]
    model: str
    calls: int
    mean: Figure
    median: Figure
    p95: Figure


class Timing(ReportModel):
    """All that depends on clocks and on interruptions, and on nothing else."""

    started_at: str | None
    finished_at: str | None
    latency: list[LatencyRow]
    sent_again: int
    """How often a call was sent once more because a process ended before it knew the answer."""
    possibly_billed: int
    unfinished_calls: int = 0
    """Calls of episodes that have not ended, which no row counts yet."""


class CollabReport(ReportModel):
    """Everything that a collaboration bench says."""

    version: int = COLLAB_REPORT_VERSION
    run: CollabRun
    levels: list[LevelRow]
    arms: list[ArmRow]
    comparisons: list[PairedRow]
    use: list[UseRow]
    timing: Timing
    notes: list[str] = Field(default_factory=list)
