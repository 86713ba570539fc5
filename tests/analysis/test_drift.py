"""Did the model move while it was asked, and did another one answer?"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from jevbias.analysis.dataset import ProbeRecord, build_dataset
from jevbias.analysis.facts import ProbeOutcome
from jevbias.analysis.noise_notes import noise_notes
from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.answers import read_answers
from jevbias.drivers.select import render_body
from jevbias.mock.model import MockModel
from jevbias.plan.build import build_plan
from jevbias.report.noise import Drift, ModelShift
from tests.analysis.noise_floors import HOURS, START, floor_of, sent
from tests.analysis.runs import FACTS, Design, Someone, make_catalogue, make_dataset, make_people, make_probes

DESIGN = Design()
ANCHORS = {p.idx for p in make_people(DESIGN) if p.is_anchor}


def drift_of(probes: list[ProbeRecord]) -> Drift:
    drift = floor_of(make_dataset(DESIGN, probes)).drift
    assert drift is not None
    return drift


def answered_by(probes: list[ProbeRecord], who: Callable[[ProbeRecord], str | None]) -> list[ProbeRecord]:
    return [replace(p, outcome=ProbeOutcome(model_answered=who(p))) for p in probes]


def test_drift_is_least_squares_over_anchors_with_an_indicator_for_every_cell() -> None:
    probes = sent(make_probes(DESIGN), 0.01)
    drift = drift_of(probes)
    kept = [p for p in probes if p.person in ANCHORS]
    scores = np.array([np.mean(list(p.favourability.values())) for p in kept])
    hours = np.array([((p.outcome.answered_at or 0.0) - 1.5 - START) / 3600 for p in kept])
    keys = [(p.person, p.scenario, p.condition) for p in kept]
    indicators = np.array([[key == cell for cell in sorted(set(keys))] for key in keys], dtype=float)
    fit = OLS(scores, np.column_stack([hours, indicators])).fit()
    assert drift.hours == pytest.approx(HOURS)
    assert drift.repeats == len(kept)
    assert drift.total == pytest.approx(fit.params[0] * HOURS, rel=1e-5)
    assert drift.p == pytest.approx(fit.pvalues[0], rel=1e-5)
    assert drift.interval == pytest.approx(fit.conf_int()[0] * HOURS, rel=1e-5)


def test_a_drift_is_found() -> None:
    probes = sent(make_probes(DESIGN), 0.03)
    floor = floor_of(make_dataset(DESIGN, probes))
    assert floor.drift is not None
    assert floor.drift.interval is not None
    assert 0 < floor.drift.interval[0] < 0.03 < floor.drift.interval[1]
    assert floor.drift.p is not None
    assert floor.drift.p < 1e-6
    assert list(noise_notes(floor)) == [], "what was found stands in the report; notes say what could not be"


def test_a_model_that_stays_put_is_passed_over() -> None:
    floor = floor_of(make_dataset(DESIGN, sent(make_probes(DESIGN))))
    assert floor.drift is not None
    assert floor.drift.interval is not None
    assert floor.drift.interval[0] < 0 < floor.drift.interval[1]
    assert list(noise_notes(floor)) == []


def test_what_swaps_do_over_time_is_no_drift() -> None:
    """Only the same asks are compared with each other, and only anchors'."""
    probes = sent(make_probes(DESIGN))
    moved = [
        p
        if p.person in ANCHORS
        else replace(p, favourability={k: v + 0.2 * p.replicate for k, v in p.favourability.items()})
        for p in probes
    ]
    assert drift_of(moved) == drift_of(probes)


def test_seven_degrees_of_freedom_tell_no_drift() -> None:
    design = Design(bases=1, scenarios={"hiring": 2}, conditions=("full",), replicate_subjects=0)
    for asks, known in ((9, False), (10, True)):
        probes = sent(make_probes(replace(design, anchor_replicates=asks)), 0.1)
        floor = floor_of(make_dataset(design, probes))
        assert floor.drift is not None
        assert (floor.drift.total is not None) == known
        assert (floor.drift.p is not None) == known
        assert (floor.drift.interval is not None) == known
        assert any("8 degrees of freedom" in note for note in noise_notes(floor)) != known


def test_probes_whose_send_time_is_unknown_are_left_out() -> None:
    probes = sent(make_probes(DESIGN))
    half = [replace(p, outcome=p.outcome._replace(latency_ms=None)) if p.replicate % 2 else p for p in probes]
    drift = drift_of(half)
    assert drift.repeats == sum(p.person in ANCHORS and p.replicate % 2 == 0 for p in probes)
    nowhere = drift_of(make_probes(DESIGN))
    assert nowhere == Drift(id="noise/drift", hours=None, repeats=0, total=None, interval=None, p=None)


def test_everything_sent_at_once_tells_no_drift() -> None:
    at_once = [
        replace(p, outcome=ProbeOutcome(latency_ms=10.0, answered_at=START)) for p in make_probes(DESIGN)
    ]
    drift = drift_of(at_once)
    assert (drift.hours, drift.total, drift.p) == (0.0, None, None)


def test_a_model_that_does_not_vary_has_not_moved() -> None:
    drift = drift_of(sent(make_probes(DESIGN, noise=0.0)))
    assert (drift.total, drift.interval, drift.p) == (0.0, None, None)


def test_a_factorial_run_has_no_anchors_and_takes_everybody() -> None:
    people = [Someone(idx, None, False) for idx in range(4)]
    stream = np.random.default_rng(2)
    probes = sent(
        [
            ProbeRecord(person, "hiring", "mid", "full", replicate, {"q0": 0.4 + 0.01 * stream.normal()})
            for person in range(4)
            for replicate in range(6)
        ],
        0.1,
    )
    catalogue = make_catalogue(Design(scenarios={"hiring": 1}))
    floor = floor_of(build_dataset(replace(FACTS, design="factorial"), catalogue, people, probes))
    assert floor.swapped_against_anchor is None
    assert floor.drift is not None
    assert floor.drift.repeats == 24
    assert floor.drift.interval is not None
    assert floor.drift.interval[0] < 0.1 < floor.drift.interval[1]


def test_nothing_answered_has_no_drift() -> None:
    lost = [
        replace(p, favourability={}, outcome=ProbeOutcome("failed", "timeout")) for p in make_probes(DESIGN)
    ]
    floor = floor_of(make_dataset(DESIGN, lost))
    assert floor.drift is None
    assert floor.models == []


@pytest.mark.parametrize("drift", [0.0, 0.1])
def test_the_mock_s_drift_is_measured(catalogue: Catalogue, drift: float) -> None:
    plan = build_plan(catalogue, "pilot", catalogue.profiles["pilot"], 20260920)
    model = MockModel(catalogue, seed=4, drift=drift)
    bodies = {key: render_body("jev", "jev-latest", ask) for key, ask in plan.asks.items()}
    records = []
    for served, probe in enumerate(plan.probes):
        ask = plan.asks[probe.ask_hash]
        read = read_answers(ask.frame.questions, model.answer(bodies[probe.ask_hash])["answers"])
        values = {answer.question: answer.favourability for answer in read.usable}
        outcome = ProbeOutcome(latency_ms=5.0, answered_at=START + served)
        keys = (probe.person, probe.scenario, probe.variant, probe.condition, probe.replicate)
        records.append(ProbeRecord(*keys, values, outcome))
    found = floor_of(build_dataset(FACTS, catalogue, plan.people, records)).drift
    assert found is not None
    assert found.interval is not None
    true = drift * (len(plan.probes) - 1) / 1000
    assert found.interval[0] <= true <= found.interval[1]
    assert (found.interval[0] > 0) == (drift > 0)


def test_one_model_makes_no_rows() -> None:
    probes = answered_by(make_probes(DESIGN), lambda p: "m-1")
    assert floor_of(make_dataset(DESIGN, probes)).models == []


def test_another_model_s_answers_are_set_against_the_others_to_the_same_asks() -> None:
    probes = answered_by(make_probes(DESIGN), lambda p: "m-2" if p.replicate % 3 == 1 else "m-1")
    moved = [
        replace(p, favourability={k: v + 0.03 for k, v in p.favourability.items()})
        if p.outcome.model_answered == "m-2"
        else p
        for p in probes
    ]
    floor = floor_of(make_dataset(DESIGN, moved))
    first, second = floor.models
    assert [row.id for row in floor.models] == ["noise/model/m-1", "noise/model/m-2"]
    assert second.probes == sum(p.outcome.model_answered == "m-2" for p in probes)
    assert second.shift == pytest.approx(0.03, abs=0.01)
    assert first.shift == pytest.approx(-(second.shift or 0.0))
    assert second.interval is not None
    assert 0 < second.interval[0] < 0.03 < second.interval[1]


def test_a_swap_answered_by_another_model_tells_nothing_of_it() -> None:
    probes = answered_by(make_probes(DESIGN), lambda p: "m-1" if p.person in ANCHORS else "m-2")
    floor = floor_of(make_dataset(DESIGN, probes))
    assert [(row.model, row.shift, row.interval) for row in floor.models] == [
        ("m-1", None, None),
        ("m-2", None, None),
    ]
    assert sum("could not be told: too few" in note for note in noise_notes(floor)) == 2


def test_answers_of_an_unnamed_model_are_compared_with_nothing() -> None:
    named = answered_by(make_probes(DESIGN), lambda p: "m-2" if p.replicate == 0 else "m-1")
    unnamed = [replace(p, outcome=ProbeOutcome()) if p.replicate > 3 else p for p in named]
    wild = [
        replace(p, favourability={k: v + 0.2 for k, v in p.favourability.items()}) if p.replicate > 3 else p
        for p in unnamed
    ]
    calm_rows, wild_rows = (floor_of(make_dataset(DESIGN, x)).models for x in (unnamed, wild))
    assert calm_rows == wild_rows
    assert all(isinstance(row, ModelShift) and row.shift is not None for row in calm_rows)
