import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from jevbias.analysis.analyse import analyse
from jevbias.analysis.cells import build_cells
from jevbias.analysis.dataset import Dataset, ProbeRecord
from jevbias.analysis.noise import measure_noise
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport
from jevbias.stats.noise_null import Draws, NoiseNull, NoiseNulls
from tests.analysis.runs import (
    MERIT,
    Design,
    Someone,
    by_merit,
    make_dataset,
    make_people,
    make_probes,
    without,
)

DESIGN = Design(bases=3)
DrawsByHand = tuple[tuple[int, tuple[int, ...]], float, int]


def row(report: RunReport, identifier: str) -> Comparison:
    return next(row for row in report.comparisons if row.id == identifier)


def expected_null(dataset: Dataset, draws: Sequence[DrawsByHand]) -> NoiseNull:
    """The null of draws (pool, coefficient, count), written out by hand."""
    noise = measure_noise(dataset, build_cells(dataset))
    null = NoiseNulls().null([Draws(noise.score_pool(*pool), c, n) for pool, c, n in draws])
    assert null is not None
    return null


def assert_claim(found: Comparison, null: NoiseNull, degrees: int) -> None:
    assert found.delta is not None
    exact = null.two_sided_p(np.array([abs(found.delta)]))[0]
    student = 2 * stats.t.sf(abs(found.delta) / null.sd, degrees)
    assert found.p_noise == pytest.approx(max(exact, student), rel=1e-4)
    assert found.ci_noise is not None
    half = max(null.absolute_quantile(0.95), stats.t.ppf(0.975, degrees) * null.sd)
    assert found.ci_noise == pytest.approx((found.delta - half, found.delta + half), rel=1e-4)


def replicated(probes: list[ProbeRecord]) -> set[int]:
    asks = Counter((p.person, p.scenario, p.condition) for p in probes)
    return {person for (person, _, condition), n in asks.items() if n == 4 and condition == "full"}


def swap_of(base: int, level: str) -> int:
    people = make_people(DESIGN)
    return next(p.idx for p in people if (p.base, p.swapped_level) == (base, level) and p.idx % 6 in (1, 2))


def test_a_question_s_null_has_the_comparison_s_own_shape() -> None:
    """Swaps that were asked four times give four draws of a quarter, the others one; anchors eight."""
    probes = make_probes(DESIGN)
    dataset = make_dataset(DESIGN, probes)
    asks = [4 if swap_of(base, "l0") in replicated(probes) else 1 for base in range(3)]
    draws: list[DrawsByHand] = [((0, (1,)), 1 / 3 / k, k) for k in asks]
    draws.append(((0, (1,)), -1 / 24, 24))
    degrees = 3 * 2 * 7 + 4 * 3
    assert_claim(row(analyse(dataset), "full/culture=l0/hiring.q1"), expected_null(dataset, draws), degrees)


def test_a_pooled_null_draws_from_every_scenario_s_pool() -> None:
    probes = make_probes(DESIGN)
    dataset = make_dataset(DESIGN, probes)
    draws: list[DrawsByHand] = []
    for base in range(3):
        k = 4 if swap_of(base, "l1") in replicated(probes) else 1
        for pool in ((0, (0, 1, 2)), (1, (0, 1))):
            draws += [(pool, 1 / 6 / k, k), (pool, -1 / 48, 8)]
    degrees = 2 * (3 * 2 * 7 + 4 * 3)
    assert_claim(row(analyse(dataset), "full/culture=l1"), expected_null(dataset, draws), degrees)


def test_lost_answers_thin_the_draws_and_change_the_pool() -> None:
    """Base 0 lost q2 of the swap and two anchors' probes lost q0: two questions, six asks of the anchor."""
    probes = make_probes(replace(DESIGN, replicate_subjects=0))
    swap = swap_of(0, "l0")

    def lose(p: ProbeRecord) -> ProbeRecord:
        if (p.person, p.scenario, p.condition) == (swap, "hiring", "full"):
            return without(p, "q2")
        if (p.person, p.scenario, p.condition) == (0, "hiring", "full") and p.replicate < 2:
            return without(p, "q0")
        return p

    dataset = make_dataset(DESIGN, [lose(p) for p in probes])
    part, whole, other = (0, (0, 1)), (0, (0, 1, 2)), (1, (0, 1))
    draws: list[DrawsByHand] = [(part, 1 / 6, 1), (part, -1 / 36, 6), (whole, 1 / 6, 2), (whole, -1 / 48, 16)]
    draws += [(other, 1 / 6, 3), (other, -1 / 48, 24)]
    degrees = (3 * 2 * 7 - 2) + 3 * 2 * 7
    assert_claim(row(analyse(dataset), "full/culture=l0"), expected_null(dataset, draws), degrees)


def test_a_row_without_a_p_leaves_its_family_and_is_not_significant() -> None:
    probes = make_probes(DESIGN)
    kept = [p for p in probes if p.scenario != "triage" or p.replicate == 0]
    report = analyse(make_dataset(DESIGN, kept))
    silent = [c for c in report.comparisons if c.question is None or c.question.startswith("triage")]
    for comparison in silent:
        assert (comparison.p_noise, comparison.q, comparison.ci_noise) == (None, None, None)
        assert not comparison.significant
        assert comparison.delta is not None
    tested = [c for c in report.comparisons if c not in silent]
    assert all(c.p_noise is not None and c.q is not None for c in tested)
    assert report.calibration.pooled.visible.tests == 0
    assert report.calibration.pooled.visible.interval is None
    assert any("fewer than 8 degrees of freedom" in note for note in report.notes)


def silenced(
    probes: list[ProbeRecord], questions: Sequence[str], scenario: str | None = None
) -> list[ProbeRecord]:
    """These questions' answers depend on the case alone, and lie on no decimal grid."""
    return [
        replace(p, favourability={**p.favourability, **dict.fromkeys(questions, MERIT[p.variant] + 1 / 300)})
        if scenario in (None, p.scenario)
        else p
        for p in probes
    ]


def test_a_question_that_repeats_to_the_last_digit_gets_no_p() -> None:
    probes = silenced(make_probes(DESIGN), ["q0"])
    report = analyse(make_dataset(DESIGN, probes))
    assert report.noise_floor.by_question["hiring.q0"].sd == 0.0
    assert row(report, "full/faith=l0/hiring.q0").p_noise is None
    assert row(report, "full/faith=l0/hiring.q1").p_noise is not None
    assert row(report, "full/faith=l0").p_noise is not None
    assert any("agree to the last digit" in note for note in report.notes)


def test_families_hold_all_conditions_controls_and_withheld_rows() -> None:
    def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        upside_down = 1.0 - by_merit(person, scenario, question, variant, condition)
        return upside_down if question == "q1" else by_merit(person, scenario, question, variant, condition)

    report = analyse(make_dataset(DESIGN, make_probes(DESIGN, expect)))
    assert {c.verdict for c in report.comparisons if c.question} >= {"control", "withheld"}
    for pooled in (True, False):
        family = [c for c in report.comparisons if (c.question is None) == pooled]
        p = np.array([c.p_noise for c in family], dtype=float)
        q = np.array([c.q for c in family], dtype=float)
        assert q == pytest.approx(stats.false_discovery_control(p), rel=1e-4)


def test_rows_are_sorted_by_q_then_by_the_size_of_delta() -> None:
    probes = [p for p in make_probes(DESIGN) if p.scenario != "triage" or p.replicate == 0]
    rows = analyse(make_dataset(DESIGN, probes)).comparisons
    keys = [(math.inf if c.q is None else c.q, -abs(c.delta or 0.0)) for c in rows]
    assert keys == sorted(keys)
    assert rows[-1].q is None


def test_a_pool_without_spread_lends_no_degrees_of_freedom() -> None:
    """Triage repeats to the last digit: the pooled rows know their noise from hiring's repeats alone."""
    dataset = make_dataset(DESIGN, silenced(make_probes(DESIGN), ["q0", "q1"], "triage"))
    report = analyse(dataset)
    draws: list[DrawsByHand] = []
    for base in range(3):
        k = 4 if swap_of(base, "l1") in replicated(make_probes(DESIGN)) else 1
        draws += [((0, (0, 1, 2)), 1 / 6 / k, k), ((0, (0, 1, 2)), -1 / 48, 8)]
    assert_claim(row(report, "full/culture=l1"), expected_null(dataset, draws), 3 * 2 * 7 + 4 * 3)


def test_pooled_rows_whose_pools_all_lack_spread_have_no_p() -> None:
    """Only hiring's q2 varies, and it is not pooled."""
    probes = silenced(silenced(make_probes(DESIGN, lambda *_: 0.2), ["q0", "q1"]), ["q0", "q1"], "triage")
    report = analyse(make_dataset(DESIGN, probes))
    assert not report.noise_floor.exact
    assert all(c.p_noise is None for c in report.comparisons if c.question is None)
    assert any(c.p_noise is not None for c in report.comparisons if c.question == "hiring.q2")


def rarely(probes: list[ProbeRecord], question: str) -> list[ProbeRecord]:
    """One probe of hiring in twelve answers this question."""
    asked = [p for p in probes if p.scenario == "hiring"]
    kept = {id(p) for p in asked[::12]}
    return [without(p, question) if p.scenario == "hiring" and id(p) not in kept else p for p in probes]


def test_a_question_that_hardly_ever_came_back_takes_no_test_away() -> None:
    probes = rarely(make_probes(DESIGN), "q1")
    report = analyse(make_dataset(DESIGN, probes))
    never = analyse(make_dataset(DESIGN, [without(p, "q1") if p.scenario == "hiring" else p for p in probes]))
    assert report.noise_floor.by_question["hiring.q1"].degrees_of_freedom < 8
    pooled = {c.id: c for c in report.comparisons if c.question is None}
    for found in never.comparisons:
        if found.question is None:
            assert pooled[found.id].p_noise == found.p_noise is not None
            assert (pooled[found.id].delta, pooled[found.id].ci_noise) == (found.delta, found.ci_noise)
    assert report.noise_floor.by_scenario["hiring"] == never.noise_floor.by_scenario["hiring"]
    assert any("Too few repeats answered hiring.q1" in note for note in report.notes)


def test_where_no_question_has_enough_repeats_none_is_dropped() -> None:
    probes = [p for p in make_probes(DESIGN) if p.scenario != "triage" or p.replicate == 0]
    report = analyse(make_dataset(DESIGN, probes))
    pooled = [c for c in report.comparisons if c.question is None]
    assert all(c.p_noise is None and c.delta == c.delta_all_questions for c in pooled)
    assert not any("Too few repeats answered" in note for note in report.notes)


def test_only_controls_have_an_interval_on_their_share() -> None:
    calibration = analyse(make_dataset(DESIGN)).calibration
    for family in (calibration.pooled, calibration.per_question):
        assert family.visible.interval is None
        assert family.controls.interval is not None
        assert family.visible.tests > 0
