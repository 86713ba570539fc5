"""The main job on PostgreSQL, from several processes, and what is said where the server is not at hand."""

from __future__ import annotations

import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.cli.conftest import Jevbias
from tests.drain.commands import Command
from tests.mock.http import get
from tests.postgres.cluster import Cluster
from tests.postgres.databases import Databases

PILOT = ("run", "--profile", "pilot", "--driver", "jev", "--name", "mine")


@pytest.fixture
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=2)) as running:
        yield running


@pytest.fixture
def slow_mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=2), latency_ms=50) as running:
        yield running


@pytest.fixture
def db(own_postgres: Databases) -> str:
    """An empty database that asks for a password, and the URL with it."""
    return own_postgres.guarded(own_postgres.empty())


def sends_of_each_body(mock: RunningMock) -> Counter[str]:
    return Counter(row["sha256"] for row in get(mock, "/ledger").content)


def query(db: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(db) as connection:
        return connection.execute(statement.encode()).fetchall()


def until(condition: Callable[[], object]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise TimeoutError


@contextmanager
def holders(db: str) -> Iterator[set[object]]:
    """Who is seen holding probes during the block."""
    seen: set[object] = set()
    over = threading.Event()

    def look() -> None:
        with psycopg.connect(db, autocommit=True) as connection:
            while not over.wait(0.05):
                seen.update(connection.execute("SELECT DISTINCT lease_owner FROM probe").fetchall())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
        seen.discard((None,))


def test_two_processes_drain_a_run_together_and_send_each_probe_once(
    jevbias: Jevbias, db: str, slow_mock: RunningMock, tmp_path: Path
) -> None:
    settings = {"JEVBIAS_DB": db, "TYPESAFE_BASE_URL": slow_mock.base_url}
    planned = jevbias(*PILOT, "--scenarios", "clinical_triage", "--plan-only", **settings)
    assert planned.code == 0, planned.err
    probes = table_size(db, "probe")
    with holders(db) as seen:
        other = Command(tmp_path, "work", "--run", "mine", "--workers", "1", settings=settings)
        until(lambda: seen - {(None,)})
        resumed = jevbias("run", "--resume", "mine", "--workers", "2", **settings)
    assert resumed.code == 0, resumed.err
    assert other.ended() == 0, other.said
    assert len(seen) == 2
    status = jevbias("status", "--json", **settings).json
    assert (status["status"], status["sends"], status["possible_sends"]) == ("finished", probes, 0)
    assert sends_of_each_body(slow_mock).total() == probes
    assert [run["name"] for run in jevbias("runs", "--json", **settings).json] == ["mine"]
    assert jevbias("reset", "--failed", **settings).code == 0
    assert jevbias("runs", "--delete", "mine", "--yes", **settings).code == 0
    assert jevbias("runs", **settings).err == "the database holds no run yet; `jevbias run` makes one\n"
    assert table_size(db, "probe") == 0


def test_the_same_run_has_the_same_report_as_on_sqlite(
    jevbias: Jevbias, db: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    reports = []
    for place in (db, "jevbias.db"):
        with running_mock(MockModel(catalogue, seed=2)) as mock:
            settings = {"JEVBIAS_DB": place, "TYPESAFE_BASE_URL": mock.base_url}
            ran = jevbias("run", "--driver", "jev", "--name", "mine", "--workers", "1", **settings)
            assert ran.code == 0, ran.err
            report = jevbias("analyse", "--json", **settings).json
        for figure in ("base_url", "started_at", "finished_at", "mean_latency_ms"):
            report["run"].pop(figure, None)
        report["noise_floor"].pop("drift")  # How fast it ran tells how much could drift.
        reports.append(report)
    assert reports[0] == reports[1]


def test_a_server_that_stops_ends_a_run_in_one_line_and_nothing_stored_is_lost(
    jevbias: Jevbias, slow_mock: RunningMock, needs_postgres: None, tmp_path: Path
) -> None:
    cluster = Cluster()
    try:
        cluster.start()
        settings = {"JEVBIAS_DB": cluster.url, "TYPESAFE_BASE_URL": slow_mock.base_url}
        command: tuple[str, ...] = (*PILOT, "--scenarios", "clinical_triage")
        answers: set[tuple[object, ...]] = set()
        for how in (signal.SIGINT, signal.SIGQUIT):
            draining = Command(tmp_path, *command, "--workers", "4", settings=settings)
            wanted = len(answers) + 150
            until(lambda: not draining.is_running or table_size(cluster.url, "answer") > wanted)  # noqa: B023
            answers = set(query(cluster.url, "SELECT probe_id, question, value FROM answer"))
            cluster.stop(how)
            code, said = draining.ended(), draining.said
            assert code == 1, said
            url = f"postgresql://tester@127.0.0.1:{cluster.port}/postgres"
            lost = f"jevbias: database {url}: its server ended the connection; start again once it is back"
            assert said[-1] == lost
            assert not any("Traceback" in line for line in said)
            refused = jevbias("status", **settings)
            assert refused.err == f"jevbias: database {url}: no server answers there; is it running?\n"
            cluster.start()
            kept = set(query(cluster.url, "SELECT probe_id, question, value FROM answer"))
            assert answers <= kept
            assert "no live process works on it" in jevbias("status", **settings).out
            command = ("run", "--resume", "mine")
        resumed = jevbias(*command, **settings)
        assert resumed.code == 0, resumed.err
        assert kept <= set(query(cluster.url, "SELECT probe_id, question, value FROM answer"))
        status = jevbias("status", "--json", **settings).json
        probes = table_size(cluster.url, "probe")
        assert status["by_status"]["answered"] == probes
        sent = sends_of_each_body(slow_mock).total()
        assert probes <= status["sends"] <= sent <= status["sends"] + status["possible_sends"]
        assert sent - probes <= 2 * 2 * 4
    finally:
        cluster.remove()


def table_size(db: str, table: str) -> int:
    try:
        ((rows,),) = query(db, f"SELECT COUNT(*) FROM {table}")
    except psycopg.errors.UndefinedTable:
        return 0
    assert isinstance(rows, int)
    return rows


def test_the_password_is_nowhere(
    jevbias: Jevbias, db: str, mock: RunningMock, tmp_path: Path, own_postgres: Databases
) -> None:
    password = own_postgres.password
    assert password is not None
    said = ""
    for command in (
        PILOT[:1] + PILOT[3:],
        ("status",),
        ("analyse",),
        ("publish",),
        ("reset", "--failed"),
        ("runs",),
    ):
        ended = jevbias(*command, "--db", db, TYPESAFE_BASE_URL=mock.base_url)
        assert ended.code == 0, ended.err
        said += ended.out + ended.err
    stopped = jevbias(*PILOT, "--plan-only", "--db", db, TYPESAFE_BASE_URL=mock.base_url)
    assert stopped.code == 2
    said += stopped.err
    assert password not in said
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or password.encode() not in path.read_bytes()
    with psycopg.connect(db) as connection:
        for (row,) in connection.execute("SELECT run::text FROM run").fetchall():
            assert password not in row


@pytest.mark.parametrize(
    "command",
    [
        ("run", "--driver", "local"),
        ("run", "--resume", "mine"),
        ("work",),
        ("status",),
        ("analyse",),
        ("runs",),
    ],
    ids=" ".join,
)
def test_what_cannot_be_opened_is_one_line_that_shows_no_password(
    jevbias: Jevbias, db: str, own_postgres: Databases, command: tuple[str, ...]
) -> None:
    assert own_postgres.password is not None
    wrong = db.replace(own_postgres.password, "hunter2")
    cases = {
        wrong: "the server does not accept this user with this password",
        db.rpartition("/")[0] + "/missing": "no database of this name; create it: createdb missing",
        f"postgresql://me:hunter2@127.0.0.1:{unused_port()}/x": "no server answers there; is it running?",
    }
    for url, message in cases.items():
        ended = jevbias(*command, "--db", url)
        assert ended.code == 2
        assert ended.err.startswith("jevbias: database postgresql://")
        assert message in ended.err
        assert len(ended.err.splitlines()) == 1
        assert "hunter2" not in ended.err
        assert own_postgres.password not in ended.err


def test_without_the_extra_one_line_names_it(jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ended = jevbias("status", "--db", "postgresql://me:hunter2@127.0.0.1/x")
    assert ended.code == 2
    assert ended.err == "jevbias: database: PostgreSQL needs the extra: pip install 'jevbias[postgres]'\n"


def unused_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
