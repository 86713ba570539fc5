"""Where a stream is full, closed or without a reader, every command ends in one line or in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.main import app
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.cli.forked import Streams, forked, forked_one_by_one

PRINTS: dict[str, list[tuple[str, ...]]] = {
    "design": [("--compare", "8"), ("--compare", "8", "--json")],
    "preview": [(), ("--raw",), ("--swap", "religion=muslim")],
    "levels": [("religion",), ("--json",)],
    "status": [(), ("--json",)],
    "runs": [(), ("--json",)],
    "analyse": [("--out", "report.json"), ("--json",)],
    "compare": [("mine", "mine"), ("mine", "mine", "--json")],
    "gate": [("--allow-undecided",), ("--json",)],
    "trace": [("validity/hiring_screen.advance",), ("probe/1", "--json")],
    "export": [(), ("--what", "people", "--format", "jsonl")],
    "export-variants": [()],
    "doctor": [("--driver", "local", "--models"), ("--driver", "local", "--models", "--json")],
}
"""Commands whose result is what they print, in the forms that print in different ways."""
WRITES_ELSEWHERE = {"run", "work", "confirm", "reset", "publish", "validate", "mock"} | {
    "import",
    "init",
    "seed-canonical",
}
WAYS = ["/dev/full", "closed", "broken pipe"]
EVERY_COMMAND = [command.name for command in app.registered_commands]

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@pytest.fixture(scope="module")
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=2)) as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, mock: RunningMock) -> Path:
    """A folder with a finished run in its database."""
    folder = tmp_path_factory.mktemp("runs")
    asking = Streams(settings={"TYPESAFE_BASE_URL": mock.base_url})
    ran = forked(folder, "run", "--driver", "jev", "--name", "mine", streams=asking)
    assert ran.code == 0, ran.err
    return folder


def check_the_end(code: int, err: str, way: str) -> None:
    lines = err.splitlines()
    if way == "broken pipe":
        assert (code, lines) == (141, [])
    else:
        why = "it is closed" if way == "closed" else "No space left on device"
        assert (code, lines) == (1, [f"jevbias: stdout cannot be written to: {why}"])


def test_every_command_is_known_here() -> None:
    assert set(EVERY_COMMAND) == {*PRINTS, *WRITES_ELSEWHERE}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_command_prints_cannot_be_written(folder: Path, way: str) -> None:
    commands = [(command, *form) for command, forms in PRINTS.items() for form in forms]
    for ended in forked_one_by_one(folder, commands, Streams(stdout=way)):
        check_the_end(ended.code, ended.err, way)


@pytest.mark.parametrize("way", WAYS)
def test_nor_any_command_s_help(folder: Path, way: str) -> None:
    commands = [["--help"], *([str(command), "--help"] for command in EVERY_COMMAND)]
    for ended in forked_one_by_one(folder, commands, Streams(stdout=way)):
        check_the_end(ended.code, ended.err, way)


def test_the_same_holds_for_the_interpreter_itself(folder: Path) -> None:
    arguments = [sys.executable, "-m", "jevbias", "status"]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            arguments, stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder, check=False
        )
    check_the_end(ended.returncode, ended.stderr, "/dev/full")
    shell = ["/bin/sh", "-c", '"$@" >&-', "sh", *arguments]
    ended = subprocess.run(shell, capture_output=True, text=True, cwd=folder, check=False)
    check_the_end(ended.returncode, ended.stderr, "closed")


@pytest.mark.parametrize("way", WAYS)
def test_a_run_goes_on_where_its_progress_cannot_be_shown(
    tmp_path: Path, mock: RunningMock, way: str
) -> None:
    streams = Streams(stdout=way, stderr=way, settings={"TYPESAFE_BASE_URL": mock.base_url})
    ended = forked(tmp_path, "run", "--driver", "jev", "--name", "mine", streams=streams)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    status = forked(tmp_path, "status")
    assert "15 of 15 done: answered 15" in status.out


@pytest.mark.parametrize("way", WAYS)
def test_a_complaint_that_cannot_be_made_is_not_made(tmp_path: Path, way: str) -> None:
    assert forked(tmp_path, "status", streams=Streams(stderr=way)).code == 2


def test_a_closed_stdout_is_no_place_for_the_database(tmp_path: Path, mock: RunningMock) -> None:
    asking = {"TYPESAFE_BASE_URL": mock.base_url}
    closed = Streams(stdin="closed", stdout="closed", stderr="closed", settings=asking)
    assert forked(tmp_path, "run", "--driver", "jev", "--name", "mine", streams=closed).code == 0
    assert forked(tmp_path, "status", "--json").code == 0


def test_a_question_without_a_terminal_is_bad_usage_with_stdin_closed_too(folder: Path) -> None:
    ended = forked(folder, "runs", "--delete", "mine", streams=Streams(stdin="closed"))
    assert ended.code == 2
    assert "--yes" in ended.err


def test_a_letter_that_stdout_cannot_show_is_one_line(folder: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "jevbias", "levels", "--json"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert shown.returncode == 1
    (line,) = shown.stderr.splitlines()
    assert line.startswith("jevbias: stdout's encoding ascii has no '\\")
    assert line.endswith("set PYTHONIOENCODING=utf-8")
