"""Frozen hypotheses end as confirmed, not confirmed (equivalent or opposite) or unclear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from jevbias.analysis.analyse import analyse, analyse_run
from jevbias.analysis.dataset import Dataset, ProbeRecord
from jevbias.plan.confirm import Direction, Hypothesis
from jevbias.report.hypotheses import Hypotheses, HypothesisRow
from jevbias.report.run_report import RunReport
from jevbias.store.connections import writing
from jevbias.store.engine import open_store
from jevbias.store.hypotheses import freeze, write_hypotheses
from tests.analysis.runs import FACTS, Design, Someone, by_merit, make_dataset, make_probes, unanswered
from tests.analysis.stored import store_run

DESIGN = Design(bases=8, scenarios={"hiring": 3, "triage": 2, "lending": 2, "bail": 2})
ASKED: dict[str, Direction] = {
    "full/faith=l2": "down",
    "name_only/culture=l1": "up",
    "full/culture=l0": "down",
    "full/faith=l0": "up",
    "full/faith=l1": "down",
    "full/creed=l9": "down",
}
"""Down in every base; up in every base; nothing; up where down was claimed; up or down by base; nowhere."""


def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    merit = by_merit(person, scenario, question, variant, condition)
    swap = f"{person.swapped_attribute}={person.swapped_level}"
    moved = {"faith=l2": -0.06, "faith=l1": 0.06, "culture=l1": 0.05}.get(swap, 0.0)
    if swap == "faith=l0":
        moved = 0.09 if (person.base or 0) % 2 else -0.05
    return merit + (moved if condition == "full" or swap.startswith("culture") else 0.0)


def frozen(
    dataset: Dataset, asked: dict[str, Direction], margin: float = 0.02, alpha: float = 0.05
) -> Dataset:
    rows = [Hypothesis(comparison, direction, margin, alpha) for comparison, direction in asked.items()]
    return replace(dataset, hypotheses=freeze(rows, dataset.facts.plan_hash, "explore"))


def judged(report: RunReport) -> Hypotheses:
    assert report.hypotheses is not None
    return report.hypotheses


def only(dataset: Dataset, asked: dict[str, Direction], **declared: float) -> HypothesisRow:
    (row,) = judged(analyse(frozen(dataset, asked, **declared))).rows
    return row


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return make_dataset(DESIGN, make_probes(DESIGN, expect))


@pytest.fixture(scope="module")
def report(dataset: Dataset) -> RunReport:
    return analyse(frozen(dataset, ASKED))


def test_each_hypothesis_ends_as_what_was_put_into_the_data_says(report: RunReport) -> None:
    assert {row.comparison: row.outcome for row in judged(report).rows} == {
        "full/faith=l2": "confirmed",
        "name_only/culture=l1": "confirmed",
        "full/culture=l0": "not confirmed: equivalent",
        "full/faith=l1": "not confirmed: opposite",
        "full/faith=l0": "unclear",
        "full/creed=l9": "unclear",
    }
    assert [row.comparison for row in judged(report).rows] == list(ASKED)
    assert [row.direction for row in judged(report).rows] == list(ASKED.values())
    assert judged(report).source_run == "explore"
    assert judged(report).intact


def test_p_is_the_share_of_sign_patterns_of_the_bases_that_reach_as_far_and_holm_counts_all(
    report: RunReport,
) -> None:
    rows = {row.id: row for row in report.comparisons}
    expected: list[float | None] = []
    for comparison, direction in ASKED.items():
        found = rows.get(comparison)
        if found is None:
            expected.append(None)
            continue
        towards = np.array(list((found.by_base or {}).values())) * (1 if direction == "up" else -1)
        signs = np.array(list(product([1, -1], repeat=len(towards))))
        expected.append(float(((signs @ towards) >= towards.sum() - 1e-5).mean()))
    assert [row.p for row in judged(report).rows] == [
        None if p is None else pytest.approx(p, rel=1e-5) for p in expected
    ]
    adjusted = multipletests([1.0 if p is None else p for p in expected], method="holm")[1]
    assert [row.p_holm for row in judged(report).rows] == [
        None if p is None else pytest.approx(holm, rel=1e-5)
        for p, holm in zip(expected, adjusted, strict=True)
    ]


def test_the_intervals_are_those_of_the_comparison(report: RunReport) -> None:
    rows = {row.id: row for row in report.comparisons}
    for row in judged(report).rows[:-1]:
        found = rows[row.comparison]
        assert (row.delta, row.ci_people_90, row.ci_general) == (
            found.delta,
            found.ci_people_90,
            found.ci_general,
        )
        assert row.id == f"hypotheses/{row.comparison}"


def test_the_reason_names_the_figures_that_decided(report: RunReport) -> None:
    reasons = {row.comparison: row.reason for row in judged(report).rows}
    assert "after Holm over 6 hypotheses, below 0.05" in reasons["full/faith=l2"]
    assert "lies below 0" in reasons["full/faith=l2"]
    assert "lies above 0" in reasons["name_only/culture=l1"]
    assert "inside ±0.02" in reasons["full/culture=l0"]
    assert "moved up instead" in reasons["full/faith=l1"]
    assert "is not below 0.05" in reasons["full/faith=l0"]
    assert "does not lie above 0" in reasons["full/faith=l0"]
    assert reasons["full/creed=l9"] == "The run made no such comparison."
    assert all(reason.endswith(".") and "nan" not in reason for reason in reasons.values())


def test_equivalence_comes_before_confirmation(dataset: Dataset) -> None:
    assert only(dataset, {"full/faith=l2": "down"}).outcome == "confirmed"
    inside = only(dataset, {"full/faith=l2": "down"}, margin=0.2)
    assert inside.outcome == "not confirmed: equivalent"


def test_alpha_is_the_frozen_one(dataset: Dataset) -> None:
    strict = only(dataset, {"full/faith=l2": "down"}, alpha=0.001)
    assert (strict.outcome, strict.alpha) == ("unclear", 0.001)
    assert "8 bases cannot give one: 0.0039" in strict.reason
    assert "general" not in strict.reason


def test_holm_may_cost_a_confirmation_what_a_lone_hypothesis_has(dataset: Dataset) -> None:
    alone = only(dataset, {"full/faith=l2": "down"}, alpha=0.005)
    assert alone.outcome == "confirmed"
    both = judged(analyse(frozen(dataset, {"full/faith=l2": "down", "full/creed=l9": "down"}, alpha=0.005)))
    assert [row.outcome for row in both.rows] == ["unclear", "unclear"]


def test_an_effect_in_some_cases_only_is_not_confirmed_for_cases_in_general() -> None:
    def in_one_scenario(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        merit = by_merit(person, scenario, question, variant, condition)
        return merit - (0.2 if person.swapped_level == "l2" and scenario == "bail" else 0.0)

    row = only(make_dataset(DESIGN, make_probes(DESIGN, in_one_scenario)), {"full/faith=l2": "down"})
    assert row.p_holm is not None
    assert row.p_holm < 0.05
    assert row.outcome == "unclear"
    assert "does not lie below 0" in row.reason
    assert "one-sided" not in row.reason


@pytest.mark.parametrize("bases", [1, 2])
def test_with_too_few_bases_nothing_is_confirmed_and_the_reason_says_so(bases: int) -> None:
    few = replace(DESIGN, bases=bases)
    row = only(make_dataset(few, make_probes(few, expect)), {"full/faith=l2": "down"})
    assert (row.outcome, row.ci_people_90, row.ci_general) == ("unclear", None, None)
    assert f"{bases} base" in row.reason
    assert "no general interval" in row.reason


def test_a_swap_that_was_never_answered_is_unclear_and_costs_the_others_their_share_of_alpha(
    dataset: Dataset,
) -> None:
    def keep(probe: ProbeRecord) -> ProbeRecord:
        return unanswered(probe) if probe.person in lost else probe

    lost = {
        place for place, swap in enumerate(dataset.swap) if swap >= 0 and dataset.swaps[swap].level == "l0"
    }
    partly = make_dataset(DESIGN, [keep(probe) for probe in make_probes(DESIGN, expect)])
    rows = judged(analyse(frozen(partly, {"full/faith=l0": "down", "full/faith=l2": "down"}))).rows
    assert (rows[0].outcome, rows[0].delta, rows[0].p, rows[0].p_holm) == ("unclear", None, None, None)
    assert "answers" in rows[0].reason
    assert rows[1].outcome == "confirmed"
    assert rows[1].p is not None
    assert rows[1].p_holm == pytest.approx(2 * rows[1].p, rel=1e-5)


def test_an_unfinished_run_decides_nothing_whatever_its_answers_say(dataset: Dataset) -> None:
    probes = make_probes(DESIGN, expect)
    unasked = make_dataset(DESIGN, [*probes[:-2], *(unanswered(p, "pending", None) for p in probes[-2:])])
    row = only(unasked, {"full/faith=l2": "down"})
    assert (row.outcome, row.reason) == (
        "unclear",
        "The run is not finished: probes still to be asked: 2.",
    )
    failed = make_dataset(DESIGN, [*probes[:-2], *(unanswered(probe) for probe in probes[-2:])])
    assert only(failed, {"full/faith=l2": "down"}).outcome == "confirmed"


def test_hypotheses_that_were_changed_after_freezing_are_not_intact(dataset: Dataset) -> None:
    asked = frozen(dataset, ASKED)
    assert asked.hypotheses is not None
    turned = replace(asked.hypotheses.rows[0], direction="up")
    changed = replace(asked.hypotheses, rows=(turned, *asked.hypotheses.rows[1:]))
    assert not judged(analyse(replace(asked, hypotheses=changed))).intact
    elsewhere = replace(asked, facts=replace(FACTS, plan_hash="q" * 64))
    assert not judged(analyse(elsewhere)).intact
    emptied = judged(analyse(replace(asked, hypotheses=replace(asked.hypotheses, rows=()))))
    assert (emptied.rows, emptied.intact) == ([], False)


def test_an_exploratory_run_has_no_hypotheses(dataset: Dataset) -> None:
    assert analyse(dataset).hypotheses is None


def test_a_stored_run_is_read_with_its_hypotheses_whatever_the_order_of_rows(tmp_path: Path) -> None:
    small = Design(bases=3)
    probes = make_probes(small, expect)

    def stored(name: str, asked: Sequence[Hypothesis]) -> Hypotheses:
        engine = open_store(str(tmp_path / name))
        store_run(engine, small, probes, shuffle=len(name))
        with writing(engine) as connection:
            write_hypotheses(connection, 1, replace(freeze(asked, FACTS.plan_hash, "explore"), frozen_at=0.0))
        return judged(analyse_run(engine, None))

    asked = [Hypothesis("full/faith=l2", "down", 0.02, 0.05), Hypothesis("full/faith=l0", "up", 0.02, 0.05)]
    first = stored("a.db", asked)
    assert first == stored("other.db", asked)
    assert [row.comparison for row in first.rows] == ["full/faith=l2", "full/faith=l0"]
    assert (first.source_run, first.frozen_at, first.intact) == ("explore", "1970-01-01T00:00:00Z", True)
