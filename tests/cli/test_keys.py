"""A key appears nowhere but in the header it is sent in, however loudly a server echoes it."""

from __future__ import annotations

import base64
import gzip
import json
import logging
import re
import sqlite3
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from jevbias.drivers.http import HttpTransport
from jevbias.drivers.providers import PROVIDERS
from jevbias.drivers.select import choose_driver, open_driver
from jevbias.mock.serve import RunningMock
from jevbias.settings import Settings
from tests.cli.answering import Asked, Said, Server, answering
from tests.cli.conftest import Jevbias, Result

KEY = "sk-keys/7f3A+9zQ~42=XyZ_0123456789abcdefghijklmnopqrstuvwxyz"
FORMS = (
    KEY,
    quote(KEY, safe=""),
    KEY.replace("/", "\\/"),
    base64.b64encode(KEY.encode()).decode()[:-4],
    base64.b64encode(f"Bearer {KEY}".encode()).decode()[12:-4],
    KEY[:24],
    KEY[-24:],
)
"""What must not be found; the last two, because half a key is a clue too."""


@dataclass(frozen=True)
class Way:
    """A driver, the settings that hold its key and address, and where the mock has its face."""

    driver: str
    key: str
    address: str
    face: str
    model: str | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """What a command needs to ask it."""
        return ("--driver", self.driver, *(("--model", self.model) if self.model else ()))


WAYS = (
    Way("jev", "TYPESAFE_API_KEY", "TYPESAFE_BASE_URL", ""),
    Way("openrouter-decisions", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "/api/v1"),
    Way("openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "/api/v1", "jevbias/mock-chat"),
    Way("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "jevbias/mock-chat"),
)
EVERY_WAY = pytest.mark.parametrize("way", WAYS, ids=[way.driver for way in WAYS])


@dataclass
class Seen:
    """Everything that commands left or said, searched for the key."""

    folder: Path
    logs: pytest.LogCaptureFixture
    results: list[Result] = field(default_factory=list)

    def everything(self) -> Iterator[tuple[str, str]]:
        """Where, and the text there."""
        for number, result in enumerate(self.results):
            yield f"output {number}", result.out + result.err
        for record in self.logs.records:
            yield f"log {record.name}", f"{record.getMessage()} {record.__dict__!r}"
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name != ".env":
                content = path.read_bytes()
                packed = path.suffix == ".gz"
                yield path.name, (gzip.decompress(content) if packed else content).decode("latin-1")
                if path.suffix == ".db":
                    yield from _rows(path)

    def check(self) -> None:
        """Fails where a form of the key is anywhere, and where nothing shows that it was echoed."""
        for where, text in self.everything():
            for form in FORMS:
                assert form not in text, f"{where}: …{text[max(0, text.find(form) - 200) :][:400]}…"


def _rows(database: Path) -> Iterator[tuple[str, str]]:
    with closing(sqlite3.connect(database)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                yield table, " ".join(_readable(value) for value in row)


def _readable(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    with suppress(zlib.error):
        value = zlib.decompress(value)
    return value.decode("latin-1")


@pytest.fixture
def seen(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Seen]:
    """Every logger there is, at its loudest."""
    before = {}
    for name, logger in logging.root.manager.loggerDict.items():
        if isinstance(logger, logging.Logger):
            before[name] = logger.level
            logger.setLevel(logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    yield Seen(tmp_path, caplog)
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


# Servers that echo


def loudly(header: str) -> dict[str, str]:
    """The header, in the forms in which a server may write it."""
    key = header.removeprefix("Bearer ")
    return {
        "raw": header,
        "encoded": quote(key, safe=""),
        "base64": base64.b64encode(header.encode()).decode(),
        "key64": base64.b64encode(key.encode()).decode(),
    }


def in_escapes(content: Any) -> bytes:
    """JSON in which every letter and digit of a text is escaped, as some serialisers do with some."""
    return re.sub(r"[a-zA-Z0-9+/=_-](?=[^\"]*\"[}:,])", _escape, json.dumps(content)).encode()


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04X}"


def with_echo(request: Asked, status: int, content: Any) -> Said:
    """A JSON reply that echoes the header in its body and its headers."""
    header = request.headers.get("authorization", "nothing")
    if isinstance(content, dict):
        for result in content.get("results") or ():
            result["response"]["body"]["echo"] = loudly(header)
        content = {**content, "echo": loudly(header), header: "as a name"}
    headers = {"x-request-id": header, "x-typesafe-request-id": header, "set-cookie": f"k={header}"}
    return Said(status, json.dumps(content).replace("/", "\\/").encode(), headers, reason=header)


def parrot(mock: RunningMock) -> Callable[[Asked], Said]:
    """The mock with an echo; of the questions, some come back as errors of every kind first."""
    asked = 0

    def react(request: Asked) -> Said:
        nonlocal asked
        header = request.headers.get("authorization", "nothing")
        if request.method == "POST" and "batches" not in request.path:
            asked += 1
            said = f"what is {json.dumps(loudly(header))}"
            error = {"error": {"code": 500, "message": said}, "detail": said}
            if asked % 5 == 2:
                return with_echo(request, 503, error)
            if asked % 7 == 3:
                return with_echo(request, 400, error)
            if asked % 7 == 5:
                message = {"role": "assistant", "content": said, "refusal": None}
                choices = [{"finish_reason": "stop", "message": message}]
                return with_echo(
                    request, 200, {"answers": {"advance": said}, "choices": choices, "model": said}
                )
        return with_echo(request, *forwarded(mock.base_url, request))

    return react


def forwarded(base_url: str, request: Asked) -> tuple[int, Any]:
    """What the mock answers."""
    body = request.body if request.method == "POST" else None
    headers = {"content-type": "application/json"}
    sent = urllib.request.Request(f"{base_url}{request.path}", body, headers, method=request.method)
    try:
        with urllib.request.urlopen(sent) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@contextmanager
def kept_log(database: Path) -> Iterator[None]:
    """Keep the database's write-ahead log from being merged when the last command closes it."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("SELECT COUNT(*) FROM run").fetchone()
        yield


def invoker(jevbias: Jevbias, way: Way, server: Server, folder: Path, seen: Seen) -> Callable[..., Result]:
    """Commands with the key: in the environment for System One, in `.env` for chat models."""
    settings = {way.address: f"{server.url}{way.face}"}
    if way.model is None:
        settings[way.key] = KEY
    else:
        (folder / ".env").write_text(f"{way.key}='{KEY}'\n")

    def invoke(*arguments: object) -> Result:
        result = jevbias(*arguments, **settings)
        seen.results.append(result)
        return result

    return invoke


@EVERY_WAY
def test_a_whole_run_at_a_server_that_echoes_the_key_leaves_it_nowhere(
    jevbias: Jevbias, mock: RunningMock, way: Way, seen: Seen, tmp_path: Path
) -> None:
    database = tmp_path / "jevbias.db"
    with answering(parrot(mock)) as server:
        invoke = invoker(jevbias, way, server, tmp_path, seen)
        invoke("doctor", "--ask", *way.flags)
        invoke("doctor", "--models", "--json", *way.flags)
        assert invoke("run", "--plan-only", "--name", "mine", "--profile", "smoke", *way.flags).code == 0
        with kept_log(database):
            invoke("run", "--resume", "mine", "--max-attempts", "2", "--workers", "2", "--yes")
            for command in (("status",), ("status", "--json"), ("runs",), ("doctor", "--json", *way.flags)):
                assert invoke(*command).code == 0
            assert invoke("analyse", "--out", "report.json").code == 0
            assert invoke("publish", "--out", "page.html").code == 0
            assert invoke("export", "--archive", "mine.jsonl.gz").code == 0
            assert invoke("export", "--what", "probes", "--raw").code == 0
            assert invoke("trace", "probe/1", "--raw").code == 0
            assert (tmp_path / "jevbias.db-wal").stat().st_size > 0
            seen.check()
    assert any(request.headers.get("authorization") == f"Bearer {KEY}" for request in server.asked)
    stored = json.dumps(list(_rows(database)))
    assert "http_400" in stored
    assert "http_503" in stored
    assert stored.count("[key withheld]") > 10
    assert b"[key withheld]" in gzip.decompress((tmp_path / "mine.jsonl.gz").read_bytes())
    assert {"report.json", "page.html"} <= {path.name for path in tmp_path.iterdir()}


STOPS: dict[str, Callable[[Asked, str], Said]] = {
    "401, escaped": lambda asked, header: Said(401, in_escapes({"error": {"message": f"no: {header}"}})),
    "401": lambda asked, header: with_echo(asked, 401, {"error": {"message": f"no such key: {header}"}}),
    "404": lambda asked, header: with_echo(asked, 404, {"detail": [{"loc": ["header"], "msg": header}]}),
    "redirect": lambda _, header: Said(307, b"", {"Location": f"https://other.example/{header}"}),
    "no JSON": lambda _, header: Said(200, f"<html>{header}</html>".encode()),
    "packed": lambda _, header: Said(200, b"{}", {"Content-Encoding": header}),
}


@EVERY_WAY
def test_a_run_that_is_stopped_says_why_without_the_key(
    jevbias: Jevbias, way: Way, seen: Seen, tmp_path: Path
) -> None:
    now = [STOPS["401"]]
    with answering(lambda asked: now[0](asked, asked.headers["authorization"])) as server:
        invoke = invoker(jevbias, way, server, tmp_path, seen)
        invoke("doctor", "--ask", *way.flags)
        invoke("run", "--plan-only", "--name", "mine", *way.flags)
        for stop in STOPS.values():
            now[0], before = stop, len(server.asked)
            stopped = invoke("run", "--resume", "mine", "--max-attempts", "1", "--yes")
            assert stopped.code == 1
            assert "Traceback" not in stopped.err
            assert len(server.asked) > before
        invoke("status")
    seen.check()


def test_batches_at_a_server_that_echoes_the_key_leave_it_nowhere(
    jevbias: Jevbias, mock: RunningMock, seen: Seen, tmp_path: Path
) -> None:
    way = WAYS[2]
    with answering(parrot(mock)) as server:
        invoke = invoker(jevbias, way, server, tmp_path, seen)
        assert invoke("run", "--plan-only", "--name", "mine", *way.flags).code == 0
        assert invoke("batch", "submit", "--yes").code == 0
        assert invoke("batch", "status", "--wait").code == 0
        assert invoke("batch", "collect").code == 0
        assert "answered 15" in invoke("status").out
    seen.check()
    assert json.dumps(list(_rows(tmp_path / "jevbias.db"))).count("[key withheld]") > 10


# What a programmer may print


@EVERY_WAY
def test_no_repr_and_no_error_holds_the_key(way: Way) -> None:
    async def opened(settings: Settings) -> tuple[object, ...]:
        choice = choose_driver(settings)
        transport = HttpTransport(choice.base_url, key=settings_key(settings, way), timeout=1, connections=2)
        async with open_driver(choice, settings) as driver:
            shown = (choice, driver, transport, vars(driver))
            await transport.aclose()
            return shown

    import asyncio

    settings = Settings.model_validate(
        {way.key: KEY, way.address: "http://127.0.0.1:9", "JEVBIAS_DRIVER": way.driver, "JEVBIAS_MODEL": "m"}
    )
    shown = (settings, settings.model_dump(), settings.model_dump_json(), *asyncio.run(opened(settings)))
    for thing in shown:
        assert not any(form in f"{thing!r} {thing!s}" for form in FORMS)


def settings_key(settings: Settings, way: Way) -> Any:
    """The key as the settings hold it."""
    return getattr(settings, way.key.lower())


def test_every_provider_with_a_key_is_among_the_ways_tried() -> None:
    assert {way.driver for way in WAYS} == {name for name, provider in PROVIDERS.items() if provider.key}
