"""A model that refuses one group more often is a finding even if its answers agree."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from jevbias.analysis.cells import build_cells
from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.failures import judge_failures
from jevbias.report.failures import FailureRow, Failures
from jevbias.stats.arrays import BoolArray, IntArray
from jevbias.stats.multiplicity import benjamini_hochberg
from tests.analysis.runs import (
    FACTS,
    Design,
    make_catalogue,
    make_dataset,
    make_people,
    make_probes,
    unanswered,
)

DESIGN = Design(bases=6, scenarios={f"s{n}": 1 for n in range(4)})
PEOPLE = {p.idx: p for p in make_people(DESIGN)}


def failures_of(dataset: Dataset) -> Failures:
    return judge_failures(dataset, build_cells(dataset))


def losing(which: Callable[[ProbeRecord], bool], design: Design = DESIGN) -> Dataset:
    """A run in which these probes were refused."""
    probes = [unanswered(p, "refused", "refusal") if which(p) else p for p in make_probes(design)]
    return make_dataset(design, probes)


def is_level(p: ProbeRecord, attribute: str, level: str) -> bool:
    return (PEOPLE[p.person].swapped_attribute, PEOPLE[p.person].swapped_level) == (attribute, level)


def rows_of(dataset: Dataset) -> dict[str, FailureRow]:
    return {row.id: row for row in failures_of(dataset).by_level}


def test_a_run_in_which_everything_was_answered_has_no_rows() -> None:
    assert failures_of(make_dataset(DESIGN)).by_level == []


def test_a_run_that_is_not_finished_has_no_rows_for_what_it_has_not_asked() -> None:
    probes = [unanswered(p, "pending", None) if p.replicate else p for p in make_probes(DESIGN)]
    probes = [unanswered(p, "running", None) if p.scenario == "s3" else p for p in probes]
    assert failures_of(make_dataset(DESIGN, probes)).by_level == []


def test_one_lost_probe_gives_every_visible_swap_a_row_and_no_control_one() -> None:
    rows = rows_of(losing(lambda p: p.person == 0 and p.replicate == 5 and p.scenario == "s1"))
    faith, culture = [f"faith=l{n}" for n in range(3)], [f"culture=l{n}" for n in range(2)]
    assert list(rows) == [
        *(f"failures/name_only/{swap}" for swap in culture),
        *(f"failures/full/{swap}" for swap in (*culture, *faith)),
    ]
    assert all(row.p == 1.0 and row.q == 1.0 and not row.significant for row in rows.values())


def test_a_level_that_is_refused_more_often_is_found() -> None:
    dataset = losing(lambda p: is_level(p, "faith", "l1") and p.condition == "full" and p.scenario != "s0")
    rows = rows_of(dataset)
    refused = rows.pop("failures/full/faith=l1")
    assert (refused.condition, refused.attribute, refused.level) == ("full", "faith", "l1")
    assert (refused.pairs, refused.only_swap, refused.only_anchor) == (24, 18, 0)
    assert refused.p == pytest.approx(2 / 2**18, rel=1e-5)
    assert refused.significant
    assert (refused.anchor_probes, refused.anchor_unusable) == (24 * 8, 0)
    assert refused.probes - refused.unusable == 6 * (refused.probes // 24), "a quarter was answered"
    assert not any(row.significant for row in rows.values())


def test_a_refused_anchor_counts_on_its_own_side() -> None:
    row = rows_of(losing(lambda p: PEOPLE[p.person].is_anchor and p.replicate < 4))["failures/full/faith=l0"]
    assert (row.pairs, row.only_swap, row.only_anchor) == (24, 0, 24)
    assert (row.anchor_probes, row.anchor_unusable) == (24 * 8, 24 * 4)


def test_one_probe_of_a_cell_its_first_enters_the_test_and_all_enter_the_shares() -> None:
    later = rows_of(losing(lambda p: PEOPLE[p.person].is_anchor and p.replicate > 0))
    for row in later.values():
        assert (row.only_swap, row.only_anchor, row.p) == (0, 0, 1.0)
        assert (row.anchor_probes, row.anchor_unusable) == (24 * 8, 24 * 7)


def test_a_pair_of_which_one_side_was_not_finished_stays_out() -> None:
    def lose(p: ProbeRecord) -> ProbeRecord:
        if PEOPLE[p.person].is_anchor and p.scenario == "s0":
            return unanswered(p, "pending", None)
        if is_level(p, "faith", "l1") and p.scenario == "s1":
            return unanswered(p, "running", None)
        return unanswered(p) if is_level(p, "faith", "l1") else p

    rows = rows_of(make_dataset(DESIGN, [lose(p) for p in make_probes(DESIGN)]))
    lost, kept = rows["failures/full/faith=l1"], rows["failures/full/faith=l2"]
    assert (lost.pairs, lost.only_swap, lost.only_anchor) == (12, 12, 0)
    assert (kept.pairs, kept.only_swap, kept.only_anchor) == (18, 0, 0)
    assert lost.unusable == lost.probes
    assert (lost.anchor_probes, kept.anchor_probes) == (18 * 8, 18 * 8)
    everything = [unanswered(p) if p.person else unanswered(p, "pending") for p in make_probes(DESIGN)]
    one_base = [p for p in everything if p.person < len(PEOPLE) // 6]
    untested = rows_of(make_dataset(DESIGN, one_base))["failures/full/faith=l1"]
    assert (untested.pairs, untested.p, untested.q, untested.significant) == (0, None, None, False)


def test_p_is_mcnemar_s_and_q_is_adjusted_over_the_rows() -> None:
    stream = np.random.default_rng(11)
    rate = {"l0": 0.1, "l1": 0.5, "l2": 0.9}
    lost = {
        id(p): stream.random() < rate.get(PEOPLE[p.person].swapped_level or "", 0.2)
        for p in make_probes(DESIGN)
    }
    draws = iter(list(lost.values()))
    rows = list(rows_of(losing(lambda p: next(draws))).values())
    expected = [mcnemar([[0, row.only_swap], [row.only_anchor, 0]], exact=True).pvalue for row in rows]
    assert [row.p for row in rows] == pytest.approx(expected, rel=1e-5)
    assert [row.q for row in rows] == pytest.approx(benjamini_hochberg(np.array(expected)), rel=1e-5)
    assert [row.significant for row in rows] == [(row.q or 0.0) < FACTS.alpha for row in rows]
    assert 0 < sum(row.significant for row in rows) < len(rows)


def test_a_placebo_has_a_row_and_stays_out_of_the_family() -> None:
    catalogue = make_catalogue(DESIGN)
    faith = catalogue.attributes["faith"].model_copy(update={"role": "placebo"})
    placebo = replace(catalogue, attributes={**catalogue.attributes, "faith": faith})
    probes = [
        unanswered(p) if is_level(p, "faith", "l1") or is_level(p, "culture", "l1") else p
        for p in make_probes(DESIGN)
    ]
    rows = {
        row.id: row for row in failures_of(build_dataset(FACTS, placebo, PEOPLE.values(), probes)).by_level
    }
    irrelevant, real = rows["failures/full/faith=l1"], rows["failures/full/culture=l1"]
    assert irrelevant.p == real.p == pytest.approx(2 / 2**24, rel=1e-5)
    assert (irrelevant.q, irrelevant.significant) == (None, False)
    assert real.q == pytest.approx((real.p or 0.0) * 4 / 2, rel=1e-5), "two of four rows"


def test_a_factorial_run_has_no_swaps_to_compare() -> None:
    people = [
        replace(p, base=None, is_anchor=False, swapped_attribute=None, swapped_level=None)
        for p in PEOPLE.values()
    ]
    probes = [unanswered(p) if p.person % 2 else p for p in make_probes(DESIGN)]
    failures = failures_of(build_dataset(FACTS, make_catalogue(DESIGN), people, probes))
    assert failures.by_level == []
    assert failures.by_status["failed"] > 0


Nulls = Callable[[np.random.Generator, IntArray, IntArray, float], BoolArray]


def by_probe(stream: np.random.Generator, cell: IntArray, case: IntArray, rate: float) -> BoolArray:
    """Every probe for itself."""
    return stream.random(cell.size) < rate


def by_payload(stream: np.random.Generator, cell: IntArray, case: IntArray, rate: float) -> BoolArray:
    """All replicates of a payload alike."""
    lost: BoolArray = stream.random(cell.max() + 1) < rate
    return lost[cell]


def by_case(stream: np.random.Generator, cell: IntArray, case: IntArray, rate: float) -> BoolArray:
    """Every case with a rate of its own, whoever faces it."""
    propensity = stream.beta(rate, 1 - rate, case.max() + 1)
    lost: BoolArray = stream.random(cell.size) < propensity[case]
    return lost


@pytest.mark.parametrize("nulls", [by_probe, by_payload, by_case])
@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_swaps_that_are_refused_like_their_anchors_are_called_significant_at_most_as_often_as_they_may(
    nulls: Nulls, rate: float
) -> None:
    """Anchors are asked eight times and swaps once: an event like "the whole cell was lost" would differ
    between them whatever the model does."""
    design = replace(DESIGN, swapped={"faith": 20}, conditions=("full",), replicate_subjects=0)
    design = replace(design, scenarios={f"s{n}": 1 for n in range(8)})
    dataset = make_dataset(design)
    cells = build_cells(dataset)
    case = dataset.base[cells.person] * 8 + cells.scenario
    stream = np.random.default_rng(12)
    p = []
    for _ in range(60):
        lost = nulls(stream, cells.probe_cell, case[cells.probe_cell], rate)
        refused = replace(dataset, probes=replace(dataset.probes, answered=~lost))
        p += [row.p or 0.0 for row in judge_failures(refused, cells).by_level]
    assert len(p) == 60 * 20
    assert np.mean(np.array(p) < 0.05) <= 0.05
