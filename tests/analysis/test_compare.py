"""Runs side by side: what is compared, over what both share, and what never is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.stats

from jevbias.analysis.compare import compare_runs
from jevbias.analysis.compare_sources import Source
from jevbias.analysis.dataset import ProbeRecord
from jevbias.stats.multiplicity import benjamini_hochberg
from tests.analysis.compared_sources import DESIGN, biased, fair, pair_of, rows_of, source, unfair
from tests.analysis.runs import (
    MERIT,
    Design,
    Someone,
    by_merit,
    make_probes,
    unanswered,
    without,
)


def by_base(
    probes: Sequence[ProbeRecord], design: Design, questions: dict[str, list[str]], swap: tuple[str, str]
) -> dict[int, float]:
    """The delta of one swap under `full`, base by base, from the records and nothing else."""
    from tests.analysis.runs import make_people

    people = {person.idx: person for person in make_people(design)}
    answers: dict[tuple[int, bool, str, str], list[float]] = {}
    for probe in probes:
        person = people[probe.person]
        if probe.condition != "full" or not (
            person.is_anchor or (person.swapped_attribute, person.swapped_level) == swap
        ):
            continue
        for question, value in probe.favourability.items():
            if question in questions[probe.scenario]:
                key = (person.base or 0, person.is_anchor, probe.scenario, question)
                answers.setdefault(key, []).append(value)
    deltas = {}
    for base in range(design.bases):
        scenarios = [
            np.mean(
                [
                    np.mean(answers[base, False, scenario, question])
                    - np.mean(answers[base, True, scenario, question])
                    for question in asked
                ]
            )
            for scenario, asked in questions.items()
        ]
        deltas[base] = float(np.mean(scenarios))
    return deltas


EVERY = {"hiring": ["q0", "q1", "q2"], "triage": ["q0", "q1"], "lending": ["q0", "q1"]}


def test_runs_of_one_plan_are_compared_pair_by_pair_with_t_intervals_and_sign_flips_over_bases() -> None:
    row = rows_of(pair_of(fair(), unfair()))["full/faith=l1"]
    deltas = [
        by_base(probes, DESIGN, EVERY, ("faith", "l1"))
        for probes in (make_probes(DESIGN, seed=1), make_probes(DESIGN, biased, seed=2))
    ]
    difference = np.array([deltas[1][base] - deltas[0][base] for base in range(6)])
    assert row.difference == pytest.approx(difference.mean(), rel=1e-5)
    assert row.first.delta == pytest.approx(np.mean(list(deltas[0].values())), rel=1e-5)
    assert row.second.delta == pytest.approx(np.mean(list(deltas[1].values())), rel=1e-5)
    flipped = scipy.stats.permutation_test(
        (difference,), np.mean, permutation_type="samples", n_resamples=1000
    )
    assert row.p == pytest.approx(flipped.pvalue, rel=1e-5) == row.p_floor
    half = scipy.stats.t.ppf(0.975, 5) * difference.std(ddof=1) / np.sqrt(6)
    assert row.interval == pytest.approx((difference.mean() - half, difference.mean() + half), rel=1e-4)
    assert row.bases == 6


def test_a_delta_is_given_in_its_own_run_s_noise_and_spread() -> None:
    pair = pair_of(fair(), unfair())
    row = rows_of(pair)["full/faith=l1"]
    on_question = rows_of(pair)["full/faith=l1/hiring.q1"]
    floor = unfair().report.noise_floor
    assert row.second.in_noise == pytest.approx((row.second.delta or 0) / (floor.probe_sd or 1), rel=1e-5)
    own = floor.by_question["hiring.q1"].sd or 1
    assert on_question.second.in_noise == pytest.approx((on_question.second.delta or 0) / own, rel=1e-5)
    reported = {found.id: found for found in unfair().report.comparisons}
    assert row.second.cohens_d == reported[row.id].cohens_d
    assert row.second.reported == row.second.delta == reported[row.id].delta
    assert (row.second.verdict, row.second.q) == (reported[row.id].verdict, reported[row.id].q)


def test_swapping_the_runs_turns_every_difference_round() -> None:
    there, back = rows_of(pair_of(fair(), unfair())), rows_of(pair_of(unfair(), fair()))
    assert there.keys() == back.keys()
    for name, row in there.items():
        assert row.difference == -(back[name].difference or 0)
        assert (row.p, row.q, row.outcome) == (back[name].p, back[name].q, back[name].outcome)


def test_a_run_beside_itself_differs_in_nothing() -> None:
    pair = pair_of(unfair(), unfair())
    assert (pair.same_run, pair.identical, pair.declared) == (True, True, [])
    assert {row.difference for row in pair.rows} == {0.0}
    assert {row.outcome for row in pair.rows} == {"alike", "control"}
    assert pair.signs.agree == pair.signs.of > 0


def test_q_is_over_the_visible_rows_of_each_family_and_controls_have_none() -> None:
    pair = pair_of(fair(), unfair())
    for pooled in (True, False):
        rows = [row for row in pair.rows if (row.question is None) is pooled]
        visible = [row for row in rows if row.visible]
        q = benjamini_hochberg(np.array([row.p for row in visible], dtype=np.float64))
        assert [row.q for row in visible] == pytest.approx(q.tolist(), rel=1e-5)
        controls = [row for row in rows if not row.visible]
        assert controls
        assert {(row.q, row.outcome) for row in controls} == {(None, "control")}


def test_what_one_run_lacks_is_left_out_of_both() -> None:
    lost = [
        unanswered(probe) if probe.scenario == "triage" and probe.person % 7 == 5 else probe
        for probe in make_probes(DESIGN, biased, seed=2)
    ]
    row = rows_of(pair_of(fair(), source("lossy", lost)))["full/faith=l2"]
    assert row.first.pairs == row.second.pairs < 18
    assert row.difference == pytest.approx((row.second.delta or 0) - (row.first.delta or 0), abs=1e-6)
    assert row.first.delta != row.first.reported


def test_a_question_counts_only_where_both_runs_pool_it() -> None:
    def upside_down(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        value = biased(person, scenario, question, variant, condition)
        return 1 - value if (scenario, question) == ("hiring", "q1") else value

    inverted = make_probes(DESIGN, upside_down, seed=2)
    pair = pair_of(fair(), source("inverted", inverted))
    assert "hiring.q1" not in pair.questions
    assert len(pair.questions) == 6
    sides = rows_of(pair)["full/faith=l1"]
    assert sides.first.in_noise is None
    assert sides.second.in_noise is not None
    assert not any(row.question == "hiring.q1" for row in pair.rows)
    left = {**EVERY, "hiring": ["q0", "q2"]}
    deltas = by_base(make_probes(DESIGN, seed=1), DESIGN, left, ("faith", "l1"))
    row = rows_of(pair)["full/faith=l1"]
    assert row.first.delta == pytest.approx(np.mean(list(deltas.values())), rel=1e-5)
    assert row.first.delta != row.first.reported
    questions = {row.question: row for row in compare_runs([fair(), source("x", inverted)]).questions}
    assert questions["hiring.q1"].flags == ["ok", "inverted"]
    assert questions["hiring.q1"].counts == [True, False]


def test_two_drivers_are_never_subtracted() -> None:
    other = source("other", make_probes(DESIGN, biased, seed=2), driver="openrouter")
    for first, second in ((fair(), other), (fair(stored=False), other)):
        pair = pair_of(first, second)
        assert (pair.same_plan, pair.same_instrument, pair.basis) == (True, False, "none")
        assert "jev and openrouter" in (pair.why_none or "")
        for row in pair.rows:
            assert (row.difference, row.interval, row.p, row.q, row.ci_general) == (None,) * 5
            assert row.outcome in ("not compared", "control")
        row = rows_of(pair)["full/faith=l1"]
        assert row.first.in_noise is not None
        assert row.second.cohens_d is not None
        assert pair.signs.of > 0


def test_runs_of_other_plans_are_two_sets_of_bases() -> None:
    wide = replace(DESIGN, bases=5)
    probes = make_probes(wide, biased, seed=3)
    other = source("other", probes, design=wide, plan_hash="o" * 64, seed=7)
    pair = pair_of(fair(), other)
    assert (pair.basis, pair.same_plan) == ("other bases", False)
    assert {(row.what, row.first, row.second) for row in pair.declared} >= {
        ("seed", "1", "7"),
        ("bases", "6", "5"),
    }
    deltas = [
        list(by_base(made, design, EVERY, ("faith", "l1")).values())
        for made, design in ((make_probes(DESIGN, seed=1), DESIGN), (probes, wide))
    ]
    welch = scipy.stats.ttest_ind(deltas[1], deltas[0], equal_var=False)
    row = rows_of(pair)["full/faith=l1"]
    assert row.difference == pytest.approx(np.mean(deltas[1]) - np.mean(deltas[0]), rel=1e-4)
    assert row.p == pytest.approx(welch.pvalue, rel=1e-3)
    interval = welch.confidence_interval(0.95)
    assert row.interval == pytest.approx((interval.low, interval.high), rel=1e-3)
    assert row.bases == 5


@pytest.mark.parametrize("stored", [True, False])
def test_two_plans_of_one_exact_model_are_identical_and_no_rounding_is_a_difference(stored: bool) -> None:
    def steady(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        hit = (person.swapped_attribute, person.swapped_level) == ("faith", "l1") and condition == "full"
        return MERIT[variant] - (0.2 if hit else 0.0)

    runs = []
    for label, bases in (("one", 6), ("two", 5)):
        design = replace(DESIGN, bases=bases)
        probes = make_probes(design, steady, noise=0, seed=bases)
        runs.append(source(label, probes, design=design, stored=stored, plan_hash=label, seed=bases))
    pair = pair_of(*runs)
    assert (pair.basis, pair.identical) == ("other bases", True)
    assert {row.outcome for row in pair.rows if row.difference is not None} == {"alike", "control"}
    assert {row.p for row in pair.rows if row.visible and row.difference is not None} == {1.0}


def test_less_evidence_never_gives_the_surer_outcome() -> None:
    """Without the general interval of pairs, a pooled row speaks for these cases only."""
    many = replace(DESIGN, bases=10)

    def run(seed: int, *, stored: bool, plan: str = "p" * 64) -> Source:
        probes = make_probes(many, biased if seed == 2 else by_merit, seed=seed)
        return source(f"run{seed}{stored}", probes, design=many, stored=stored, plan_hash=plan)

    by_pairs = rows_of(pair_of(run(1, stored=True), run(2, stored=True)))["full/faith=l1"]
    by_bases = rows_of(pair_of(run(1, stored=False), run(2, stored=False)))["full/faith=l1"]
    by_plans = rows_of(pair_of(run(1, stored=True), run(2, stored=True, plan="o" * 64)))["full/faith=l1"]
    assert [row.outcome for row in (by_pairs, by_bases, by_plans)] == [
        "differs",
        "differs here",
        "differs here",
    ]


def test_pooled_signs_are_not_held_against_each_other_where_the_scores_are_of_different_questions() -> None:
    lacking = [without(probe, "q1") for probe in make_probes(DESIGN, biased, seed=2)]
    stored, reported = (
        source("other", lacking, driver="openrouter", stored=stored) for stored in (True, False)
    )
    planned = source("other", lacking, driver="openrouter", plan_hash="o" * 64)
    for other in (reported, planned):
        pair = pair_of(fair(), other)
        assert pair.signs.of == 0 < pair.question_signs.of
        assert any("their signs are not held" in note for note in pair.notes)
    shared = pair_of(fair(), stored)
    assert shared.signs.of > 0
    assert not any("their signs are not held" in note for note in shared.notes)


def drawn(run: Source, swept: list[str]) -> Source:
    """The run as if its anchors differed in height, and it had swept these attributes."""
    reach = run.report.generalisation
    assert reach is not None
    report = run.report.model_copy(
        update={
            "run": run.report.run.model_copy(update={"swept": swept, "plan_hash": "-".join(swept)}),
            "generalisation": reach.model_copy(update={"drawn": ["height"]}),
        }
    )
    return Source("-".join(swept), report, run.dataset)


def test_drawn_backgrounds_of_runs_that_swept_different_attributes_are_not_subtracted() -> None:
    wide, narrow = drawn(fair(), ["culture", "faith"]), drawn(unfair(), ["faith"])
    pair = pair_of(wide, narrow)
    assert pair.basis == "none"
    assert "swept different attributes" in (pair.why_none or "")
    again = drawn(unfair(), ["faith", "culture"])
    assert pair_of(wide, again).basis == "other bases"


def test_two_bases_give_two_sets_of_bases_no_interval_and_no_p() -> None:
    few = replace(DESIGN, bases=2)
    other = source("few", make_probes(few, biased, seed=3), design=few, plan_hash="o" * 64)
    row = rows_of(pair_of(fair(), other))["full/faith=l1"]
    assert row.difference is not None
    assert (row.interval, row.p, row.q, row.outcome) == (None, None, None, "unclear")


@pytest.mark.parametrize(
    ("facts", "design", "why"),
    [
        ({"catalogue_hash": "d" * 64}, DESIGN, "catalogues differ"),
        ({}, replace(DESIGN, scenarios={"hiring": 3, "triage": 2}), "different scenarios"),
    ],
)
def test_other_words_and_other_cases_are_not_subtracted(
    facts: dict[str, Any], design: Design, why: str
) -> None:
    other = source("other", make_probes(design, seed=3), design=design, plan_hash="o" * 64, **facts)
    pair = pair_of(fair(), other)
    assert pair.basis == "none"
    assert why in (pair.why_none or "")
    assert all(row.difference is None for row in pair.rows)


def test_report_files_of_one_plan_are_compared_base_by_base_without_questions() -> None:
    stored, reported = rows_of(pair_of(fair(), unfair())), rows_of(pair_of(fair(stored=False), unfair()))
    for name, row in stored.items():
        other = reported[name]
        if row.question is None:
            assert other.difference == pytest.approx(row.difference, abs=2e-6)
            assert other.p == row.p
            assert other.interval == pytest.approx(row.interval, abs=2e-6)
            assert other.ci_general is None
        else:
            assert other.difference is None
    assert pair_of(fair(stored=False), unfair()).basis == "bases"


def test_report_files_of_other_plans_are_two_sets_of_bases_too() -> None:
    wide = replace(DESIGN, bases=5)
    stored, reported = (
        source("o", make_probes(wide, seed=3), design=wide, plan_hash="o" * 64, stored=stored)
        for stored in (True, False)
    )
    one, other = rows_of(pair_of(fair(), stored)), rows_of(pair_of(fair(stored=False), reported))
    for name, row in one.items():
        if row.question is None:
            assert other[name].p == pytest.approx(row.p, rel=1e-3)


def test_report_files_that_pool_different_questions_are_not_subtracted() -> None:
    lacking = [without(probe, "q1") for probe in make_probes(DESIGN, seed=2)]
    pair = pair_of(fair(stored=False), source("lacking", lacking, stored=False))
    assert pair.basis == "none"
    assert "pool different questions" in (pair.why_none or "")
