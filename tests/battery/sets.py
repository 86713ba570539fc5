"""Small pair sets and made-up scores, for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from jevbias.battery.pairs import Control, Pair, PairSet
from jevbias.battery.report import make_report
from jevbias.battery.scores import Reply, Scores
from jevbias.report.battery import BatteryReport, BatteryRun

_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ru",
    "sen",
    "tor",
    "vel",
    "po",
    "di",
    "gas",
    "hum",
    "jel",
    "nir",
    "bex",
    "wot",
)


def sentence(random: Random, length: int = 8) -> str:
    """Words that no other sentence has in this order."""
    return " ".join("".join(random.choices(_SYLLABLES, k=3)) for _ in range(length))


def pair_set(
    sizes: Mapping[str, Sequence[int]],
    controls: Mapping[str, Control] | None = None,
    *,
    clones: bool = False,
) -> PairSet:
    """Axes with families of these sizes, in texts unlike any other; `clones` repeats those of a family."""
    random, pairs = Random(7), []
    for axis, families in sizes.items():
        for number, size in enumerate(families):
            prompt = sentence(random)
            texts = [(sentence(random, 9), sentence(random)) for _ in range(size)]
            for place in range(size):
                with_feature, without = texts[0 if clones else place]
                pairs.append(Pair(axis, f"f{number}", place + 1, prompt, with_feature, without))
    return PairSet(tuple(pairs), "made up", dict(controls or {}))


def scored(pairs: PairSet, difference: Callable[[Pair], float], base: float = 0.5) -> Scores:
    """Every reply scored once: `base` without the feature, and with it so much more."""
    values: dict[Reply, tuple[float, ...]] = {}
    for pair in pairs.pairs:
        values[pair.id, "without"] = (base,)
        values[pair.id, "with"] = (base + difference(pair),)
    return Scores(pairs, values, {}, planned=len(values), answered=len(values))


def normal(mean: float, sd: float, seed: int = 1) -> Callable[[Pair], float]:
    """Normal differences, drawn anew for each pair that is asked about."""
    random = Random(seed)
    return lambda _: random.gauss(mean, sd)


def reported(scores: Scores, name: str = "made") -> BatteryReport:
    """The report of such scores."""
    return make_report(
        scores,
        BatteryRun(
            name=name,
            driver="file",
            model="scores.jsonl",
            models_answered=[],
            scorer="scores.jsonl",
            question=None,
            seed=20260920,
            alpha=0.05,
            pairs_source=scores.pairs.source,
            pairs_hash=scores.pairs.hash,
            plan_hash="0" * 64,
            calls=scores.planned,
            answered=scores.answered,
            input_tokens=None,
            output_tokens=None,
            cost=None,
            started_at=None,
            finished_at=None,
            jevbias_version="0",
        ),
    )
