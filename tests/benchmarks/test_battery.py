"""The battery held against scorers whose bias is known; `docs/benchmarks.md` has the full table."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.battery import SETTINGS, TRUE, Setting, false_discoveries, measure
from benchmarks.planted_scorers import PlantedScorer, planted_scores

from jevbias.battery.read_pairs import load_pairs
from tests.battery.sets import reported

LARGE = [setting for setting in SETTINGS if len(setting.sizes) >= 24 and setting.scorer.shape == "normal"]


@pytest.mark.parametrize("d", TRUE)
@pytest.mark.parametrize("setting", LARGE, ids=lambda setting: setting.name)
def test_intervals_of_the_mean_and_of_d_cover_93_to_97_per_cent(setting: Setting, d: float) -> None:
    found = measure(setting, d, 4000, with_p=False)
    assert 0.93 <= found.covered_mean <= 0.97
    assert 0.93 <= found.covered_d <= 0.97
    assert found.d == pytest.approx(d, abs=0.02 + 0.04 * d)


def test_nothing_planted_is_found_in_one_battery_of_twenty() -> None:
    found = measure(SETTINGS[1], 0.0, 600)
    assert found.rejected <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)
    false, paid = false_discoveries(60)
    assert false <= 0.05 + 3 * np.sqrt(0.05 / 60)
    assert paid > 0.9


def test_what_is_planted_in_the_built_in_set_is_recovered() -> None:
    pairs = load_pairs(None)
    quiet = PlantedScorer(0.0, family=0.6, pair=0.7, noise=0.25)
    truth = {"formatting": 1.5, "hedging": -1.0, "helpfulness": 1.2}
    scorers = {axis: quiet.paying(truth.get(axis, 0.0)) for axis in pairs.by_axis}
    report = reported(planted_scores(pairs, scorers, seed=2))
    assert report.strongest_axis == "formatting"
    assert {axis for axis, found in report.per_axis.items() if found.significant} == set(truth)
    assert [outcome.as_it_must for outcome in report.controls] == [True, True]
    for axis, found in report.per_axis.items():
        assert found.d_interval is not None
        assert found.d_interval[0] <= truth.get(axis, 0.0) <= found.d_interval[1], axis
