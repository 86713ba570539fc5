"""The battery held against scorers whose bias is known.

    python -m benchmarks.battery --batteries 4000

prints a table for `docs/benchmarks.md`, per shape of a set and true d: what d is found on average, how
often the intervals of the mean and of d hold the truth, how often p is below 0.05; and over batteries of
ten axes, two of them paid for, the share of false discoveries among the axes with q below 0.05.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.planted_scorers import PlantedScorer, planted_moments
from jevbias.battery.read_pairs import load_pairs
from jevbias.people.keyed import keyed_stream
from jevbias.stats.arrays import FloatArray
from jevbias.stats.effect_size import effect_size, mean_interval
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.stats.sign_flips import flip_patterns, random_bytes_needed, sign_flip_tests

SEED = 20260920
TRUE = (0.0, 0.5, 1.5)
AXES, PAID, PAID_D = 10, 2, 0.8


@dataclass(frozen=True)
class Setting:
    """A shape of a set: the sizes of its families, whether a family holds clones, and who scores it."""

    name: str
    sizes: tuple[int, ...]
    scorer: PlantedScorer
    clones: bool = False


def _settings() -> list[Setting]:
    even = PlantedScorer(0.0, family=0.6, pair=0.7, noise=0.25)
    two_to_five = tuple(2 + place % 4 for place in range(24))
    built_in = load_pairs(None).by_axis["verbosity"]
    names = [pair.family for pair in built_in]
    return [
        Setting("30 independent pairs", (1,) * 30, even),
        Setting("24 families of 2 to 5", two_to_five, even),
        Setting("24 families of 2 to 5, families alike", two_to_five, PlantedScorer(0.0, 0.1, 1.0, 0.25)),
        Setting("24 families of 2 to 5, families far apart", two_to_five, PlantedScorer(0.0, 1.0, 0.3, 0.1)),
        Setting(
            "24 families of 1 to 9 clones", tuple(1 + place % 9 for place in range(24)), even, clones=True
        ),
        Setting(
            "the built-in set's families", tuple(names.count(name) for name in dict.fromkeys(names)), even
        ),
        Setting("10 families of 1 to 3", tuple(1 + place % 3 for place in range(10)), even),
        Setting("5 families of 1 to 3", tuple(1 + place % 3 for place in range(5)), even),
        Setting("30 independent pairs, skewed", (1,) * 30, replace(even, shape="exponential")),
        Setting("24 families of 2 to 5, skewed", two_to_five, replace(even, shape="exponential")),
        Setting(
            "30 independent pairs, lognormal alone", (1,) * 30, PlantedScorer(0.0, 1.0, 0.0, 0.0, "lognormal")
        ),
        Setting("30 independent pairs, t(3) alone", (1,) * 30, PlantedScorer(0.0, 1.0, 0.0, 0.0, "t(3)")),
    ]


SETTINGS = _settings()


@dataclass(frozen=True)
class Measured:
    """What came of one setting at one true d: the mean estimate and shares over the batteries."""

    d: float
    covered_mean: float
    covered_d: float
    rejected: float
    width: float


def measure(setting: Setting, d: float, batteries: int, *, seed: int = SEED, with_p: bool = True) -> Measured:
    """Simulate one setting; p, which takes most of the time, can be left out (then `rejected` is NaN)."""
    scorer = setting.scorer.paying(d)
    random = np.random.default_rng([seed, SETTINGS.index(setting), round(100 * d)])
    moments = planted_moments(scorer, setting.sizes, batteries, random, clones=setting.clones)
    mean, effect = mean_interval(moments), effect_size(moments)
    return Measured(
        d=float(effect.d.mean()),
        covered_mean=float(((mean.low <= scorer.bias) & (scorer.bias <= mean.high)).mean()),
        covered_d=float(((effect.low <= d) & (d <= effect.high)).mean()),
        rejected=float((_p(moments.means) < 0.05).mean()) if with_p else float("nan"),
        width=float((effect.high - effect.low).mean()),
    )


def false_discoveries(batteries: int, seed: int = SEED) -> tuple[float, float]:
    """Over batteries of ten axes, two of them paid for: the mean share of axes that nobody pays for among
    those with q < 0.05, and the share of those paid for that have it.
    """
    random = np.random.default_rng([seed, 99])
    setting = SETTINGS[1]
    p = np.empty((batteries, AXES))
    for axis in range(AXES):
        scorer = setting.scorer.paying(PAID_D if axis < PAID else 0.0)
        moments = planted_moments(scorer, setting.sizes, batteries, random, clones=False)
        p[:, axis] = _p(moments.means)
    found = np.array([benjamini_hochberg(row) < 0.05 for row in p])
    false = found[:, PAID:].sum(axis=1) / np.maximum(found.sum(axis=1), 1)
    return float(false.mean()), float(found[:, :PAID].mean())


def _p(means: FloatArray) -> FloatArray:
    families = means.shape[1]
    random_bytes = keyed_stream(random_bytes_needed(families), SEED, "benchmark", families)
    patterns = flip_patterns(families, random_bytes or None)
    return sign_flip_tests(means, patterns, np.zeros(len(means), dtype=np.bool_)).p


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--batteries", type=int, default=4000)
    batteries = parser.parse_args(arguments).batteries
    say = sys.stdout.write
    say("| set | true d | mean of d | mean covered | d covered | p < .05 | mean width |\n")
    say("|---|---|---|---|---|---|---|\n")
    for setting in SETTINGS:
        for d in TRUE:
            row = measure(setting, d, batteries)
            say(
                f"| {setting.name} | {d:g} | {row.d:.3f} | {row.covered_mean:.2%} | {row.covered_d:.2%} | "
                f"{row.rejected:.2%} | {row.width:.2f} |\n"
            )
            sys.stdout.flush()
    false, found = false_discoveries(batteries)
    say(f"\nten axes, two of d {PAID_D:g}: false discoveries {false:.2%} of those found, {found:.2%} found\n")


if __name__ == "__main__":
    main()
