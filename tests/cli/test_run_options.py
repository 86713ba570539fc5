"""What a run is told to declare is what it declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from jevbias.store.engine import open_store
from jevbias.store.runs import find_run
from tests.cli.conftest import Jevbias

PLAN = ("run", "--plan-only", "--driver", "local")


@pytest.mark.parametrize(
    ("flags", "settings", "threshold"),
    [
        ((), {}, 0.5),
        (("--threshold", "0.7"), {}, 0.7),
        ((), {"JEVBIAS_THRESHOLD": "0.3"}, 0.3),
        (("--threshold", "0.7"), {"JEVBIAS_THRESHOLD": "0.3"}, 0.7),
    ],
)
def test_the_threshold_of_decisions_is_declared_with_the_run(
    jevbias: Jevbias, tmp_path: Path, flags: tuple[str, ...], settings: dict[str, str], threshold: float
) -> None:
    planned = jevbias(*PLAN, *flags, **settings)
    assert planned.code == 0, planned.err
    run = find_run(open_store(str(tmp_path / "jevbias.db")), None)
    assert run.settings["threshold"] == threshold


def test_the_level_of_the_tests_is_declared_with_the_run(jevbias: Jevbias, tmp_path: Path) -> None:
    assert jevbias(*PLAN, "--alpha", "0.01", JEVBIAS_ALPHA="0.2").code == 0
    assert find_run(open_store(str(tmp_path / "jevbias.db")), None).alpha == 0.01


def test_placebos_are_asked_about_on_demand(jevbias: Jevbias) -> None:
    probes = []
    for name, flags in (("without", ()), ("with", ("--placebos",))):
        planned = jevbias(*PLAN, "--name", name, *flags)
        assert planned.code == 0, planned.err
        probes.append(jevbias("status", "--json").json["probes"])
    assert probes[1] >= probes[0] + 20


def test_a_planned_run_names_the_database_in_the_command_that_goes_on(jevbias: Jevbias) -> None:
    planned = jevbias(*PLAN, "--name", "mine", "--db", "other.db")
    assert planned.err.splitlines()[-1] == (
        "planned; `jevbias run --resume mine --db other.db` puts it to the model"
    )


@pytest.mark.parametrize("columns", ["60", "80", "160"])
def test_a_list_of_runs_never_breaks_a_name(jevbias: Jevbias, columns: str) -> None:
    names = ["sparrow-nano-general-v1.1-smoke", "a", "x" * 50]
    for name in names:
        assert jevbias(*PLAN, "--name", name).code == 0
    lines = jevbias("runs", COLUMNS=columns).out.splitlines()
    assert {line.split()[0] for line in lines} >= set(names)
    assert all(len(line.rstrip()) <= int(columns) for line in lines)
    assert sum("0/15" in line for line in lines) == 3
