"""Runs that went wrong, or were small: a report without a crash, a NaN or a false claim, and a reason."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.dataset import ProbeRecord, build_dataset
from jevbias.analysis.facts import ProbeOutcome
from jevbias.report.run_report import RunReport
from jevbias.report.soundness import find_fault
from jevbias.report.write import report_json
from tests.analysis.runs import (
    FACTS,
    MERIT,
    Design,
    Someone,
    make_catalogue,
    make_dataset,
    make_people,
    make_probes,
    unanswered,
    without,
)

DESIGN = Design(bases=3)


def report_of(design: Design, probes: list[ProbeRecord]) -> RunReport:
    report = analyse(make_dataset(design, probes))
    assert "NaN" not in report_json(report).decode()
    assert "Infinity" not in report_json(report).decode()
    assert find_fault(report) is None
    return report


def says(report: RunReport, words: str) -> bool:
    return any(words in note for note in report.notes)


def test_nothing_answered() -> None:
    report = report_of(DESIGN, [unanswered(p, "pending", None) for p in make_probes(DESIGN)])
    assert (report.run.answered, report.run.answers) == (0, 0)
    assert report.failures.by_status["pending"] == report.run.calls
    assert all(row.delta is None and row.pairs == 0 for row in report.comparisons)
    assert {row.flag for row in report.validity} == {"untested"}
    assert report.conditions == []
    assert says(report, "Nothing has been answered")
    assert says(report, "not finished")


def test_no_probes_at_all() -> None:
    report = report_of(DESIGN, [])
    assert report.run.calls == 0
    assert report.comparisons == []


def test_half_the_probes_failed() -> None:
    stream = np.random.default_rng(7)
    probes = [unanswered(p) if stream.random() < 0.5 else p for p in make_probes(DESIGN)]
    report = report_of(DESIGN, probes)
    failed = report.failures.by_status["failed"]
    assert 0 < failed < report.run.calls
    assert report.failures.by_kind == {"timeout": failed}
    assert report.run.answered == report.run.calls - failed
    assert says(report, f"{failed} failed")
    assert any(row.delta is not None for row in report.comparisons)
    for row in report.comparisons:
        assert (row.delta is None) == (row.pairs == 0)
        assert row.visible or not row.significant


def test_no_repeats() -> None:
    design = replace(DESIGN, replicate_subjects=0, anchor_replicates=1)
    report = report_of(design, make_probes(design))
    floor = report.noise_floor
    assert (floor.answer_sd, floor.probe_sd, floor.mean_sd, floor.cells) == (None, None, None, 0)
    assert not floor.exact
    assert all(row.p_noise is None and row.delta is not None for row in report.comparisons)
    assert says(report, "noise is unknown")
    assert {row.flag for row in report.validity} == {"ok"}


def test_one_base() -> None:
    design = replace(DESIGN, bases=1)
    report = report_of(design, make_probes(design))
    assert report.run.bases == 1
    assert says(report, "There is one base")
    pooled = [row for row in report.comparisons if row.question is None]
    assert {row.effective_n for row in pooled} == {1.0}
    assert all(row.pairs == 2 and row.sd is not None for row in pooled)
    assert all(row.sd is None and row.cohens_d is None for row in report.comparisons if row.question)


def test_one_scenario() -> None:
    design = replace(DESIGN, scenarios={"hiring": 2})
    report = report_of(design, make_probes(design))
    pooled = [row for row in report.comparisons if row.question is None]
    assert all(set(row.by_scenario or {}) == {"hiring"} for row in pooled)
    assert all(row.p_noise is not None for row in pooled)


def test_a_question_that_never_came_back() -> None:
    report = report_of(
        DESIGN, [without(p, "q1") if p.scenario == "hiring" else p for p in make_probes(DESIGN)]
    )
    answered = sum(p.scenario == "hiring" for p in make_probes(DESIGN))
    assert report.failures.missing_answers == {"hiring.q1": answered}
    assert says(report, "No usable answer ever came back to hiring.q1")
    rows = [row for row in report.comparisons if row.question == "hiring.q1"]
    assert len(rows) == 10
    assert all(row.delta is None and row.p_noise is None for row in rows)
    assert all(row.p_noise is not None for row in report.comparisons if row.question is None)
    flags = {row.question: row for row in report.validity}
    assert (flags["hiring.q1"].flag, flags["hiring.q1"].means) == ("untested", {})
    assert flags["hiring.q0"].flag == "ok"


def test_a_scenario_without_a_question_that_responds() -> None:
    def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        return 0.52 if scenario == "triage" else MERIT[variant]

    report = report_of(DESIGN, make_probes(DESIGN, expect))
    assert says(report, "No question of triage can be pooled")
    pooled = [row for row in report.comparisons if row.question is None]
    assert all(set(row.by_scenario or {}) == {"hiring"} and row.pairs == 3 for row in pooled)
    assert "triage" not in report.noise_floor.by_scenario


def test_no_question_responds_at_all() -> None:
    report = report_of(DESIGN, make_probes(DESIGN, lambda *_: 0.52))
    pooled = [row for row in report.comparisons if row.question is None]
    assert all(row.delta is None and row.delta_all_questions is not None for row in pooled)
    assert report.noise_floor.probe_sd is None
    assert says(report, "No question can be pooled, so there are no pooled figures")
    assert not any("other scenarios" in note or "no pair was answered" in note for note in report.notes)


def test_a_missing_anchor_takes_its_pairs_along() -> None:
    probes = [p for p in make_probes(DESIGN) if (p.person, p.condition) != (0, "full")]
    report = report_of(DESIGN, probes)
    pooled = [row for row in report.comparisons if row.question is None]
    assert {(row.condition, row.pairs) for row in pooled} == {("name_only", 6), ("full", 4)}
    assert says(report, "10 of 60 pairs were not answered on both sides")


def test_a_factorial_run_reports_all_but_comparisons() -> None:
    people = [Someone(idx, None, False) for idx in range(12)]
    stream = np.random.default_rng(2)
    probes = [
        ProbeRecord(
            person.idx, scenario, ("weak", "mid", "strong")[person.idx % 3], condition, replicate, values
        )
        for person in people
        for scenario in ("hiring", "triage")
        for condition in ("blind", "full")
        for replicate in range(3 if condition == "full" and person.idx < 6 else 1)
        for values in [
            {
                f"q{n}": 0.3 + 0.1 * (person.idx % 3) + 0.01 * stream.normal()
                for n in range(DESIGN.scenarios[scenario])
            }
        ]
    ]
    facts = replace(FACTS, design="factorial")
    report = analyse(build_dataset(facts, make_catalogue(DESIGN), people, probes))
    assert report.comparisons == []
    assert report.run.bases is None
    assert says(report, "The levels of these people are not known, so there are no contrasts.")
    assert report.noise_floor.cells == 12
    assert {row.flag for row in report.validity} == {"ok"}
    assert {row.condition for row in report.conditions} == {"blind", "full"}
    assert all(row.by_base == {} for row in report.conditions)
    shifts = [row.shift for row in report.conditions if row.condition == "full"]
    assert all(shift is not None and abs(shift) < 0.02 for shift in shifts)


def test_costs_that_nobody_named_are_none_and_partial_ones_are_said() -> None:
    probes = make_probes(DESIGN)
    plain = report_of(DESIGN, probes).run
    assert (plain.cost, plain.input_tokens, plain.mean_latency_ms) == (None, None, None)
    told = [
        replace(p, outcome=ProbeOutcome(model_answered="m-1", cost=0.001, input_tokens=10, latency_ms=5.0))
        for p in probes
    ]
    told[0] = replace(told[0], outcome=ProbeOutcome(model_answered="m-2"))
    report = report_of(DESIGN, told)
    assert report.run.cost == pytest.approx(0.001 * (len(probes) - 1))
    assert report.run.input_tokens == 10 * (len(probes) - 1)
    assert report.run.mean_latency_ms == 5.0
    assert says(report, "The sum of cost leaves out answered probes of which nobody said it: 1.")
    assert report.run.models_answered == ["m-1", "m-2"]


def test_every_missing_cohens_d_of_a_swap_that_was_seen_is_counted_in_a_note() -> None:
    one_pair = replace(DESIGN, bases=1, scenarios={"hiring": 2})
    report = report_of(one_pair, make_probes(one_pair))
    seen = sum(row.visible and row.question is None for row in report.comparisons)
    assert 0 < seen < 10
    alone = "comparisons that the model could see rest on one pair and so have no SD and no Cohen's d."
    assert says(report, f"{seen} of {seen} pooled {alone}")
    assert says(report, f"{2 * seen} of {2 * seen} per-question {alone}")
    alike = report_of(DESIGN, make_probes(DESIGN, noise=0.0))
    zero = "comparisons that the model could see have no Cohen's d: the SD over their pairs is zero."
    assert says(alike, f"{seen} of {seen} pooled {zero}")
    assert says(alike, f"{5 * seen} of {5 * seen} per-question {zero}")
    assert not says(report_of(DESIGN, make_probes(DESIGN)), "Cohen's d")


def test_numbers_in_notes_have_their_thousands_separated() -> None:
    often = replace(DESIGN, anchor_replicates=200)
    report = report_of(often, make_probes(often, noise=0.0))
    assert says(report, f"({report.noise_floor.degrees_of_freedom:,} degrees of freedom)")
    assert not re.search(r"\d{4}", " ".join(report.notes))


def test_an_exact_run_says_how_many_rows_all_bases_agree_on() -> None:
    """Whoever is swapped to `l0` of faith is lower by a hair, in every base alike; nobody else moves."""

    def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        hair = 0.0005 if (person.swapped_attribute, person.swapped_level) == ("faith", "l0") else 0.0
        return MERIT[variant] - (hair if condition == "full" else 0.0)

    report = report_of(DESIGN, make_probes(DESIGN, expect, noise=0.0))
    rows = [row for row in report.comparisons if row.visible]
    assert [row.id for row in rows if row.bases_agree and row.question is None] == ["full/faith=l0"]
    seen = sum(row.question is None for row in rows)
    assert says(report, f"All bases moved the same way in 1 of {seen} pooled comparisons that the model")
    assert says(report, f"All bases moved the same way in 5 of {5 * seen} per-question comparisons that")
    assert not says(report_of(DESIGN, make_probes(DESIGN)), "All bases moved")


def test_what_claim_b_generalises_over_is_what_varied_between_anchors() -> None:
    def over(design: Design) -> str:
        reach = report_of(design, make_probes(design)).generalisation
        assert reach is not None
        return reach.over_people

    assert over(DESIGN) == "other names and case mixes, same background"
    assert over(replace(DESIGN, bases=1)) == "nobody else: there is one base"


@pytest.mark.parametrize("noise", [0.0, 0.0085])
def test_with_few_bases_nothing_is_worse_or_better_and_the_floor_is_said(noise: float) -> None:
    """An effect on everyone of a level, twenty times the noise."""

    def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        hit = person.swapped_level == "l1" and condition == "full"
        return MERIT[variant] - (0.2 if hit else 0.0)

    scenarios = {f"s{number}": 2 for number in range(4)}
    design = replace(DESIGN, bases=6, scenarios=scenarios, swapped={"culture": 2, "faith": 12})
    report = report_of(design, make_probes(design, expect, noise=noise))
    hit = [row for row in report.comparisons if row.level == "l1" and row.condition == "full"]
    assert len(hit) == 2 * (1 + 8)
    assert all(row.delta == pytest.approx(-0.2, abs=0.04) for row in hit)
    assert {row.p_people for row in hit} == {2 / 2**6}
    assert {row.verdict for row in report.comparisons} <= {
        "control",
        "these cases",
        "no difference",
        "unclear",
        "small",
    }
    assert all(
        row.verdict == "these cases" and "other names and case mixes: q" in (row.missing_claim or "")
        for row in hit
    )
    reach = report.generalisation
    assert reach is not None
    assert (reach.p_floor, reach.pooled.tests, reach.pooled.bases_needed) == (2 / 2**6, 16, 10)
    assert reach.pooled.discoveries_needed == 11


def test_times_are_utc() -> None:
    report = report_of(DESIGN, make_probes(DESIGN))
    assert (report.run.started_at, report.run.finished_at) == ("2026-09-21T14:13:20Z", "2026-09-21T14:14:20Z")


def test_no_figure_of_any_report_is_negative_zero_or_longer_than_six_digits() -> None:
    report = json.loads(report_json(report_of(DESIGN, make_probes(DESIGN))))

    def figures(node: object) -> list[float]:
        if isinstance(node, dict):
            return [x for value in node.values() for x in figures(value)]
        if isinstance(node, list):
            return [x for value in node for x in figures(value)]
        return [node] if isinstance(node, float) else []

    found = figures(report["comparisons"])
    assert len(found) > 500
    for value in found:
        assert value == float(f"{value:.6g}")
        assert str(value) != "-0.0"


def test_claim_b_speaks_for_the_bases_that_answered() -> None:
    """Three bases planned, one of them answered."""
    people = {person.idx: person for person in make_people(DESIGN)}
    probes = [p if people[p.person].base == 0 else unanswered(p) for p in make_probes(DESIGN)]
    report = report_of(DESIGN, probes)
    reach = report.generalisation
    assert reach is not None
    assert (reach.bases, reach.p_floor) == (1, 1.0)
    assert reach.over_people == "nobody else: there is one base"
    assert says(report, "There is one base")
    assert says(report, "Of 3 bases planned, 1 have pairs that were answered on both sides.")
    assert {row.bases for row in report.comparisons} == {1}


def test_bases_of_very_unequal_weight_make_no_equivalence() -> None:
    """One base answered in every scenario, five in one each: together they are worth fewer than three."""
    scenarios = {f"s{number}": 2 for number in range(8)}
    design = replace(DESIGN, bases=6, scenarios=scenarios)
    people = {person.idx: person for person in make_people(design)}

    def kept(probe: ProbeRecord) -> bool:
        person = people[probe.person]
        return person.is_anchor or person.base == 0 or probe.scenario == f"s{person.base}"

    report = report_of(design, [p if kept(p) else unanswered(p) for p in make_probes(design)])
    pooled = [row for row in report.comparisons if row.question is None]
    assert {row.bases for row in pooled} == {6}
    assert all(row.ci_people is None and row.p_people is not None for row in pooled)
    assert not {row.verdict for row in pooled} & {"no difference", "small", "worse", "better"}
    assert says(report, "worth fewer than 3")
