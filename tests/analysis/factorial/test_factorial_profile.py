"""The people of the shipped factorial profile, put to the mock and to models that answer at random."""

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.factorial.adjusted import adjusted_levels
from jevbias.analysis.factorial.levels import person_factors
from jevbias.analysis.factorial.person_means import PersonMeans, Score
from jevbias.analysis.facts import RunFacts
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS
from jevbias.drivers.answers import read_answers
from jevbias.drivers.select import render_body
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.plan.build import build_plan
from jevbias.report.factorial import Factorial


@pytest.fixture(scope="module")
def dataset(catalogue: Catalogue) -> Dataset:
    shipped = catalogue.profiles["factorial"]
    profile = shipped.model_copy(update={"scenarios": ["hiring_screen", "clinical_triage"]})
    plan = build_plan(catalogue, "factorial", profile, 20260920)
    model = MockModel(catalogue, seed=1, effects=load_effects(None, catalogue))
    bodies = {key: render_body("jev", "jev-latest", ask) for key, ask in plan.asks.items()}
    records = []
    for probe in plan.probes:
        questions = plan.asks[probe.ask_hash].frame.questions
        read = read_answers(questions, model.answer(bodies[probe.ask_hash])["answers"])
        values = {answer.question: answer.favourability for answer in read.usable}
        records.append(
            ProbeRecord(probe.person, probe.scenario, probe.variant, probe.condition, probe.replicate, values)
        )
    facts = RunFacts(
        name="mock-factorial",
        profile="factorial",
        design="factorial",
        driver="jev",
        model="jev-latest",
        base_url="http://127.0.0.1:8799",
        seed=plan.seed,
        margin=0.02,
        alpha=0.05,
        plan_hash=plan.plan_hash,
        catalogue_hash=plan.catalogue_hash,
        jevbias_version="test",
    )
    return build_dataset(facts, catalogue, plan.people, records)


@pytest.fixture(scope="module")
def found(dataset: Dataset) -> Factorial:
    factorial = analyse(dataset).factorial
    assert factorial is not None
    return factorial


def test_the_effects_of_the_mock_come_first_and_nothing_hidden_comes_out(found: Factorial) -> None:
    pooled = [row for row in found.contrasts if row.question is None]
    injected = {
        "full/religion=muslim": -0.06,
        "full/name_culture=west_african": -0.05,
        "name_only/name_culture=west_african": -0.05,
    }
    assert {row.id for row in pooled[:3]} == set(injected)
    assert [row.id for row in pooled if row.significant and row.visible] == [row.id for row in pooled[:3]]
    for row in pooled[:3]:
        assert row.interval is not None
        assert row.interval[0] < injected[row.id] < row.interval[1]
        assert row.adjusted == pytest.approx(injected[row.id], abs=0.004)
    assert not [row.id for row in pooled if row.condition == "blind" and row.significant]
    assert (found.hidden.significant, found.adjusted_hidden.significant) == (0, 0)
    assert found.hidden.raw_below_05 <= 0.1 * found.hidden.tests
    assert not any(row.significant for row in found.interactions)


def test_every_level_pooled_and_on_every_question_is_in_the_report(found: Factorial) -> None:
    assert len(found.contrasts) == 111 * 3 * (1 + 10)
    assert all(row.p is not None and row.adjusted_p is not None for row in found.contrasts)
    assert all(row.interval is not None for row in found.contrasts)
    assert (found.people, found.parameters, found.degrees_of_freedom) == (160, 114, 46)
    assert len(found.cells) == 3 * 27
    told = {(row.attribute, row.level) for row in found.contrasts if row.in_case}
    assert told == {("age_band", "early_twenties"), ("age_band", "late_twenties")}
    assert len(found.interactions) + found.interactions_untested == 5890 + 16 + 6


@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_classical_errors_keep_their_level_at_160_people_and_114_parameters(
    dataset: Dataset, shape: str
) -> None:
    stream = np.random.default_rng(4)
    number = 600
    noise = stream.normal(size=(160, number)) if shape == "normal" else stream.exponential(size=(160, number))
    shares = np.zeros((160, 1, len(VARIANTS)))
    shares[np.arange(160), 0, stream.permutation(160) % len(VARIANTS)] = 1.0
    group = shares[:, 0]
    values = noise - group @ ((group.T @ noise) / group.sum(axis=0)[:, None])
    scores = tuple(Score(2, None, ((0, (0,)),)) for _ in range(number))
    model = adjusted_levels(person_factors(dataset), PersonMeans(scores, values, np.zeros(number), shares))
    assert model.p.shape == (111, number)
    assert 0.04 <= (model.p < 0.05).mean() <= 0.06
    assert (model.p < 0.001).mean() <= 0.0015
