"""Whether one pool of noise may stand for all."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from jevbias.analysis.dataset import ProbeRecord
from jevbias.analysis.noise_notes import noise_notes
from tests.analysis.noise_floors import floor_of, sent
from tests.analysis.runs import MERIT, Design, Someone, make_dataset, make_people, make_probes, without

DESIGN = Design(bases=3, replicate_subjects=6, replicates=4, anchor_replicates=8)
SWAPPED = {p.idx for p in make_people(DESIGN) if not p.is_anchor}
CONTROLS = {p.idx for p in make_people(DESIGN) if p.swapped_attribute == "faith"}


def noisier(times: float, which: Callable[[ProbeRecord], bool], seed: int = 9) -> list[ProbeRecord]:
    """Answers whose noise is so many times larger for the probes chosen."""
    calm, wild = make_probes(DESIGN, seed=seed), make_probes(DESIGN, seed=seed, noise=0.0085 * times)
    return [w if which(c) else c for c, w in zip(calm, wild, strict=True)]


def test_the_noise_of_a_condition_by_hand() -> None:
    probes = make_probes(DESIGN)
    rows = floor_of(make_dataset(DESIGN, probes)).by_condition
    assert list(rows) == ["name_only", "full"]
    for condition, row in rows.items():
        cells: dict[tuple[int, str], list[float]] = {}
        for p in probes:
            if p.condition == condition and not (condition == "name_only" and p.person in CONTROLS):
                score = float(np.mean(list(p.favourability.values())))
                cells.setdefault((p.person, p.scenario), []).append(score)
        repeated = [cell for cell in cells.values() if len(cell) > 1]
        freedom = sum(len(cell) - 1 for cell in repeated)
        squares = sum((len(cell) - 1) * np.var(cell, ddof=1) for cell in repeated)
        assert row.id == f"noise/condition/{condition}"
        assert (row.cells, row.degrees_of_freedom) == (len(repeated), freedom)
        assert row.sd == row.measured_sd == pytest.approx(math.sqrt(squares / freedom), rel=1e-5)
        assert row.mean_sd == pytest.approx(np.mean([np.std(c, ddof=1) for c in repeated]), rel=1e-5)


def test_conditions_together_are_the_scenarios_together() -> None:
    floor = floor_of(make_dataset(DESIGN))
    squares = sum((row.sd or 0.0) ** 2 * row.degrees_of_freedom for row in floor.by_condition.values())
    freedom = sum(row.degrees_of_freedom for row in floor.by_condition.values())
    assert freedom == sum(row.degrees_of_freedom for row in floor.by_scenario.values())
    assert floor.probe_sd == pytest.approx(math.sqrt(squares / freedom), rel=1e-5)


def test_a_quieter_condition_is_found() -> None:
    probes = noisier(0.5, lambda p: p.condition == "name_only")
    (ratio,) = floor_of(make_dataset(DESIGN, probes)).condition_ratios
    assert (ratio.id, ratio.condition, ratio.against) == (
        "noise/condition/name_only/ratio",
        "name_only",
        "full",
    )
    assert ratio.interval[0] < 0.5 < ratio.interval[1] < 1
    louder = noisier(2.0, lambda p: p.condition == "name_only")
    (other,) = floor_of(make_dataset(DESIGN, louder)).condition_ratios
    assert 1 < other.interval[0] < 2 < other.interval[1]


def test_swaps_as_noisy_as_anchors_are_passed_over() -> None:
    floor = floor_of(make_dataset(DESIGN, sent(make_probes(DESIGN, seed=9))))
    row = floor.swapped_against_anchor
    assert row is not None
    assert (row.id, row.condition, row.swap_cells, row.anchor_cells) == ("noise/swapped", "full", 12, 6)
    assert row.interval is not None
    assert row.interval[0] < 1 < row.interval[1]
    assert list(noise_notes(floor)) == []


def test_a_model_noisier_about_swapped_people_is_found() -> None:
    probes = noisier(3.0, lambda p: p.person in SWAPPED)
    row = floor_of(make_dataset(DESIGN, probes)).swapped_against_anchor
    assert row is not None
    assert row.interval is not None
    assert 1 < row.interval[0] < 3 < row.interval[1]


def test_swaps_are_compared_where_both_were_repeated_only() -> None:
    """Anchors of one scenario, wild but never asked twice beside a swap, stay out of the ratio."""
    probes = [
        p for p in make_probes(DESIGN) if not (p.scenario == "triage" and p.person in SWAPPED and p.replicate)
    ]
    wild = [
        replace(p, favourability={k: v + 0.05 * (-1) ** p.replicate for k, v in p.favourability.items()})
        if p.scenario == "triage" and p.person not in SWAPPED
        else p
        for p in probes
    ]
    calm_row, wild_row = (floor_of(make_dataset(DESIGN, x)).swapped_against_anchor for x in (probes, wild))
    assert calm_row == wild_row
    assert calm_row is not None
    assert (calm_row.swap_cells, calm_row.anchor_cells) == (6, 3)


def test_two_repeated_anchor_cells_give_no_ratio_and_say_so() -> None:
    design = replace(DESIGN, bases=1)
    floor = floor_of(make_dataset(design))
    row = floor.swapped_against_anchor
    assert row is not None
    assert (row.ratio, row.interval, row.anchor_cells) == (None, None, 2)
    assert any("could not be told" in note and "anchors 2" in note for note in noise_notes(floor))


def test_an_exact_model_has_no_ratios_and_no_notes() -> None:
    floor = floor_of(make_dataset(DESIGN, make_probes(DESIGN, noise=0.0)))
    assert floor.exact
    assert floor.condition_ratios == []
    assert floor.swapped_against_anchor is not None
    assert floor.swapped_against_anchor.ratio is None
    assert [row.sd for row in floor.by_condition.values()] == [0.0, 0.0]
    assert list(noise_notes(floor)) == []


def test_a_run_without_repeats_has_nothing_to_check() -> None:
    design = replace(DESIGN, replicate_subjects=0, anchor_replicates=1)
    floor = floor_of(make_dataset(design))
    assert [row.sd for row in floor.by_condition.values()] == [None, None]
    assert floor.condition_ratios == []
    assert list(noise_notes(floor)) == []


def test_scores_use_probes_that_answered_every_question() -> None:
    probes = [without(p, "q0") if p.replicate == 1 else p for p in make_probes(DESIGN)]
    rows = floor_of(make_dataset(DESIGN, probes)).by_condition
    fewer = floor_of(make_dataset(DESIGN, [p for p in make_probes(DESIGN) if p.replicate != 1])).by_condition
    assert rows == fewer


def test_rounding_raises_the_noise_of_a_condition_as_it_raises_the_tests() -> None:
    def near_a_border(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        return MERIT[variant] + 0.0035

    probes = make_probes(DESIGN, near_a_border, noise=0.0008, decimals=2)
    floor = floor_of(make_dataset(DESIGN, probes))
    assert not floor.exact
    for row in floor.by_condition.values():
        assert row.sd is not None
        assert row.measured_sd is not None
        assert row.sd > row.measured_sd
        assert 0.01 / math.sqrt(36) <= row.sd <= 0.01 / math.sqrt(24)


def test_a_run_without_probes_has_no_checks() -> None:
    floor = floor_of(make_dataset(DESIGN, []))
    assert floor.by_condition == {}
    assert (floor.swapped_against_anchor, floor.drift, floor.models) == (None, None, [])
    assert list(noise_notes(floor)) == []
