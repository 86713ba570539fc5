"""`confirm` through the command line: what a run found is frozen, put to new people, and judged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.main import run_app
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.store.connections import writing
from jevbias.store.engine import open_store
from jevbias.store.hypotheses import load_hypotheses
from jevbias.store.runs import find_run, list_runs, names_of_people
from jevbias.store.tables import RUN
from tests.cli.conftest import SETTINGS, Jevbias
from tests.conftest import CHECKOUT
from tests.mock.http import get

EXPLORE = (
    *("run", "--profile", "pilot", "--scenarios", "hiring_screen"),
    *("--swept", "religion=muslim,religion=hindu,name_culture=west_african"),
    *("--driver", "jev", "--model", "mock-9", "--name", "explore", "--seed", "41", "--margin", "0.015"),
    *("--workers", "1"),
)
INJECTED = {
    "full/religion=muslim": "down",
    "full/name_culture=west_african": "down",
    "name_only/name_culture=west_african": "down",
}
MUSLIM = "full/religion=muslim"
SMALL_CONFIRM = """\
title: What another run has found, in miniature
design: counterfactual
bases: 6
swept: hypotheses
scenarios: [hiring_screen, lending, clinical_triage]
conditions: [full, name_only]
replicate_subjects: 4
replicates: 3
anchor_replicates: 2
anchor_in_every_variant: true
"""


@pytest.fixture(scope="module")
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=2, effects=load_effects(None, catalogue))) as running:
        yield running


@pytest.fixture(scope="module")
def explored(mock: RunningMock, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small catalogue and a database that holds a finished exploratory run."""
    folder = tmp_path_factory.mktemp("explored")
    for part in ("scenarios", "profiles"):
        shutil.copytree(CHECKOUT / part, folder / "catalogue" / part)
    (folder / "catalogue" / "profiles" / "confirm.yaml").write_text(SMALL_CONFIRM)
    with pytest.MonkeyPatch.context() as context:
        for variable in [name for name in os.environ if name.startswith(SETTINGS)]:
            context.delenv(variable)
        context.setenv("TYPESAFE_BASE_URL", mock.base_url)
        context.chdir(folder)
        with pytest.raises(SystemExit) as ended:
            run_app(list(EXPLORE))
    assert ended.value.code == 0
    return folder


@pytest.fixture
def here(explored: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to work in."""
    shutil.copytree(explored, tmp_path, dirs_exist_ok=True)
    return tmp_path


def sent(mock: RunningMock) -> int:
    return len(get(mock, "/ledger").content)


def confirm(jevbias: Jevbias, *arguments: object, **settings: str) -> Any:
    return jevbias("confirm", "--from", "explore", "--catalogue", "catalogue", *arguments, **settings)


def test_a_confirmation_that_costs_money_is_not_stored_without_a_yes(
    jevbias: Jevbias, here: Path, mock: RunningMock
) -> None:
    chat = {"OPENAI_BASE_URL": mock.openai_url.replace("127.0.0.1", "0.0.0.0"), "OPENAI_API_KEY": "sk-1"}
    refused = confirm(jevbias, "--comparison", MUSLIM, "--driver", "openai", "--model", "m", **chat)
    assert refused.code == 2
    assert "--yes" in refused.err
    assert [run["name"] for run in jevbias("runs", "--json").json] == ["explore"]


@pytest.mark.parametrize(
    ("flags", "effort"),
    [((), "low"), (("--reasoning-effort", "high"), "high"), (("--model", "other"), None)],
    ids=["the source's", "its own", "another model"],
)
def test_a_confirmation_thinks_as_long_as_its_source_unless_told_otherwise(
    jevbias: Jevbias, here: Path, mock: RunningMock, flags: tuple[str, ...], effort: str | None
) -> None:
    engine = open_store("jevbias.db")
    settings = find_run(engine, "explore").settings | {"reasoning_effort": "low"}
    with writing(engine) as connection:
        connection.execute(
            RUN.update().values(driver="openai", model="m", base_url=mock.openai_url, settings=settings)
        )
    planned = confirm(
        jevbias, "--comparison", MUSLIM, "--plan-only", *flags, JEVBIAS_REASONING_EFFORT="medium"
    )
    assert planned.code == 0, planned.err
    assert find_run(engine, "explore-confirm").settings["reasoning_effort"] == effort


def test_a_confirmation_confirms_the_injected_effects_on_people_not_seen_before(
    jevbias: Jevbias, here: Path, mock: RunningMock
) -> None:
    before = sent(mock)
    named = [argument for comparison in INJECTED for argument in ("--comparison", comparison)]
    run = confirm(jevbias, *named)
    assert run.code == 0, run.err
    frozen = run.err.splitlines()
    assert frozen[0].startswith("3 hypotheses of explore, frozen with the plan as ")
    assert {line.strip() for line in frozen[1:4]} == {f"{key} {way}" for key, way in INJECTED.items()}
    assert "explore-confirm:" in frozen[4]
    assert f"{sent(mock) - before:,} calls" in frozen[4]
    assert "tokens" in frozen[4]

    report = jevbias("analyse", "--run", "explore-confirm", "--json").json
    hypotheses = report["hypotheses"]
    assert hypotheses["intact"] is True
    assert hypotheses["source_run"] == "explore"
    assert hypotheses["frozen_hash"] in frozen[0]
    assert {row["comparison"]: row["outcome"] for row in hypotheses["rows"]} == dict.fromkeys(
        INJECTED, "confirmed"
    )
    assert {row["margin"] for row in hypotheses["rows"]} == {0.015}
    assert (report["run"]["seed"], report["run"]["bases"], report["run"]["model"]) == (42, 6, "mock-9")
    assert (report["run"]["margin"], report["run"]["profile"]) == (0.015, "confirm")

    engine = open_store("jevbias.db", create=False)
    new, old = (names_of_people(engine, find_run(engine, name)) for name in ("explore-confirm", "explore"))
    assert {part for name in new for part in name.split()} & {
        part for name in old for part in name.split()
    } == set()
    assert jevbias("analyse", "--run", "explore", "--json").json["hypotheses"] is None


def test_without_names_the_findings_of_the_source_become_the_hypotheses(jevbias: Jevbias, here: Path) -> None:
    report = jevbias("analyse", "--run", "explore", "--json").json
    found = {
        row["id"]: "down" if row["delta"] < 0 else "up"
        for row in report["comparisons"]
        if row["question"] is None and row["verdict"] in ("worse", "better", "these cases")
    }
    assert INJECTED.items() <= found.items()
    assert confirm(jevbias, "--plan-only").code == 0
    engine = open_store("jevbias.db", create=False)
    frozen = load_hypotheses(engine, find_run(engine, "explore-confirm"))
    assert frozen is not None
    assert {row.comparison: row.direction for row in frozen.rows} == found


def test_a_planned_confirmation_sends_nothing_and_is_put_to_the_model_by_resume(
    jevbias: Jevbias, here: Path, mock: RunningMock
) -> None:
    before = sent(mock)
    arguments = (
        "--comparison",
        "full/religion=muslim",
        "--bases",
        "3",
        "--name",
        "later",
        "--margin",
        "0.03",
    )
    planned = confirm(jevbias, *arguments, "--alpha", "0.2", "--seed", "7", "--plan-only")
    assert planned.code == 0, planned.err
    assert planned.err.splitlines()[0].startswith("1 hypothesis of explore")
    assert "jevbias run --resume later" in planned.err.splitlines()[-1]
    assert sent(mock) == before
    engine = open_store("jevbias.db", create=False)
    frozen = load_hypotheses(engine, find_run(engine, "later"))
    resumed = jevbias("run", "--resume", "later")
    assert resumed.code == 0, resumed.err
    assert sent(mock) > before
    assert load_hypotheses(engine, find_run(engine, "later")) == frozen
    report = jevbias("analyse", "--run", "later", "--json").json
    (row,) = report["hypotheses"]["rows"]
    assert report["hypotheses"]["intact"] is True
    assert (row["outcome"], row["margin"], row["alpha"]) == ("confirmed", 0.03, 0.2)
    assert (report["run"]["seed"], report["run"]["bases"], report["run"]["alpha"]) == (7, 3, 0.2)


WRONG = [
    (
        ("--comparison", "full/religion=moslem"),
        ["--comparison", "full/religion=moslem", "full/religion=muslim"],
    ),
    (("--comparison", "name_only/religion=muslim"), ["--comparison", "control"]),
    (("--comparison", "full/religion=muslim/hiring_screen.advance"), ["--comparison", "one question"]),
    (("--seed", "41"), ["--seed 41", "explore"]),
    (("--seed", str(2**63)), ["seed"]),
    (("--name", "../etc"), ["../etc"]),
    (("--name", "explore", "--comparison", MUSLIM), ["explore", "`jevbias run --resume explore`"]),
    (("--margin", "2"), ["margin"]),
    (("--alpha", "0"), ["alpha"]),
    (("--bases", "0"), ["--bases"]),
    (
        ("--bases", "2", "--comparison", MUSLIM, "--alpha", "0.9"),
        ["--bases: 2 bases cannot confirm any of 1 hypothesis at the level 0.9; give 3 or more"],
    ),
    (
        ("--bases", "5", *(f"--comparison={key}" for key in INJECTED)),
        ["--bases: 5 bases cannot confirm any of 3 hypotheses at the level 0.05; give 6 or more"],
    ),
    (("--workers", "0"), ["workers"]),
    (("--rate", "0"), ["rate"]),
    (("--driver", "oracle"), ["oracle", "jev", "local"]),
    (("--from", "exploer"), ["exploer", "explore"]),
    (
        ("--from", "unanswered"),
        ["unanswered is not finished", "probes are left", "`jevbias run --resume unanswered`"],
    ),
    (("--catalogue", "nowhere"), ["nowhere"]),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_what_cannot_be_confirmed_is_one_line_and_nothing_is_written_or_sent(
    jevbias: Jevbias, here: Path, mock: RunningMock, arguments: tuple[str, ...], said: list[str]
) -> None:
    if "unanswered" in arguments:
        assert jevbias("run", "--name", "unanswered", "--plan-only").code == 0
    engine = open_store("jevbias.db", create=False)
    before = (list_runs(engine), sent(mock))
    result = confirm(jevbias, *arguments)
    assert result.code == 2, result
    assert result.out == ""
    assert len(result.err.splitlines()) == 1, result.err
    for part in said:
        assert part in result.err
    assert (list_runs(engine), sent(mock)) == before


@pytest.mark.parametrize("is_now", [{"design": "factorial"}, {"kind": "battery"}])
def test_a_source_without_anchors_is_refused(jevbias: Jevbias, here: Path, is_now: dict[str, str]) -> None:
    with writing(open_store("jevbias.db", create=False)) as connection:
        connection.execute(RUN.update().values(**is_now))
    result = confirm(jevbias)
    assert (result.code, result.out) == (2, "")
    assert len(result.err.splitlines()) == 1
    for part in ("explore", *is_now.values(), "counterfactual", "--from"):
        assert part in result.err


def test_without_a_database_or_a_source_there_is_nothing_to_confirm(jevbias: Jevbias, tmp_path: Path) -> None:
    for arguments, said in ((("--from", "explore"), "jevbias.db"), ((), "--from")):
        result = jevbias("confirm", *arguments)
        assert (result.code, result.out) == (2, "")
        assert said in result.err
        assert list(tmp_path.iterdir()) == []


def test_another_server_than_the_settings_name_is_never_asked(jevbias: Jevbias, here: Path) -> None:
    refused = confirm(
        jevbias, "--plan-only", TYPESAFE_BASE_URL="https://decisions.example", TYPESAFE_API_KEY="sk-secret"
    )
    assert refused.code == 2
    assert "TYPESAFE_BASE_URL" in refused.err
    assert "sk-secret" not in refused.err
    assert [run.name for run in list_runs(open_store("jevbias.db", create=False))] == ["explore"]


def test_the_command_that_is_suggested_reaches_the_same_database(jevbias: Jevbias, here: Path) -> None:
    (here / "jevbias.db").rename(here / "other.db")
    planned = confirm(jevbias, "--plan-only", "--comparison", MUSLIM, "--db", "other.db")
    assert planned.code == 0, planned.err
    assert "`jevbias run --resume explore-confirm --db other.db`" in planned.err.splitlines()[-1]
    unfinished = jevbias("confirm", "--from", "explore-confirm", "--db", "other.db")
    assert unfinished.code == 2
    assert "`jevbias run --resume explore-confirm --db other.db`" in unfinished.err


def test_a_level_that_reads_differently_now_is_pointed_out(jevbias: Jevbias, here: Path) -> None:
    attributes = here / "catalogue" / "scenarios" / "people" / "attributes.yaml"
    text = attributes.read_text(encoding="utf-8")
    assert confirm(jevbias, "--plan-only", "--comparison", "full/religion=muslim").err.startswith(
        "1 hypothesis"
    )
    assert text.count("muslim: Muslim") == 1
    attributes.write_text(text.replace("muslim: Muslim", "muslim: a Muslim"), encoding="utf-8")
    arguments = ("--plan-only", "--name", "reworded", "--comparison", "full/religion=muslim")
    planned = confirm(jevbias, *arguments)
    assert planned.code == 0, planned.err
    assert "religion=muslim otherwise than when explore was planned" in planned.err.splitlines()[0]
