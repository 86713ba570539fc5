"""The report's comparisons: estimates and claims become rows, family by family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.dataset import Dataset
from jevbias.analysis.noise import Noise
from jevbias.analysis.noise_claim import NoiseClaim, claim_pooled, claim_question
from jevbias.analysis.paired import Estimates, estimate, pool_questions, signs
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.validity import WITHHELD, Validity
from jevbias.catalogue.models import Level
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison
from jevbias.stats.multiplicity import benjamini_hochberg

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Block:
    """One block of comparisons, pooled (`question` is None) or on one `scenario.question`, with its tests.

    `left_out` counts, per `scenario.question`, the pairs whose pooled score goes without it because too few
    repeats answered it.
    """

    question: str | None
    estimates: Estimates
    claim: NoiseClaim
    delta_all_questions: FloatArray | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)


def evaluate_comparisons(dataset: Dataset, pairs: Pairs, validity: Validity, noise: Noise) -> list[Block]:
    """Estimate and test every comparison: the pooled block first, then one block per question."""
    scores = pool_questions(pairs, validity.pooled, noise)
    everything = pool_questions(pairs, [range(len(keys)) for keys in dataset.questions])
    left_out = scores.left_out.sum(axis=(0, 1))
    pooled = Block(
        None,
        scores.estimates,
        claim_pooled(scores, noise),
        everything.estimates.delta,
        {
            f"{key}.{name}": int(left_out[scenario, question])
            for scenario, key in enumerate(dataset.scenarios)
            for question, name in enumerate(dataset.questions[scenario])
            if left_out[scenario, question]
        },
    )
    blocks = [pooled]
    for scenario, key in enumerate(dataset.scenarios):
        for question, name in enumerate(dataset.questions[scenario]):
            estimates = estimate(pairs.difference[:, :, scenario : scenario + 1, question])
            claim = claim_question(pairs, estimates, (scenario, question), noise)
            blocks.append(Block(f"{key}.{name}", estimates, claim))
    return blocks


def comparison_rows(
    dataset: Dataset, pairs: Pairs, validity: Validity, blocks: Sequence[Block]
) -> list[Comparison]:
    """The rows of the report, sorted by q, then |delta|; rows without either come last."""
    adjusted = [benjamini_hochberg(blocks[0].claim.p)]
    per_question = [block.claim.p for block in blocks[1:]]
    if per_question:
        adjusted += np.split(benjamini_hochberg(np.concatenate(per_question)), len(per_question))
    described = _describe(dataset, pairs)
    rows = []
    for block, q in zip(blocks, adjusted, strict=True):
        withheld = block.question is not None and validity.flag(block.question) in WITHHELD
        figures = _figures(dataset, pairs, block, q)
        for shared, own in zip(described, figures, strict=True):
            identifier = shared["id"] if block.question is None else f"{shared['id']}/{block.question}"
            verdict = "control" if not shared["visible"] else "withheld" if withheld else None
            own |= {"id": identifier, "question": block.question, "verdict": verdict}
            rows.append(Comparison.model_validate(shared | own))
    return sorted(rows, key=_reading_order)


def _describe(dataset: Dataset, pairs: Pairs) -> list[dict[str, object]]:
    """What a comparison is about, whatever it found."""
    described: list[dict[str, object]] = []
    for condition, swap in pairs.comparisons:
        attribute = dataset.catalogue.attributes[swap.attribute]
        described.append(
            {
                "id": f"{condition}/{swap.attribute}={swap.level}",
                "condition": condition,
                "attribute": swap.attribute,
                "attribute_label": attribute.label,
                "level": swap.level,
                "level_phrase": _phrase(attribute.levels[swap.level]),
                "reference": attribute.reference,
                "protected": attribute.protected,
                "visible": attribute.visible_in(condition),
            }
        )
    return described


def _figures(dataset: Dataset, pairs: Pairs, block: Block, q: FloatArray) -> list[dict[str, object]]:
    """What a comparison found."""
    estimates, claim = block.estimates, block.claim
    bases_down, bases_up = signs(estimates.by_base)
    scenarios_down, scenarios_up = signs(estimates.by_scenario)
    columns: dict[str, list[object]] = {
        "pairs": estimates.pairs.tolist(),
        "delta": _or_none(estimates.delta),
        "sd": _or_none(estimates.sd),
        "cohens_d": _or_none(estimates.cohens_d),
        "effective_n": _or_none(estimates.effective_n),
        "p_noise": _or_none(claim.p),
        "q": _or_none(q),
        "significant": (q < dataset.facts.alpha).tolist(),
        "ci_noise": list(_intervals(estimates.delta, claim.half_width)),
        "bases_down": bases_down.tolist(),
        "bases_up": bases_up.tolist(),
        "scenarios_down": scenarios_down.tolist(),
        "scenarios_up": scenarios_up.tolist(),
    }
    if block.delta_all_questions is not None:
        names = [str(base) for base in pairs.bases]
        columns["delta_all_questions"] = _or_none(block.delta_all_questions)
        columns["by_base"] = [_named(names, values) for values in estimates.by_base]
        columns["by_scenario"] = [_named(dataset.scenarios, values) for values in estimates.by_scenario]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _intervals(delta: FloatArray, half_width: FloatArray) -> list[Interval | None]:
    bounds = zip((delta - half_width).tolist(), (delta + half_width).tolist(), strict=True)
    return [None if math.isnan(lower) else (lower, upper) for lower, upper in bounds]


def _or_none(values: FloatArray) -> list[object]:
    return [None if math.isnan(value) else value for value in values.tolist()]


def _named(names: Sequence[str], values: FloatArray) -> dict[str, float]:
    pairs = zip(names, values.tolist(), strict=True)
    return {name: value for name, value in pairs if not math.isnan(value)}


def _phrase(level: Level) -> str | None:
    """What a payload says of a level, with all wordings of one that follows the person's gender."""
    if level.by_gender:
        return " / ".join(dict.fromkeys(level.by_gender.values()))
    return level.phrase


def _reading_order(row: Comparison) -> tuple[float, float, bool, str]:
    q = 2.0 if row.q is None else row.q
    return q, -abs(row.delta or 0.0), row.delta is None, row.id
