"""Factorial runs that went wrong, or were small: no crash, no NaN, no false claim, and a reason."""

from dataclasses import replace

import numpy as np

from jevbias.analysis.analyse import analyse
from jevbias.analysis.dataset import ProbeRecord
from jevbias.report.factorial import Factorial
from jevbias.report.run_report import RunReport
from jevbias.report.soundness import find_fault
from jevbias.report.write import report_json
from tests.analysis.factorial.crowds import LEVELS, Crowd, has, together
from tests.analysis.runs import Someone, unanswered, without

CROWD = Crowd(people=60)
EFFECT = has("faith", "two", -0.06, "full")


def report_of(
    crowd: Crowd, probes: list[ProbeRecord] | None = None, people: list[Someone] | None = None
) -> RunReport:
    report = analyse(crowd.dataset(crowd.probes() if probes is None else probes, people))
    written = report_json(report).decode()
    assert "NaN" not in written
    assert "Infinity" not in written
    assert find_fault(report) is None
    assert report.comparisons == []
    assert not says(report, "not available in this version")
    return report


def found(report: RunReport) -> Factorial:
    assert report.factorial is not None
    return report.factorial


def says(report: RunReport, words: str) -> bool:
    return any(words in note for note in report.notes)


def test_half_the_probes_failed() -> None:
    stream = np.random.default_rng(7)
    probes = [unanswered(p) if stream.random() < 0.5 else p for p in CROWD.probes(EFFECT)]
    factorial = found(report_of(CROWD, probes))
    first = factorial.contrasts[0]
    assert first.significant
    assert first.id == "full/faith=two"
    assert first.people < 15
    assert factorial.hidden.significant == 0
    assert all(row.visible or not row.significant for row in factorial.contrasts if row.question is None)


def test_nothing_answered() -> None:
    factorial = found(report_of(CROWD, [unanswered(p) for p in CROWD.probes()]))
    assert all(row.delta is None and row.p is None and row.adjusted is None for row in factorial.contrasts)
    assert factorial.interactions == []
    assert factorial.visible.tests == factorial.hidden.tests == 0


def test_no_probes_at_all() -> None:
    factorial = found(report_of(CROWD, []))
    assert (factorial.contrasts, factorial.cells) == ([], [])


def test_a_level_that_nobody_has() -> None:
    people = [
        replace(p, levels={**p.levels, "faith": "one" if p.levels["faith"] == "two" else p.levels["faith"]})
        for p in CROWD.members()
    ]
    report = report_of(CROWD, people=people)
    rows = [row for row in found(report).contrasts if row.attribute == "faith" and row.level == "two"]
    assert rows
    assert all(row.people == 0 and row.delta is None and row.adjusted is None for row in rows)
    assert says(report, "Nobody has faith=two")
    others = [row for row in found(report).contrasts if row.attribute == "faith" and row.level == "one"]
    assert all(row.p is not None and row.adjusted is not None for row in others)
    assert found(report).interactions_untested == 2 + 1 + 1 + 2


def test_a_reference_that_nobody_has() -> None:
    people = [replace(p, levels={**p.levels, "dress": "fine"}) for p in CROWD.members()]
    report = report_of(CROWD, people=people)
    assert all(row.delta is None for row in found(report).contrasts if row.attribute == "dress")
    assert says(report, "Nobody has dress=plain, the reference")


def test_two_levels_that_always_come_together_are_named_and_not_adjusted() -> None:
    people = [
        replace(p, levels={**p.levels, "dress": "fine" if p.levels["gender"] == "woman" else "plain"})
        for p in CROWD.members()
    ]
    report = report_of(CROWD, people=people)
    twins = [row for row in found(report).contrasts if row.attribute in ("dress", "gender")]
    assert all(row.adjusted is None and row.delta is not None for row in twins)
    assert says(report, "The linear model leaves out gender=woman and dress=fine")
    assert all(row.adjusted is not None for row in found(report).contrasts if row.attribute == "faith")
    assert found(report).degrees_of_freedom == 60 - found(report).parameters


def test_a_question_that_never_came_back() -> None:
    report = report_of(CROWD, [without(p, "q1") if p.scenario == "hiring" else p for p in CROWD.probes()])
    rows = [row for row in found(report).contrasts if row.question == "hiring.q1"]
    assert all(row.delta is None and row.p is None for row in rows)
    assert all(row.p is not None for row in found(report).contrasts if row.question is None)
    assert says(report, "nobody on one side has a score")


def test_an_exact_model_still_has_a_p_because_people_differ() -> None:
    effects = together(EFFECT, has("dress", "fine", 0.03, "full"), has("culture", "there", 0.02, "full"))
    report = report_of(CROWD, CROWD.probes(effects, noise=0.0))
    assert report.noise_floor.exact
    rows = {row.id: row for row in found(report).contrasts}
    assert rows["full/faith=two"].significant
    assert rows["full/faith=two"].interval is not None
    blind = [row for row in found(report).contrasts if row.condition == "blind"]
    assert all((row.delta, row.p, row.interval, row.cohens_d) == (0.0, 1.0, None, None) for row in blind)
    assert all(row.adjusted_p == 1.0 for row in blind)
    assert says(report, "leaves the contrasts their p")
    assert says(report, "the linear model fits everybody without an error")


def test_two_people() -> None:
    report = report_of(Crowd(people=2))
    assert all(row.delta is None for row in found(report).contrasts)
    assert says(report, "nobody on one side has a score")


def test_two_people_who_met_the_same_case() -> None:
    report = report_of(Crowd(people=2, variants=1, replicate_subjects=0))
    factorial = found(report)
    assert factorial.visible.significant == factorial.hidden.significant == 0
    assert all(row.interval is None for row in factorial.contrasts)
    assert all(row.p in (None, 1.0) for row in factorial.contrasts)


def test_more_parameters_than_people() -> None:
    report = report_of(Crowd(people=8, variants=1))
    assert found(report).degrees_of_freedom == 0
    assert all(row.adjusted_p is None for row in found(report).contrasts)
    assert says(report, "no degree of freedom")


def test_one_variant_only() -> None:
    report = report_of(Crowd(people=60, variants=1), None)
    assert {row.flag for row in report.validity} == {"untested"}
    assert all(row.p is not None for row in found(report).contrasts)
    assert says(report, "pooled scores use all")


def test_a_catalogue_without_gender_or_name_culture() -> None:
    crowd = Crowd(people=60, attributes={key: LEVELS[key] for key in ("faith", "dress")})
    report = report_of(crowd)
    assert (found(report).cells, found(report).empty_cells) == ([], [])
    assert says(report, "no table of intersections")
    assert {row.condition for row in found(report).interactions} == {"full"}


def test_no_attribute_at_all() -> None:
    people = [replace(p, levels={}) for p in CROWD.members()]
    report = report_of(CROWD, people=people)
    assert found(report).contrasts == []
    assert says(report, "The levels of these people are not known")


def test_a_person_of_whom_one_level_is_unknown_takes_part_with_the_others() -> None:
    people = CROWD.members()
    people[0] = replace(people[0], levels={k: v for k, v in people[0].levels.items() if k != "faith"})
    report = report_of(CROWD, people=people)
    rows = {row.id: row for row in found(report).contrasts}
    assert rows["full/dress=fine"].people + rows["full/dress=fine"].reference_people == 60
    assert says(report, "A level of 1 of 60 people is not known")


def test_an_empty_cell_is_named() -> None:
    people = [
        replace(p, levels={**p.levels, "culture": "here"})
        if (p.levels["gender"], p.levels["culture"]) == ("woman", "there")
        else p
        for p in CROWD.members()
    ]
    report = report_of(CROWD, people=people)
    factorial = found(report)
    assert factorial.empty_cells == ["gender=woman+culture=there"]
    empty = [cell for cell in factorial.cells if cell.people == 0]
    assert len(empty) == 3
    assert all(cell.mean is None and cell.interval is None for cell in empty)
    assert says(report, "Nobody has both levels of gender=woman+culture=there")
    assert factorial.interactions_untested >= 2


def test_without_blind_and_names_everything_is_visible_and_there_is_no_control() -> None:
    report = report_of(Crowd(people=60, conditions=("full",)))
    assert found(report).hidden.tests == 0
    assert says(report, "no negative control")
    report = report_of(Crowd(people=60, conditions=("name_only", "full")))
    assert found(report).hidden.tests > 0
    assert says(report, "Without `blind`")


def test_a_question_that_fails_validity_is_marked_and_stays_in_its_family() -> None:
    probes = [
        replace(p, favourability={**p.favourability, "q0": 0.51}) if p.scenario == "triage" else p
        for p in CROWD.probes()
    ]
    report = report_of(CROWD, probes)
    rows = [row for row in found(report).contrasts if row.question == "triage.q0"]
    assert {row.flag for row in report.validity if row.question == "triage.q0"} == {"midpoint"}
    assert all(row.withheld and row.q is not None for row in rows)
    assert not any(row.withheld for row in found(report).contrasts if row.question != "triage.q0")
