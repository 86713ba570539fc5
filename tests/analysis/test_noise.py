import math
from dataclasses import replace

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.cells import build_cells
from jevbias.analysis.noise import measure_noise
from tests.analysis.runs import MERIT, Design, Someone, make_dataset, make_people, make_probes, without

DESIGN = Design()


def test_every_repeated_cell_but_the_controls_is_in_the_pool() -> None:
    probes = make_probes(DESIGN)
    report = analyse(make_dataset(DESIGN, probes))
    anchors = 2 * 2 * 2  # bases, scenarios, conditions
    subjects = 4 * 2  # replicate subjects and scenarios, under full only
    assert report.noise_floor.cells == anchors + subjects
    assert report.noise_floor.degrees_of_freedom == anchors * 7 + subjects * 3
    pool = report.noise_floor.by_question["hiring.q0"]
    assert (pool.cells, pool.degrees_of_freedom) == (4 + 4, 4 * 7 + 4 * 3)
    assert pool.id == "noise/hiring.q0"


def test_the_pooled_sd_by_hand() -> None:
    probes = make_probes(DESIGN)
    report = analyse(make_dataset(DESIGN, probes))
    controls = {p.idx for p in make_people(DESIGN) if p.swapped_attribute == "faith"}
    cells: dict[tuple[int, str], list[dict[str, float]]] = {}
    for probe in probes:
        if probe.scenario == "triage" and not (probe.person in controls and probe.condition == "name_only"):
            cells.setdefault((probe.person, probe.condition), []).append(dict(probe.favourability))
    repeated = [cell for cell in cells.values() if len(cell) > 1]
    answers = [[values["q1"] for values in cell] for cell in repeated]
    scores = [[(values["q0"] + values["q1"]) / 2 for values in cell] for cell in repeated]
    assert report.noise_floor.by_question["triage.q1"].sd == pytest.approx(pooled_sd(answers), rel=1e-5)
    assert report.noise_floor.by_scenario["triage"].sd == pytest.approx(pooled_sd(scores), rel=1e-5)
    mean_sd = np.mean([np.std(cell, ddof=1) for cell in answers])
    assert report.noise_floor.by_question["triage.q1"].mean_sd == pytest.approx(mean_sd, rel=1e-5)


def pooled_sd(cells: list[list[float]]) -> float:
    squares = sum((len(cell) - 1) * np.var(cell, ddof=1) for cell in cells)
    return math.sqrt(squares / sum(len(cell) - 1 for cell in cells))


def test_a_control_s_repeats_never_enter_the_noise() -> None:
    """Repeats asked under name_only, where a swap of faith cannot be seen: wild ones change nothing."""
    design = replace(DESIGN, conditions=("name_only",))
    probes = make_probes(design)
    faithful = {p.idx for p in make_people(design) if p.swapped_attribute == "faith"}
    repeated = {p.person for p in probes if p.replicate == 3} & faithful
    assert repeated
    wild = [
        replace(p, favourability={key: v + (p.replicate - 1.5) / 10 for key, v in p.favourability.items()})
        if p.person in repeated
        else p
        for p in probes
    ]
    calm, upset = (analyse(make_dataset(design, chosen)).noise_floor for chosen in (probes, wild))
    assert calm.by_question == upset.by_question
    assert calm.by_scenario == upset.by_scenario


def test_answers_on_a_grid_are_at_least_as_noisy_as_rounding() -> None:
    def near_a_border(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        return MERIT[variant] + 0.0035

    probes = make_probes(DESIGN, near_a_border, noise=0.0008, decimals=2)
    floor = analyse(make_dataset(DESIGN, probes)).noise_floor
    assert floor.grid_step == 0.01
    assert not floor.exact
    for key, pool in floor.by_question.items():
        assert pool.sd == pytest.approx(0.01 / math.sqrt(12), rel=1e-5), key
    assert floor.by_scenario["hiring"].sd == pytest.approx(0.01 / math.sqrt(36), rel=1e-5)
    assert floor.by_scenario["triage"].sd == pytest.approx(0.01 / math.sqrt(24), rel=1e-5)


def test_a_model_whose_repeats_all_agree_is_exact_and_gets_no_p() -> None:
    report = analyse(make_dataset(DESIGN, make_probes(DESIGN, noise=0.0)))
    assert report.noise_floor.exact
    assert report.noise_floor.answer_sd == 0.0
    assert all(row.p_noise is None and row.q is None for row in report.comparisons)
    assert not any(row.significant for row in report.comparisons)
    assert all(row.delta is not None for row in report.comparisons)
    assert any("does not vary" in note and "not applicable" in note for note in report.notes)


def test_one_repeat_that_differs_makes_a_model_vary() -> None:
    probes = make_probes(DESIGN, noise=0.0)
    probes[0] = replace(probes[0], favourability={**probes[0].favourability, "q0": 0.36})
    report = analyse(make_dataset(DESIGN, probes))
    assert not report.noise_floor.exact


def test_seven_degrees_of_freedom_call_no_model_exact() -> None:
    design = replace(DESIGN, bases=1, scenarios={"hiring": 2}, conditions=("full",), replicate_subjects=0)
    report = analyse(make_dataset(design, make_probes(design, noise=0.0)))
    assert report.noise_floor.degrees_of_freedom == 7
    assert not report.noise_floor.exact
    assert all(row.p_noise is None for row in report.comparisons)
    assert any("fewer than 8" in note for note in report.notes)
    eight = replace(design, anchor_replicates=9)
    assert analyse(make_dataset(eight, make_probes(eight, noise=0.0))).noise_floor.exact


def test_a_pool_for_part_of_the_questions_needs_no_more_than_those() -> None:
    probes = make_probes(DESIGN)
    probes = [without(p, "q2") if p.scenario == "hiring" and p.replicate % 2 else p for p in probes]
    dataset = make_dataset(DESIGN, probes)
    noise = measure_noise(dataset, build_cells(dataset))
    both, all_three = noise.score_pool(0, (0, 1)), noise.score_pool(0, (0, 1, 2))
    assert both.degrees_of_freedom == 4 * 7 + 4 * 3
    assert all_three.degrees_of_freedom == 4 * 3 + 4 * 1
