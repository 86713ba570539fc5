"""Which decimal grid each question lies on, decided by answers that can tell one."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.grid import read_grid
from jevbias.catalogue.models import Scenario
from tests.analysis.runs import FACTS, MERIT, Design, make_catalogue, make_dataset, make_people, make_probes

DESIGN = Design(scenarios={"hiring": 3}, swapped={"faith": 2})
FLOOR = 0.01 / math.sqrt(12)
SCORE = {
    "kind": "score",
    "direction": "+",
    "measures": "a measure",
    "instructions": "How far should the applicant go?",
    "criteria": ["nowhere", "halfway", "all the way"],
}


def rounded(probes: list[ProbeRecord], decimals: Mapping[str, int]) -> list[ProbeRecord]:
    """The answers to these questions carry this many decimals, all others as many as there are."""
    return [
        replace(
            p,
            favourability={
                key: round(value, decimals[key]) if key in decimals else value
                for key, value in p.favourability.items()
            },
        )
        for p in probes
    ]


def with_a_score(probes: list[ProbeRecord]) -> Dataset:
    """q2 is a score."""
    catalogue = make_catalogue(DESIGN)
    hiring = catalogue.scenarios["hiring"].model_dump(by_alias=True)
    hiring["questions"]["q2"] = SCORE
    scenarios = {"hiring": Scenario.model_validate(hiring)}
    return build_dataset(FACTS, replace(catalogue, scenarios=scenarios), make_people(DESIGN), probes)


def test_each_question_is_judged_by_its_own_answers() -> None:
    probes = rounded(make_probes(DESIGN), {"q0": 2, "q1": 3})
    assert read_grid(make_dataset(DESIGN, probes)).steps == ((0.01, 0.001, None),)


def test_a_score_takes_the_grid_of_the_yes_no_answers() -> None:
    probes = make_probes(DESIGN, noise=0.0005)
    on, off = with_a_score(rounded(probes, {"q0": 2, "q1": 2})), with_a_score(probes)
    assert (read_grid(on).step, read_grid(on).steps[0][2]) == (0.01, 0.01)
    assert (read_grid(off).step, read_grid(off).steps[0][2]) == (None, None)
    lifted, measured = (analyse(d).noise_floor.by_question["hiring.q2"] for d in (on, off))
    assert lifted.sd == pytest.approx(FLOOR, rel=1e-5)
    assert lifted.measured_sd == measured.sd == measured.measured_sd


def test_yes_no_answers_at_zero_and_one_ruin_no_score() -> None:
    """They lie on every grid, so they tell none: not even a step of 1."""
    probes = [
        replace(p, favourability={**p.favourability, "q0": float(p.variant != "weak"), "q1": 1.0})
        for p in make_probes(DESIGN)
    ]
    grid = read_grid(with_a_score(probes))
    assert (grid.step, grid.steps) == (None, ((None, None, None),))
    report = analyse(with_a_score(probes))
    pool = report.noise_floor.by_question["hiring.q2"]
    assert pool.sd == pool.measured_sd
    assert pool.sd == pytest.approx(0.0085, rel=0.3)
    assert report.noise_floor.grid_step is None


def test_a_saturated_question_takes_the_grid_of_the_others() -> None:
    probes = [
        replace(p, favourability={**p.favourability, "q0": 1.0})
        for p in rounded(make_probes(DESIGN), {"q1": 2, "q2": 2})
    ]
    assert read_grid(make_dataset(DESIGN, probes)).steps == ((0.01, 0.01, 0.01),)


def test_one_answer_off_the_grid_takes_no_floor_away_and_is_said() -> None:
    design = replace(DESIGN, bases=6, anchor_replicates=10)
    probes = make_probes(design, noise=0.0005, decimals=2)
    probes[5] = replace(probes[5], favourability={**probes[5].favourability, "q0": 0.3501})
    report = analyse(make_dataset(design, probes))
    assert report.noise_floor.grid_step == 0.01
    assert all(pool.sd == pytest.approx(FLOOR, rel=1e-5) for pool in report.noise_floor.by_question.values())
    assert any("lie off the step of their question: 1." in note for note in report.notes)
    clean = analyse(make_dataset(design, make_probes(design, noise=0.0005, decimals=2)))
    assert not any("lie off the step" in note for note in clean.notes)


def test_the_floor_of_a_mean_counts_only_questions_on_a_grid() -> None:
    grid = read_grid(make_dataset(DESIGN, rounded(make_probes(DESIGN), {"q0": 2, "q1": 3})))
    assert grid.rounding_sd(0, (0, 1, 2)) == pytest.approx(math.hypot(0.01, 0.001) / math.sqrt(12) / 3)
    assert grid.rounding_sd(0, (2,)) == 0.0


def test_the_measured_spread_stands_beside_the_raised_one() -> None:
    def expect(person: object, scenario: str, question: str, variant: str, condition: str) -> float:
        return MERIT[variant]

    probes = make_probes(DESIGN, expect, noise=0.0, decimals=2)
    probes[0] = replace(probes[0], favourability={**probes[0].favourability, "q0": 0.36})
    floor = analyse(make_dataset(DESIGN, probes)).noise_floor
    squares = 0.01**2 * 7 / 8
    dof = floor.by_question["hiring.q0"].degrees_of_freedom
    assert floor.by_question["hiring.q0"].measured_sd == pytest.approx(np.sqrt(squares / dof), rel=1e-4)
    assert floor.measured_answer_sd == pytest.approx(np.sqrt(squares / dof / 3), rel=1e-4)
    assert floor.measured_probe_sd == pytest.approx(np.sqrt(squares / dof) / 3, rel=1e-4)
    assert floor.answer_sd == pytest.approx(FLOOR, rel=1e-4)
