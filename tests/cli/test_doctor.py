"""`doctor` says of all that a run needs what it found; it makes nothing, spends nothing, and never breaks."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jevbias.doctor import machine
from jevbias.mock.serve import RunningMock
from tests.cli.answering import Asked, Said, answering
from tests.cli.conftest import Jevbias, Result
from tests.cli.doctor_checks import GOOD, addresses, said, states
from tests.cli.forked import Streams, forked_one_by_one

KEY = "sk-doctor-0123456789abcdef"
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in list(os.environ):
        if variable.lower() in PROXIES:
            monkeypatch.delenv(variable)


def test_with_nothing_set_the_embedded_model_is_asked_and_nothing_is_left_behind(
    jevbias: Jevbias, tmp_path: Path
) -> None:
    result = jevbias("doctor")
    assert result.code == 0, result.out
    for part in ("versions", "SQLite", "settings", "database", "catalogue", "driver", "model", "answer"):
        assert f" {part} " in result.out
    assert "sparrow-nano-general-v1.1 answers in" in result.out
    assert "\n" not in result.err.splitlines()[-1]
    assert result.err.splitlines()[-1] == "nothing failed: a run can start"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "driver",
    [
        ("jev",),
        ("openrouter-decisions",),
        ("openrouter", "--model", "jevbias/mock-chat", "--reasoning-effort", "low"),
        ("openai", "--model", "jevbias/mock-chat-sync"),
    ],
)
def test_every_driver_is_asked_once_on_this_machine(
    jevbias: Jevbias, mock: RunningMock, driver: tuple[str, ...]
) -> None:
    result = jevbias("doctor", "--json", "--driver", *driver, **addresses(mock.base_url))
    assert result.code == 0, result.out
    assert set(states(result).values()) == {"ok"}, result.out
    assert ("structured outputs" in states(result)) == (driver[0] in ("openrouter", "openai"))
    assert "in, " in said(result, "answer")


def test_a_model_that_cannot_take_a_run_fails_with_the_parameter_it_lacks(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    for model, check, lacking in (
        ("jevbias/mock-prose", "structured outputs", "structured_outputs"),
        ("mock-chatt", "model", "did you mean jevbias/mock-chat"),
    ):
        flags = ("--driver", "openrouter", "--model", model)
        result = jevbias("doctor", "--json", *flags, **addresses(mock.base_url))
        assert result.code == 1
        assert states(result)[check] == "failed"
        assert lacking in said(result, check)
        assert states(result)["answer"] == "untried"
        assert result.err == "1 check failed: a run could not get through\n"


def openrouter_like(request: Asked) -> Said:
    """A server that wants the key, as OpenRouter does: not for its models, for everything else."""
    if request.path.endswith("/models"):
        return Said(body=json.dumps({"data": [GOOD]}).encode())
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return Said(401, b'{"error": {"code": 401, "message": "no such key"}}')
    if request.path.endswith("/key"):
        return Said(body=b'{"data": {"label": "mine", "limit_remaining": 3.5}}')
    wanted = json.loads(request.body)["response_format"]["json_schema"]["schema"]["properties"]
    message = {"content": json.dumps(dict.fromkeys(wanted, 0.7))}
    answer = {"choices": [{"finish_reason": "stop", "message": message}], "usage": {"cost": 0.0001}}
    return Said(body=json.dumps(answer).encode())


FAR = "http://far-away.example/v1"
ASKING = ("doctor", "--json", "--driver", "openrouter", "--model", "acme/large")


def test_nothing_is_spent_unless_it_is_asked_for(jevbias: Jevbias) -> None:
    with answering(openrouter_like) as proxy:
        there = {"OPENROUTER_BASE_URL": FAR, "OPENROUTER_API_KEY": KEY, "HTTP_PROXY": proxy.url}
        free = jevbias(*ASKING, **there)
        assert (free.code, proxy.methods) == (0, ["GET", "GET"])
        assert states(free)["answer"] == "untried"
        assert "--ask" in said(free, "answer")
        assert [request.path for request in proxy.asked] == [f"{FAR}/models", f"{FAR}/key"]

        paid = jevbias(*ASKING, "--ask", **there)
        assert (paid.code, proxy.methods.count("POST")) == (0, 1)
        assert "cost $0.000100" in said(paid, "answer")
        assert f"asking acme/large at {FAR} one small question" in paid.err


def test_a_key_that_is_refused_is_told_from_one_that_is_missing_and_neither_is_shown(
    jevbias: Jevbias,
) -> None:
    with answering(openrouter_like) as proxy:
        there = {"OPENROUTER_BASE_URL": FAR, "HTTP_PROXY": proxy.url}
        accepted = jevbias(*ASKING, **there, OPENROUTER_API_KEY=KEY)
        assert said(accepted, "key").startswith(
            "OPENROUTER_API_KEY is set, and the server takes it; $3.50 of its limit is left"
        )
        refused = jevbias(*ASKING, **there, OPENROUTER_API_KEY=f"{KEY}-old")
        assert refused.code == 1
        assert "not accepted: 401 Unauthorized: no such key" in said(refused, "key")
        missing = jevbias(*ASKING, **there)
        assert missing.code == 1
        assert "OPENROUTER_API_KEY is not set → set OPENROUTER_API_KEY" in said(missing, "key")
        for result in (accepted, refused, missing):
            assert KEY not in result.out + result.err


def test_an_address_without_encryption_is_warned_of_unless_it_is_this_machine(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    with answering(openrouter_like) as proxy:
        far = jevbias(*ASKING, OPENROUTER_BASE_URL=FAR, OPENROUTER_API_KEY=KEY, HTTP_PROXY=proxy.url)
    assert states(far)["address"] == "warning"
    assert "use https://" in said(far, "address")
    assert "through 127.0.0.1" in said(far, "proxy")
    near = jevbias("doctor", "--json", "--driver", "jev", **addresses(mock.base_url))
    assert states(near)["address"] == "ok"


ANSWERS = {"failed": "untried", "warning": "failed", "ok": "failed"}
"""The state of the address → that of the answer."""


@pytest.mark.parametrize(
    ("reply", "state", "hint"),
    [
        (Said(200, b"<html>hello</html>"), "failed", "not JSON → check OPENAI_BASE_URL"),
        (
            Said(302, headers={"Location": "https://new.example/v1"}),
            "failed",
            "redirects to https://new.example/v1",
        ),
        (Said(503, b"<html>later</html>"), "warning", "503 Service Unavailable"),
        (Said(404, b"not here"), "warning", "usually ends in /v1"),
        (Said(200, b'{"data": 7}'), "ok", "answers in"),
    ],
)
def test_what_answers_at_the_address_is_said(jevbias: Jevbias, reply: Said, state: str, hint: str) -> None:
    with answering(lambda _: reply) as server:
        result = jevbias("doctor", "--json", "--driver", "openai", "--model", "m", OPENAI_BASE_URL=server.url)
    assert states(result)["address"] == state, result.out
    assert hint in said(result, "address")
    assert result.code == (0 if reply.status == 503 else 1)
    assert states(result)["answer"] == ("warning" if reply.status == 503 else ANSWERS[state])


BROKEN = [
    ({"OPENAI_BASE_URL": "not a url"}, "address", "OPENAI_BASE_URL"),
    ({"OPENAI_BASE_URL": "ftp://x"}, "address", "http(s)://host"),
    (
        {"OPENAI_BASE_URL": "http://no-such-host.invalid/v1"},
        "address",
        "check the host name in OPENAI_BASE_URL",
    ),
    ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "address", "is the server running?"),
    ({"OPENAI_BASE_URL": "http://x.example/v1", "HTTP_PROXY": "http://127.0.0.1:1"}, "address", "the proxy"),
    ({"OPENAI_BASE_URL": "http://x.example/v1", "HTTP_PROXY": "::"}, "address", "proxy"),
    ({"OPENAI_API_KEY": "sk söme thing"}, "address", "OPENAI_API_KEY: a key is printable ASCII"),
    ({"JEVBIAS_DRIVER": "oracle"}, "driver", "'oracle' is not one of jev, local"),
    ({"JEVBIAS_CATALOGUE": "nowhere"}, "catalogue", "nowhere"),
    ({"JEVBIAS_DB": "folder"}, "database", "is a folder"),
    ({"JEVBIAS_DB": "nowhere/x.db"}, "database", "there is no folder nowhere"),
    ({"JEVBIAS_DB": "mysql://u:secret@h/x"}, "database", "mysql URLs are not supported"),
    ({"JEVBIAS_DB": "text.db"}, "database", "not a SQLite database"),
    ({"JEVBIAS_DB": "future.db"}, "database", "upgrade jevbias"),
    ({"JEVBIAS_DB": "other.db"}, "database", "another program"),
    ({"JEVBIAS_DB": ""}, "model", "needs --model NAME"),
    ({"JEVBIAS_SEED": "x"}, "settings", "JEVBIAS_SEED"),
    ({"JEVBIAS_REASONING_EFFORT": "immense"}, "settings", "JEVBIAS_REASONING_EFFORT"),
]


@pytest.mark.parametrize(("settings", "check", "hint"), BROKEN, ids=[str(case[0]) for case in BROKEN])
def test_whatever_is_broken_is_one_failed_check_with_what_to_do_and_no_traceback(
    jevbias: Jevbias, tmp_path: Path, settings: dict[str, str], check: str, hint: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("some notes of mine, not a database")
    for name, ledger in (("future.db", "schema_migration"), ("other.db", "theirs")):
        with closing(sqlite3.connect(tmp_path / name)) as database:
            database.execute(f"CREATE TABLE {ledger} (number INTEGER)")
            database.execute(f"INSERT INTO {ledger} VALUES (999)")
            database.commit()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    result = jevbias("doctor", "--json", **{"JEVBIAS_DRIVER": "openai", **settings})
    assert result.code == 1, result.out
    assert states(result)[check] == "failed", result.out
    assert hint in said(result, check)
    assert "Traceback" not in result.out + result.err
    assert "secret" not in result.out + result.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("content", ["JEVBIAS_SEED=1\n".encode("utf-16"), b"TYPESAFE_API_KEY sk-1\n"])
def test_a_settings_file_that_cannot_be_read_fails_and_is_not_shown(
    jevbias: Jevbias, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / ".env").write_bytes(content)
    result = jevbias("doctor", "--json")
    assert (result.code, states(result)["settings"]) == (1, "failed")
    assert "sk-1" not in result.out
    assert jevbias("doctor", "--models").code == 2


def test_settings_are_named_and_not_shown_and_one_that_there_is_not_is_pointed_out(
    jevbias: Jevbias, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("JEVBIAS_SEED=424242\nOPENAI_API_KEY=\n")
    result = jevbias("doctor", "--json", JEVBIAS_MARGIN="0.04", JEVBIAS_MODLE="x")
    assert said(result, "settings") == (
        "in the environment: JEVBIAS_MARGIN; in .env: JEVBIAS_SEED → "
        "there is no setting JEVBIAS_MODLE: did you mean JEVBIAS_MODEL?"
    )
    assert "424242" not in result.out
    assert (result.code, states(result)["settings"]) == (0, "warning")


def test_odd_entries_of_no_proxy_are_a_warning_and_hinder_nothing(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    result = jevbias(
        "doctor", "--json", "--driver", "jev", **addresses(mock.base_url), NO_PROXY="::1/128,[::1],localhost"
    )
    assert (result.code, states(result)["proxy"]) == (0, "warning")
    assert "::1/128, [::1] →" in said(result, "proxy")


def test_a_database_in_use_is_described_and_left_as_it_is(jevbias: Jevbias, tmp_path: Path) -> None:
    assert jevbias("run", "--plan-only", "--driver", "local").code == 0
    file = tmp_path / "jevbias.db"
    before = file.read_bytes()
    result = jevbias("doctor", "--json")
    for part in (str(file), "schema ", "WAL journal", "writable", " free"):
        assert part in said(result, "database")
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, unlike pytest's, with an empty one for a rehearsal."""
    folder = Path(tempfile.mkdtemp())
    (folder / "rehearsal").mkdir()
    for place in (folder, folder / "rehearsal"):
        place.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("how", ["file", "folder"])
def test_where_nothing_may_be_written_the_database_fails_and_the_rest_is_looked_at(
    open_folder: Path, how: str
) -> None:
    kept = open_folder / "kept"
    kept.mkdir()
    if how == "file":
        with closing(sqlite3.connect(kept / "runs.db")) as database:
            database.execute("CREATE TABLE schema_migration (number INTEGER)")
        (kept / "runs.db").chmod(0o444)
    kept.chmod(0o777 if how == "file" else 0o555)
    nowhere = {"TYPESAFE_BASE_URL": "http://127.0.0.1:1"}
    asked = ("doctor", "--json", "--driver", "jev", "--db", "kept/runs.db")
    (ended,) = forked_one_by_one(open_folder, [asked], Streams(as_nobody=True, settings=nowhere))
    result = Result(ended.code, ended.out, ended.err)
    assert (result.code, states(result)["database"]) == (1, "failed")
    assert "read-only" in said(result, "database")
    assert states(result)["catalogue"] == "ok"
    assert os.listdir(kept) == (["runs.db"] if how == "file" else [])


def test_an_effort_where_the_driver_takes_none_fails(jevbias: Jevbias, mock: RunningMock) -> None:
    settings = {**addresses(mock.base_url), "JEVBIAS_REASONING_EFFORT": "low"}
    result = jevbias("doctor", "--json", "--driver", "jev", **settings)
    assert result.code == 1
    assert "only the drivers" in said(result, "model")


@pytest.mark.parametrize(
    ("version", "state"), [((3, 34, 1), "failed"), ((3, 40, 1), "ok"), ((3, 51, 3), "ok"), ((4, 0, 0), "ok")]
)
def test_a_sqlite_that_cannot_return_rows_from_an_update_is_too_old(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], state: str
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    check = machine.check_sqlite()
    assert check.state == state
    assert (check.advice is None) == (version >= (3, 51, 3))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("doctor", "claude"), "add --models"),
        (("doctor", "--driver", "oracle"), "oracle"),
        (("doctor", "--reasoning-effort", "immense"), "--reasoning-effort"),
        (("doctor", "--models", "--driver", "openai"), "does not list its models"),
    ],
)
def test_bad_usage_is_one_line(jevbias: Jevbias, arguments: tuple[str, ...], hint: str) -> None:
    result = jevbias(*arguments, OPENAI_BASE_URL="http://127.0.0.1:1/v1")
    assert result.code == (1 if "openai" in arguments else 2)
    assert result.out == ""
    assert len(result.err.splitlines()) == 1
    assert hint in result.err
