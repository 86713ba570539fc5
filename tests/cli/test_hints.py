"""What an error advises is a command that there is, and reaches the database that the user named."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import pytest
import typer
from sqlalchemy import Engine
from typer.core import TyperGroup

from jevbias.cli.hints import remember_flag, with_flag
from jevbias.cli.main import app
from jevbias.cli.options import database_flag
from jevbias.errors import UsageError
from jevbias.store.bench_runs import create_bench_run
from jevbias.store.next_commands import NextCommands
from jevbias.store.planning import create_run
from jevbias.store.runs import find_run
from jevbias.store.tables import RUN_KINDS
from tests.battery.sets import pair_set
from tests.cli.conftest import Jevbias
from tests.store.blank import open_blank
from tests.store.small import RUN_SETTINGS, small_plan

SCORES = "axis,family,with,without\na,f0,1,0\na,f1,1,0\n"


def planned(jevbias: Jevbias, db: str) -> None:
    lines = [
        {key: text for key, text in pair.content.items() if key != "number"}
        for pair in pair_set({"a": [1, 1]}).pairs
    ]
    Path("pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    Path("scores.csv").write_text(SCORES)
    command = ("battery", "run", "--pairs", "pairs.jsonl", "--scorer", "scores.csv", "--name", "bat")
    done = jevbias(*command, "--plan-only", "--db", db)
    assert done.code == 0, done.err
    assert (
        f"exists; choose another --name, or go on with it by `jevbias battery run --resume bat --db '{db}'`"
        in (jevbias(*command, "--db", db).err)
    )


def test_advice_names_the_database_that_was_named(jevbias: Jevbias) -> None:
    db = "other runs.db"
    planned(jevbias, db)
    for command, advice in (
        (("analyse", "--run", "bat"), "`jevbias battery report --run bat --db 'other runs.db'`"),
        (("testbench", "report", "--run", "bat"), "`jevbias battery report --run bat --db 'other runs.db'`"),
        (("testbench", "report"), "`jevbias testbench all --db 'other runs.db'` makes one"),
        (("collab", "report"), "`jevbias collab run --db 'other runs.db'` makes one"),
        (("work", "--run", "bat"), "`jevbias battery run --resume bat --db 'other runs.db'`"),
        (("collab", "demo", "--name", "bat"), "`jevbias battery run --resume bat --db 'other runs.db'`"),
    ):
        done = jevbias(*command, "--db", db)
        assert (done.code, advice in done.err) == (2, True), done.err
        assert len(done.err.splitlines()) == (3 if "demo" in command else 1)


def test_advice_names_no_database_where_none_was_named(jevbias: Jevbias) -> None:
    assert jevbias("analyse", "--db", "gone.db").err.count("--db gone.db") == 1
    assert "`jevbias run` creates it" in jevbias("analyse").err


def test_a_database_with_a_password_is_only_named_and_no_command_gets_a_flag_it_does_not_have() -> None:
    remember_flag(database_flag("postgresql://me:hunter2@127.0.0.1/x"))
    said = with_flag("`jevbias runs` or `jevbias mock`; `make demo`", lambda words: words == ["runs"])
    assert said == "`jevbias runs --db URL` or `jevbias mock`; `make demo`"


@cache
def command_tree() -> TyperGroup:
    return cast(TyperGroup, typer.main.get_command(app))


def assert_they_exist(message: str) -> None:
    """The commands of a message, in back-quotes, are commands that there are, with options that they have."""
    found = re.findall(r"`([^`]+)`", message)
    assert found, message
    for advised in found:
        program, *words = shlex.split(advised)
        assert program == "jevbias"
        command: Any = command_tree()
        while isinstance(command, TyperGroup):
            assert words, advised
            assert words[0] in command.commands, advised
            command, words = command.commands[words[0]], words[1:]
        options = {name for option in command.params for name in option.opts}
        assert {word for word in words if word.startswith("--")} <= options, advised


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_every_command_that_goes_on_with_a_run_exists(kind: str) -> None:
    commands = NextCommands("mine", " --db x.db", kind)
    for name, said in vars(NextCommands).items():
        if isinstance(said, property) and not name.startswith("_"):
            assert_they_exist(getattr(commands, name))


def stored(engine: Engine, kind: str, name: str = "mine") -> None:
    nobody = {"driver": "local", "model": "none", "base_url": ""}
    create_bench_run(engine, kind=kind, name=name, seed=1, settings={}, **nobody)


def refusal(refused: Callable[[], object]) -> str:
    with pytest.raises(UsageError) as error:
        refused()
    assert_they_exist(str(error.value))
    return str(error.value)


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_what_is_advised_about_a_run_is_of_its_kind_and_exists(tmp_path: Path, kind: str) -> None:
    engine = open_blank(str(tmp_path / "jevbias.db"))
    others = [other for other in RUN_KINDS if other != kind]
    made = NextCommands("", kind=kind).make
    assert f"; {made} makes one" in refusal(lambda: find_run(engine, None, kind))
    stored(engine, kind)
    commands = NextCommands("mine", kind=kind)
    taken = f"run mine exists; choose another --name, or go on with it by {commands.resume}"
    assert refusal(lambda: create_run(engine, small_plan(1), name="mine", **RUN_SETTINGS)) == taken
    for other in others:
        assert refusal(partial(stored, engine, other)) == taken
        wrong = refusal(partial(find_run, engine, "mine", other))
        assert wrong == f"run mine is a {kind} run: {commands.analyse} reads it"
