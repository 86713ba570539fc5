import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, update

from jevbias.analysis.analyse import analyse, analyse_run
from jevbias.analysis.dataset import ProbeRecord, Probes, load_dataset
from jevbias.analysis.facts import ProbeOutcome
from jevbias.errors import UsageError
from jevbias.report.write import report_json
from jevbias.store.engine import open_store
from jevbias.store.runs import find_run
from jevbias.store.tables import ANSWER, PROBE, RUN
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


def test_a_run_whose_rows_lie_around_another_s_reads_its_own(engine: Engine) -> None:
    store_run(engine, DESIGN, make_probes(DESIGN))
    alone = load_dataset(engine, find_run(engine, FACTS.name))
    with engine.begin() as connection:
        connection.execute(update(RUN).values(name="around"))
    store_run(engine, DESIGN, make_probes(DESIGN, seed=2), shuffle=5)
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.execute(update(PROBE).where(PROBE.c.id == 1).values(id=1_000_000))
        connection.execute(update(ANSWER).where(ANSWER.c.probe_id == 1).values(probe_id=1_000_000))
    around = load_dataset(engine, find_run(engine, "around"))
    engine.dispose()
    for name in Probes.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(around.probes, name), getattr(alone.probes, name), name)


def test_a_run_without_probes_is_read_as_empty(engine: Engine) -> None:
    store_run(engine, DESIGN, make_probes(DESIGN))
    with engine.begin() as connection:
        connection.execute(ANSWER.delete())
        connection.execute(PROBE.delete())
    dataset = load_dataset(engine, find_run(engine, FACTS.name))
    engine.dispose()
    assert dataset.probes.person.size == 0
    assert (dataset.scenarios, dataset.conditions, dataset.models) == ((), (), ())


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
    outcome = ProbeOutcome("answered", None, "mock-1", 12.5, 100, 20, 0.25, 1_790_000_001.0)
    probes = [p.__class__(**{**p.__dict__, "outcome": outcome}) for p in make_probes(DESIGN)]
    store_run(engine, DESIGN, probes)
    report = analyse_run(engine, None)
    engine.dispose()
    assert report.run.models_answered == ["mock-1"]
    assert report.run.input_tokens == 100 * len(probes)
    assert report.run.cost == pytest.approx(0.25 * len(probes))
    assert report.run.mean_latency_ms == 12.5
    assert report.run.people == len(make_people(DESIGN))


def test_send_times_and_models_survive_the_database_in_the_probes_own_order(engine: Engine) -> None:
    def outcome(number: int, probe: ProbeRecord) -> ProbeOutcome:
        status = "failed" if number % 11 == 5 else "answered"
        model = (None, "m-2", "m-1", "m-10")[number % 4]
        latency = None if number % 7 == 3 else 250.0 + number
        at = None if number % 13 == 4 else 1_790_000_000.0 + 3 * number
        return ProbeOutcome(status, None, model, latency, answered_at=at)

    probes = [replace(p, outcome=outcome(n, p)) for n, p in enumerate(make_probes(DESIGN))]
    store_run(engine, DESIGN, probes, shuffle=6)
    stored = load_dataset(engine, find_run(engine, FACTS.name))
    engine.dispose()
    in_memory = make_dataset(DESIGN, probes)
    assert stored.models == in_memory.models == ("m-1", "m-10", "m-2")
    for name in Probes.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(stored.probes, name), getattr(in_memory.probes, name), name)

    conditions, scenarios = in_memory.conditions, in_memory.scenarios
    columns = in_memory.probes
    place = {
        (person, scenarios[scenario], conditions[condition], replicate): row
        for row, (person, scenario, condition, replicate) in enumerate(
            zip(
                columns.person.tolist(),
                columns.scenario.tolist(),
                columns.condition.tolist(),
                columns.replicate.tolist(),
                strict=True,
            )
        )
    }
    for p in probes:
        row = place[p.person, p.scenario, p.condition, p.replicate]
        told = p.outcome
        known = told.answered_at is not None and told.latency_ms is not None
        sent = (told.answered_at or 0.0) - (told.latency_ms or 0.0) / 1000 if known else math.nan
        assert columns.sent_at[row] == pytest.approx(sent, nan_ok=True)
        named = told.status == "answered" and told.model_answered is not None
        assert columns.model[row] == (
            ("m-1", "m-10", "m-2").index(told.model_answered or "") if named else -1
        )
        assert columns.finished[row]


def test_a_probe_is_finished_once_nothing_more_will_come_of_it() -> None:
    statuses = ("pending", "running", "answered", "refused", "malformed", "failed")
    probes = make_probes(DESIGN)[:6]
    told = [replace(p, outcome=ProbeOutcome(status)) for p, status in zip(probes, statuses, strict=True)]
    columns = make_dataset(DESIGN, told).probes
    finished = dict(zip(columns.replicate.tolist(), columns.finished.tolist(), strict=True))
    assert [finished[p.replicate] for p in probes] == [False, False, True, True, True, True]


def test_a_run_of_another_kind_is_refused_in_one_line(engine: Engine) -> None:
    store_run(engine, DESIGN, make_probes(DESIGN))
    with engine.begin() as connection:
        connection.execute(update(RUN).values(kind="testbench"))
    with pytest.raises(UsageError, match="`jevbias testbench report --run mock-pilot`"):
        analyse_run(engine, "mock-pilot")
    with pytest.raises(UsageError, match="nobody"):
        analyse_run(engine, "nobody")
    engine.dispose()
