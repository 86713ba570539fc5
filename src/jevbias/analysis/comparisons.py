"""Every comparison of a run, estimated and put to its claims, block by block: pooled, then each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jevbias.analysis.dataset import Dataset
from jevbias.analysis.families import Corrected, correct_family
from jevbias.analysis.noise import Noise
from jevbias.analysis.noise_claim import NoiseClaim, claim_pooled, claim_question
from jevbias.analysis.paired import Estimates, PooledScores, estimate, pool_questions
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.people_claim import PeopleClaim, base_patterns, claim_people
from jevbias.analysis.validity import Validity
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.sign_flips import FlipPatterns
from jevbias.stats.two_way import TwoWayLayout, two_way_layout


@dataclass(frozen=True, eq=False)
class Block:
    """One block of comparisons, pooled (`question` is None) or on one `scenario.question`.

    `claim` is (a), `people` (b), `general` (c), which only pooled comparisons make. `swap_asks` and
    `anchor_asks` (comparisons, bases, scenarios) are the probes behind each pair. `left_out` counts, per
    `scenario.question`, the pairs whose pooled score goes without it because too few repeats answered it.
    """

    question: str | None
    estimates: Estimates
    claim: NoiseClaim
    people: PeopleClaim
    corrected: Corrected
    swap_asks: IntArray
    anchor_asks: IntArray
    place: tuple[int, int] | None = None
    """The positions of the question's scenario and of the question within it."""
    general: TwoWayLayout | None = None
    delta_all_questions: FloatArray | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)


def evaluate_comparisons(dataset: Dataset, pairs: Pairs, validity: Validity, noise: Noise) -> list[Block]:
    """Estimate and test every comparison: the pooled block first, then one block per question."""
    patterns = base_patterns(len(pairs.bases), dataset.facts.seed)
    return [
        evaluate_pooled(dataset, pairs, validity, noise, patterns=patterns),
        *_question_blocks(dataset, pairs, noise, patterns),
    ]


def evaluate_pooled(
    dataset: Dataset, pairs: Pairs, validity: Validity, noise: Noise, *, patterns: FlipPatterns
) -> Block:
    """Estimate and test the pooled comparisons alone."""
    scores = pool_questions(pairs, validity.pooled, noise)
    everything = pool_questions(pairs, [range(len(keys)) for keys in dataset.questions])
    claim = claim_pooled(scores, noise)
    general = two_way_layout(scores.estimates.difference)
    (people,), (corrected,) = _across_people(
        dataset, pairs, [scores.estimates], [claim], patterns, general=[general]
    )
    return Block(
        question=None,
        estimates=scores.estimates,
        claim=claim,
        people=people,
        corrected=corrected,
        swap_asks=scores.swap_asks,
        anchor_asks=scores.anchor_asks,
        general=general,
        delta_all_questions=everything.estimates.delta,
        left_out=_left_out(dataset, scores),
    )


def _question_blocks(dataset: Dataset, pairs: Pairs, noise: Noise, patterns: FlipPatterns) -> list[Block]:
    places = [
        (scenario, question)
        for scenario, names in enumerate(dataset.questions)
        for question in range(len(names))
    ]
    estimates = [
        estimate(pairs.difference[:, :, scenario : scenario + 1, question]) for scenario, question in places
    ]
    claims = [
        claim_question(pairs, figures, place, noise) for figures, place in zip(estimates, places, strict=True)
    ]
    people, corrected = _across_people(dataset, pairs, estimates, claims, patterns)
    return [
        Block(
            question=f"{dataset.scenarios[scenario]}.{dataset.questions[scenario][question]}",
            estimates=estimates[number],
            claim=claims[number],
            people=people[number],
            corrected=corrected[number],
            place=(scenario, question),
            swap_asks=pairs.swap_asks[:, :, scenario : scenario + 1, question],
            anchor_asks=pairs.anchor_asks[:, :, scenario : scenario + 1, question],
        )
        for number, (scenario, question) in enumerate(places)
    ]


def _across_people(
    dataset: Dataset,
    pairs: Pairs,
    estimates: Sequence[Estimates],
    claims: Sequence[NoiseClaim],
    patterns: FlipPatterns,
    *,
    general: Sequence[TwoWayLayout] | None = None,
) -> tuple[list[PeopleClaim], list[Corrected]]:
    """Claim (b) and the corrections of one family; `general`: its layouts, where it makes claim (c)."""
    family = pairs.visible & ~pairs.placebo
    people = claim_people(estimates, patterns, family)
    corrected = correct_family(
        claims, people, general, counted=~pairs.placebo, visible=pairs.visible, alpha=dataset.facts.alpha
    )
    return people, corrected


def _left_out(dataset: Dataset, scores: PooledScores) -> dict[str, int]:
    pairs = scores.left_out.sum(axis=(0, 1))
    return {
        f"{key}.{name}": int(pairs[scenario, question])
        for scenario, key in enumerate(dataset.scenarios)
        for question, name in enumerate(dataset.questions[scenario])
        if pairs[scenario, question]
    }
