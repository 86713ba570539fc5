from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.analysis.analyse import analyse
from jevbias.analysis.dataset import ProbeRecord
from jevbias.analysis.paired import estimate
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport
from tests.analysis.runs import (
    FACTS,
    MERIT,
    Design,
    make_catalogue,
    make_dataset,
    make_people,
    make_probes,
    without,
)

DESIGN = Design(bases=3, swapped={"faith": 1}, scenarios={"hiring": 2, "triage": 2}, conditions=("full",))


def row(report: RunReport, identifier: str) -> Comparison:
    return next(row for row in report.comparisons if row.id == identifier)


def test_delta_weights_scenarios_equally_whatever_is_missing() -> None:
    """d by hand: three bases in the first scenario, one in the second."""
    nan = float("nan")
    estimates = estimate(np.array([[[0.1, 0.5], [0.2, nan], [0.3, nan]]]))
    assert estimates.delta == pytest.approx([(0.2 + 0.5) / 2])
    assert estimates.weight[0] == pytest.approx(np.array([[1 / 6, 1 / 2], [1 / 6, 0], [1 / 6, 0]]))
    assert estimates.pairs.tolist() == [4]
    assert estimates.sd == pytest.approx([np.std([0.1, 0.5, 0.2, 0.3], ddof=1)])
    assert estimates.cohens_d == pytest.approx(estimates.delta / estimates.sd)
    assert estimates.effective_n == pytest.approx([(2 + 1 + 1) ** 2 / (4 + 1 + 1)])
    assert estimates.by_scenario[0] == pytest.approx([0.2, 0.5])
    assert estimates.by_base[0] == pytest.approx([(0.1 / 6 + 0.5 / 2) / (1 / 6 + 1 / 2), 0.2, 0.3])


def test_thirty_rows_of_one_base_are_worth_one() -> None:
    estimates = estimate(np.full((1, 1, 30), 0.1) + np.arange(30) * 0.001)
    assert estimates.effective_n.tolist() == [1.0]
    assert estimates.pairs.tolist() == [30]


def test_nothing_to_compare_is_nothing_and_no_crash() -> None:
    estimates = estimate(np.full((2, 3, 2), np.nan))
    assert np.isnan(estimates.delta).all()
    assert estimates.pairs.tolist() == [0, 0]
    assert np.isnan(estimates.by_base).all()


def test_equal_differences_have_no_cohens_d() -> None:
    estimates = estimate(np.full((1, 2, 2), 0.25))
    assert estimates.sd.tolist() == [0.0]
    assert np.isnan(estimates.cohens_d).all()


def test_dust_is_no_difference() -> None:
    """0.1 + 0.2 - 0.3 is not 0 to a computer; it is to a report."""
    dust = 0.1 + 0.2 - 0.3
    estimates = estimate(np.array([[[dust, -2 * dust], [3 * dust, dust]]]))
    for figure in (
        getattr(estimates, name) for name in ("difference", "delta", "sd", "by_base", "by_scenario")
    ):
        assert not figure.any()
        assert not np.signbit(figure).any()
    assert np.isnan(estimates.cohens_d).all()


def test_an_exact_model_that_sees_nobody_has_no_dust_in_its_report() -> None:
    def expect(person: object, scenario: str, question: str, variant: str, condition: str) -> float:
        return MERIT[variant] + 0.1 + 0.2

    report = analyse(make_dataset(DESIGN, make_probes(DESIGN, expect, noise=0.0)))
    for found in report.comparisons:
        assert (found.delta, found.sd, found.cohens_d) == (0.0, 0.0, None)
        assert set((found.by_base or {}).values()) <= {0.0}
        assert set((found.by_scenario or {}).values()) <= {0.0}
    assert [found.id for found in report.comparisons] == sorted(found.id for found in report.comparisons)


def test_a_lost_answer_never_moves_a_score_by_its_level() -> None:
    """q1 lies far above q0; where the swap did not answer it, the anchor's is left out as well."""

    def expect(person: object, scenario: str, question: str, variant: str, condition: str) -> float:
        return {"weak": 0.2, "mid": 0.3, "strong": 0.4}[variant] + (0.5 if question == "q1" else 0.0)

    probes = make_probes(DESIGN, expect, noise=0.001)
    swap = next(p.idx for p in make_people(DESIGN) if p.base == 0 and not p.is_anchor)
    lost = [without(p, "q1") if (p.person, p.scenario) == (swap, "hiring") else p for p in probes]
    whole, holed = (row(analyse(make_dataset(DESIGN, p)), "full/faith=l0") for p in (probes, lost))
    assert whole.delta is not None
    assert holed.delta is not None
    assert whole.delta != holed.delta
    assert abs(holed.delta) < 0.003
    assert holed.pairs == whole.pairs == 6


def test_a_missing_pair_leaves_its_scenario_to_the_other_bases() -> None:
    probes = make_probes(DESIGN)
    swap = next(p.idx for p in make_people(DESIGN) if p.base == 1 and not p.is_anchor)
    fewer = [p for p in probes if (p.person, p.scenario) != (swap, "triage")]
    found = row(analyse(make_dataset(DESIGN, fewer)), "full/faith=l0")
    assert found.pairs == 5
    assert found.by_scenario is not None
    assert found.delta == pytest.approx(sum(found.by_scenario.values()) / 2, rel=1e-5)


def test_a_report_row_by_hand() -> None:
    design = Design(bases=2, swapped={"faith": 1}, scenarios={"hiring": 2}, conditions=("full",))
    values = {  # person: the answers of its probes, in the order anchor, swap, anchor, swap
        0: [(0.30, 0.50), (0.34, 0.54)],
        1: [(0.26, 0.50)],
        2: [(0.60, 0.70)] * 8,
        3: [(0.65, 0.71)],
    }
    probes = [
        ProbeRecord(person, "hiring", ("weak", "mid")[person // 2], "full", replicate, {"q0": a, "q1": b})
        for person, answers in values.items()
        for replicate, (a, b) in enumerate(answers)
    ]
    report = analyse(make_dataset(design, probes))
    first, second = (-0.06 - 0.02) / 2, (0.05 + 0.01) / 2
    pooled = row(report, "full/faith=l0")
    assert pooled.delta == pytest.approx((first + second) / 2)
    assert pooled.by_base == pytest.approx({"0": first, "1": second})
    assert (pooled.bases_down, pooled.bases_up, pooled.scenarios_down, pooled.scenarios_up) == (1, 1, 1, 0)
    assert pooled.sd == pytest.approx(abs(first - second) / np.sqrt(2), rel=1e-5)
    assert pooled.effective_n == 2.0
    question = row(report, "full/faith=l0/hiring.q0")
    assert question.delta == pytest.approx((-0.06 + 0.05) / 2)
    assert question.by_base is None
    assert (question.attribute_label, question.level_phrase, question.reference) == (
        "Faith",
        "faith 0",
        "none",
    )


def test_only_pairs_of_one_variant_are_compared() -> None:
    """An anchor asked in a variant that the swap never met lends it no baseline."""
    probes = make_probes(DESIGN)
    stray = ProbeRecord(0, "hiring", "strong", "full", 0, {"q0": 0.9, "q1": 0.9})
    plain = row(analyse(make_dataset(DESIGN, probes)), "full/faith=l0")
    assert row(analyse(make_dataset(DESIGN, [*probes, stray])), "full/faith=l0").delta == plain.delta


SHIFTS = st.lists(st.floats(-0.2, 0.2), min_size=6, max_size=6)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(SHIFTS)
def test_shifting_all_answers_of_a_base_and_scenario_leaves_every_difference(shifts: list[float]) -> None:
    probes = make_probes(DESIGN)
    people = make_people(DESIGN)

    def moved(probe: ProbeRecord) -> ProbeRecord:
        base = people[probe.person].base or 0
        shift = shifts[base * 2 + (probe.scenario == "triage")]
        return replace(probe, favourability={key: v + shift for key, v in probe.favourability.items()})

    before = analyse(make_dataset(DESIGN, probes)).comparisons
    after = {c.id: c for c in analyse(make_dataset(DESIGN, [moved(p) for p in probes])).comparisons}
    for comparison in before:
        if comparison.question is not None:  # pooled rows may lose a question that no longer responds
            assert after[comparison.id].delta == pytest.approx(comparison.delta, abs=1e-6)
            assert after[comparison.id].p_noise == pytest.approx(comparison.p_noise, rel=1e-3)


def test_flipping_every_question_flips_every_sign_and_no_p() -> None:
    design = replace(DESIGN, bases=1)  # one variant, so that no question turns inverted
    probes = make_probes(design)
    flipped = [replace(p, favourability={k: 1 - v for k, v in p.favourability.items()}) for p in probes]
    before = analyse(make_dataset(design, probes)).comparisons
    after = {c.id: c for c in analyse(make_dataset(design, flipped)).comparisons}
    for comparison in before:
        assert comparison.delta is not None
        assert after[comparison.id].delta == pytest.approx(-comparison.delta, rel=1e-5)
        assert after[comparison.id].p_noise == pytest.approx(comparison.p_noise, rel=1e-3)


def test_what_a_name_shows_is_visible_and_the_rest_is_a_control() -> None:
    report = analyse(make_dataset(Design()))
    visible = {(c.condition, c.attribute): c.visible for c in report.comparisons}
    assert visible == {
        ("full", "culture"): True,
        ("full", "faith"): True,
        ("name_only", "culture"): True,
        ("name_only", "faith"): False,
    }
    for comparison in report.comparisons:
        assert (comparison.verdict == "control") == (not comparison.visible)


def test_every_planned_comparison_is_a_row_once() -> None:
    report = analyse(make_dataset(Design()))
    ids = [c.id for c in report.comparisons]
    assert len(set(ids)) == len(ids) == 2 * 5 * (1 + 5)
    catalogue = make_catalogue(Design())
    assert {c.attribute for c in report.comparisons} == set(catalogue.attributes)
    assert report.run.alpha == FACTS.alpha
