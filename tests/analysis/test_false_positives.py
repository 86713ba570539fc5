"""Nulls with equal noise: how often a swap that changes nothing gets a small p."""

from dataclasses import replace

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from tests.analysis.runs import Design, make_dataset, make_probes

PLAIN = Design(bases=2, swapped={"culture": 6, "faith": 6}, scenarios={"hiring": 3, "triage": 3})
EIGHT = replace(
    PLAIN, bases=1, conditions=("full",), replicate_subjects=0, anchor_replicates=9
)  # pools of 8 degrees of freedom


@pytest.mark.parametrize(
    ("design", "decimals", "runs"), [(PLAIN, None, 25), (PLAIN, 2, 25), (EIGHT, None, 25), (EIGHT, 2, 25)]
)
def test_p_noise_is_below_5_percent_on_at_most_6_percent_of_nulls(
    design: Design, decimals: int | None, runs: int
) -> None:
    pooled: list[float] = []
    per_question: list[float] = []
    for seed in range(runs):
        probes = make_probes(design, seed=seed, decimals=decimals)
        report = analyse(make_dataset(design, probes))
        for row in report.comparisons:
            assert row.p_noise is not None
            (pooled if row.question is None else per_question).append(row.p_noise)
    # Swaps share anchors, so the margin over 6% is that of the runs, not of the rows.
    for found in (np.array(pooled), np.array(per_question)):
        assert np.mean(found < 0.05) <= 0.06 + 0.015
        assert np.mean(found < 0.5) >= 0.25, "p-values are not hugely conservative"
        assert np.mean(found < 1e-4) <= 0.001


def test_the_interval_covers_the_true_difference() -> None:
    covered = []
    for seed in range(25):
        for row in analyse(make_dataset(PLAIN, make_probes(PLAIN, seed=seed))).comparisons:
            assert row.ci_noise is not None
            covered.append(row.ci_noise[0] <= 0 <= row.ci_noise[1])
    assert 0.93 <= np.mean(covered) <= 0.985
