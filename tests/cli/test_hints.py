"""What an error advises reaches the database that the user named."""

from __future__ import annotations

import json
from pathlib import Path

from jevbias.cli.hints import remember_flag, with_flag
from jevbias.cli.options import database_flag
from tests.battery.sets import pair_set
from tests.cli.conftest import Jevbias

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
    ):
        done = jevbias(*command, "--db", db)
        assert (done.code, advice in done.err) == (2, True), done.err
        assert len(done.err.splitlines()) == 1


def test_advice_names_no_database_where_none_was_named(jevbias: Jevbias) -> None:
    assert jevbias("analyse", "--db", "gone.db").err.count("--db gone.db") == 1
    assert "`jevbias run` creates it" in jevbias("analyse").err


def test_a_database_with_a_password_is_only_named_and_no_command_gets_a_flag_it_does_not_have() -> None:
    remember_flag(database_flag("postgresql://me:hunter2@127.0.0.1/x"))
    said = with_flag("`jevbias runs` or `jevbias mock`; `make demo`", lambda words: words == ["runs"])
    assert said == "`jevbias runs --db URL` or `jevbias mock`; `make demo`"
