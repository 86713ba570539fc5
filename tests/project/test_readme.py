"""Every command that the README shows is run, in the order of the page, and prints what the page shows.

A `console` block holds commands (`$ …`) and what they print, from stdout or stderr: lines that stand together
come out together, `…` alone stands for lines left out, and within a line for what varies (times, paths). Its
mocks get free ports. What loads the runs that ship is run once, for other tests too. An `sh` block sets a
machine up, as `.ci/run` does on a fresh one.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import typer

from jevbias.cli.main import app, run_app
from jevbias.drain.batches.watching import wait_for_batches
from tests.project.conftest import SEEDING, Seeded

CHECKOUT = Path(__file__).parents[2]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
SETTINGS = ("TYPESAFE_", "OPENROUTER_", "OPENAI_", "JEVBIAS_")
SET_UP = ("make ", "python3 -m venv", "pip install", "jevbias --install-completion")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def steps() -> Iterator[tuple[str, list[str]]]:
    """Each command with the lines shown below it."""
    for block in blocks("console"):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = step.rstrip("\n").split("\n")
            yield command, shown


class Shell:
    """Runs commands in this process, but mocks, which run beside it on free ports."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys
        self._ports: dict[str, str] = {}
        self._started = ExitStack()

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *_: object) -> None:
        self._started.close()

    def run(self, command: str) -> list[str]:
        """Run one line as a shell would; the lines of stdout, then those of stderr."""
        words = shlex.split(command, comments=True)
        if words[-1] == "&":
            return self._mock(words[:-1])
        given = list(takewhile(re.compile(r"[A-Z_]+=").match, words))
        program, *arguments = words[len(given) :]
        if program == "export":
            for name, _, value in (word.partition("=") for word in arguments):
                self._monkeypatch.setenv(name, self._local(value))
            return []
        if program == "cd":
            self._monkeypatch.chdir(arguments[0])
            return []
        assert program == "jevbias", f"a console block runs jevbias alone: {command}"
        with self._monkeypatch.context() as context:
            for name, _, value in (word.partition("=") for word in given):
                context.setenv(name, self._local(value))
            self._capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                run_app(arguments)
        captured = self._capsys.readouterr()
        assert ended.value.code in (0, None), f"{command}\n{captured.out}{captured.err}"
        return [line.rstrip() for line in f"{captured.out}\n{captured.err}".split("\n")]

    def _mock(self, words: list[str]) -> list[str]:
        assert words[:2] == ["jevbias", "mock"], words
        port = words[words.index("--port") + 1] if "--port" in words else "8799"
        arguments = [word for word in words[1:] if word not in ("--port", port)]
        command = [sys.executable, "-m", "jevbias", *arguments, "--port", "0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self._started.callback(process.wait)
        self._started.callback(process.terminate)
        assert process.stderr is not None
        self._started.enter_context(process.stderr)
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
        assert found is not None, said
        self._ports[port] = found[1]
        return [said.rstrip().replace(found[1], port)]

    def _local(self, value: str) -> str:
        return re.sub(r"(127\.0\.0\.1):(\d+)", lambda found: f"{found[1]}:{self._ports[found[2]]}", value)


def printed(shown: list[str], output: list[str]) -> str | None:
    """None where the output holds the lines that are shown, else the first that it lacks."""
    runs: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == "…":
            runs.append([])
        else:
            runs[-1].append(line.rstrip())
    for run in filter(None, runs):
        patterns = [re.compile(".*".join(map(re.escape, line.split("…")))) for line in run]
        places = range(len(output) - len(run) + 1)
        if not any(all(p.fullmatch(output[at + i]) for i, p in enumerate(patterns)) for at in places):
            return "\n".join(run)
    return None


def test_every_command_of_the_readme_runs_and_prints_what_it_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, seeded: Seeded
) -> None:
    for variable in list(os.environ):
        if variable.startswith((*SETTINGS, "COLUMNS")):
            monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
    defaults: Any = wait_for_batches.__kwdefaults__
    monkeypatch.setitem(defaults, "first", 0.05)
    with Shell(monkeypatch, capsys) as shell:
        for command, shown in steps():
            if command.partition("#")[0].strip() == SEEDING:  # it was run, once for several tests
                seeded.copy_to(tmp_path)
                output = seeded.said
            else:
                output = shell.run(command)
            missing = printed(shown, output)
            assert missing is None, f"$ {command}\nprints no such lines:\n{missing}\nbut:\n" + "\n".join(
                output
            )


def test_what_sets_a_machine_up_is_known_to_make_or_to_pip() -> None:
    targets = re.findall(r"^([a-z]+):", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for line in "".join(blocks("sh")).splitlines():
        command = line.split("#")[0].strip()
        assert command.startswith(SET_UP), command
        if command.startswith("make "):
            assert command.removeprefix("make ") in targets, command


def _commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    yield name, command
    for key, below in getattr(command, "commands", {}).items():
        yield from _commands(below, f"{name} {key}".strip())


def test_every_command_and_option_that_the_text_names_exists() -> None:
    known = dict(_commands(typer.main.get_command(app)))
    options = {name: {o for p in command.params for o in p.opts} for name, command in known.items()}
    everywhere = set().union(*options.values()) | {"--help"}
    prose = re.sub(r"^```.*?^```", "", README, flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`\n]+)`", prose):
        words = [word for word in code.split() if not re.match(r"[A-Z_]+=", word)]
        words = words[1:] if words[:1] == ["jevbias"] else words
        name = next((n for n in (" ".join(words[:2]), " ".join(words[:1])) if n and n in known), None)
        for option in (word for word in words if re.fullmatch(r"--[a-z-]+", word)):
            assert option in (options[name] | {"--help"} if name else everywhere), code
        if code.startswith("jevbias "):
            assert name is not None or words[0] in ("COMMAND", "--help", "--install-completion"), code


def test_every_command_has_a_line() -> None:
    for name, _ in list(_commands(typer.main.get_command(app)))[1:]:
        family = name.split()[0]
        assert re.search(rf"^\| [^|]*`{family}\b", README, re.MULTILINE), name
