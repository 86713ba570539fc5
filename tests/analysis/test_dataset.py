from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, update

from jevbias.analysis.analyse import analyse, analyse_run
from jevbias.analysis.dataset import load_dataset
from jevbias.analysis.facts import ProbeOutcome
from jevbias.errors import UsageError
from jevbias.report.write import report_json
from jevbias.store.engine import open_store
from jevbias.store.runs import find_run
from jevbias.store.tables import PROBE, RUN
from tests.analysis.runs import FACTS, Design, make_dataset, make_people, make_probes, unanswered, without
from tests.analysis.stored import store_run

DESIGN = Design()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_store(str(tmp_path / "runs.db"))


def test_the_order_of_rows_in_a_database_changes_no_byte(tmp_path: Path) -> None:
    probes = make_probes(DESIGN, decimals=2)
    probes = [
        without(p, "q0") if i % 50 == 3 else unanswered(p) if i % 50 == 7 else p for i, p in enumerate(probes)
    ]
    in_memory = report_json(analyse(make_dataset(DESIGN, probes)))
    for shuffle in (1, 2):
        engine = open_store(str(tmp_path / f"{shuffle}.db"))
        store_run(engine, DESIGN, probes, shuffle=shuffle)
        stored = report_json(analyse_run(engine, FACTS.name))
        assert stored == report_json(analyse_run(engine, None)), "two analyses of one run are byte-identical"
        assert stored == in_memory
        engine.dispose()


def test_the_order_of_records_in_memory_changes_no_byte() -> None:
    probes = make_probes(DESIGN)
    shuffled = [probes[i] for i in np.random.default_rng(4).permutation(len(probes))]
    assert report_json(analyse(make_dataset(DESIGN, shuffled))) == report_json(
        analyse(make_dataset(DESIGN, probes))
    )


def test_another_run_in_the_database_changes_nothing(engine: Engine) -> None:
    probes = make_probes(DESIGN)
    store_run(engine, DESIGN, probes)
    alone = report_json(analyse_run(engine, FACTS.name))
    with engine.begin() as connection:
        connection.execute(update(RUN).values(name="first"))
    store_run(engine, DESIGN, make_probes(DESIGN, seed=2), shuffle=5)
    with engine.begin() as connection:
        connection.execute(update(RUN).where(RUN.c.name == FACTS.name).values(name="second"))
        connection.execute(update(RUN).where(RUN.c.name == "first").values(name=FACTS.name))
    assert report_json(analyse_run(engine, FACTS.name)) == alone
    assert report_json(analyse_run(engine, "second")) != alone
    engine.dispose()


def test_answers_of_a_probe_that_is_no_longer_answered_do_not_count(engine: Engine) -> None:
    store_run(engine, DESIGN, make_probes(DESIGN))
    with engine.begin() as connection:
        connection.execute(update(PROBE).where(PROBE.c.position < 10).values(status="pending"))
    dataset = load_dataset(engine, find_run(engine, FACTS.name))
    engine.dispose()
    assert int((~dataset.probes.answered).sum()) == 10
    assert np.isnan(dataset.probes.favourability[~dataset.probes.answered]).all()
    assert dataset.outcomes.by_status["pending"] == 10


def test_outcomes_survive_the_database(engine: Engine) -> None:
    outcome = ProbeOutcome("answered", None, "mock-1", 12.5, 100, 20, 0.25)
    probes = [p.__class__(**{**p.__dict__, "outcome": outcome}) for p in make_probes(DESIGN)]
    store_run(engine, DESIGN, probes)
    report = analyse_run(engine, None)
    engine.dispose()
    assert report.run.models_answered == ["mock-1"]
    assert report.run.input_tokens == 100 * len(probes)
    assert report.run.cost == pytest.approx(0.25 * len(probes))
    assert report.run.mean_latency_ms == 12.5
    assert report.run.people == len(make_people(DESIGN))


def test_a_run_of_another_kind_is_refused_in_one_line(engine: Engine) -> None:
    store_run(engine, DESIGN, make_probes(DESIGN))
    with engine.begin() as connection:
        connection.execute(update(RUN).values(kind="testbench"))
    with pytest.raises(UsageError, match="testbench"):
        analyse_run(engine, None)
    with pytest.raises(UsageError, match="nobody"):
        analyse_run(engine, "nobody")
    engine.dispose()
