"""`compare`, `publish --compare` and `gate` on real runs in a real database."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from jevbias.report.compared import ComparedRuns
from tests.cli.conftest import Jevbias
from tests.cli.forked import Streams, forked_one_by_one


@pytest.fixture(scope="module")
def made(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs `one` and `two` of one plan, of the same mock, their reports, and `unsent`."""
    folder = tmp_path_factory.mktemp("runs")
    with running_mock(MockModel(catalogue, seed=2)) as mock:
        asking = Streams(settings={"TYPESAFE_BASE_URL": mock.base_url})
        run = ("run", "--driver", "jev", "--name")
        commands = [(*run, "one"), (*run, "two"), (*run, "unsent", "--plan-only")]
        commands += [("analyse", "--run", name) for name in ("one", "two")]
        for ended in forked_one_by_one(folder, commands, asking):
            assert ended.code == 0, ended.err
    return folder


@pytest.fixture
def two(jevbias: Jevbias, made: Path, tmp_path: Path) -> Jevbias:
    """Commands in a copy of that folder."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return jevbias


def test_two_runs_are_compared_in_the_terminal_as_json_and_as_a_page(two: Jevbias, tmp_path: Path) -> None:
    shown = two("compare", "one", "two")
    assert shown.code == 0, shown.err
    assert "Both runs asked the same plan" in shown.out
    compared = ComparedRuns.model_validate(two("compare", "one", "two", "--json").json)
    (pair,) = compared.pairs
    assert (pair.first, pair.second, pair.same_plan, pair.basis) == ("one", "two", True, "pairs")
    written = two("compare", "one", "two", "--out", "both.json")
    assert written.err == "wrote both.json\n"
    assert ComparedRuns.model_validate(json.loads((tmp_path / "both.json").read_text())) == compared
    page = two("publish", "--compare", "one", "two", "--out", "both.html", "--nav", "one=one.html")
    assert page.code == 0, page.err
    html = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert '<a href="one.html">one</a>' in html
    assert "two beside one" in html


def test_report_files_and_stored_runs_may_stand_side_by_side(two: Jevbias) -> None:
    (pair,) = two("compare", "one", "reports/two.json", "--json").json["pairs"]
    assert (pair["basis"], pair["second"]) == ("bases", "two")
    no_database = two("compare", "reports/one.json", "reports/two.json", "--db", "nowhere/x.db")
    assert no_database.code == 0, no_database.err


def test_a_file_goes_by_its_run_s_name_and_by_its_own_only_where_that_is_taken(
    two: Jevbias, tmp_path: Path
) -> None:
    shutil.copy(tmp_path / "reports/one.json", tmp_path / "copy.json")
    named = [
        [run["label"] for run in two("compare", *names, "--json").json["runs"]]
        for names in (
            ("reports/one.json", "reports/two.json"),
            ("one", "copy.json"),
            ("reports/one.json", "copy.json", "two"),
        )
    ]
    assert named == [
        ["one", "two"],
        ["one", "one (copy.json)"],
        ["one (reports/one.json)", "one (copy.json)", "two"],
    ]


@pytest.mark.parametrize("command", [("compare", "one", "two"), ("gate", "--max-abs-delta", "0")])
def test_no_line_ends_in_spaces(two: Jevbias, command: tuple[str, ...]) -> None:
    lines = two(*command).out.splitlines()
    assert len(lines) > 3
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_run_compared_with_itself_differs_in_nothing_and_says_so(two: Jevbias) -> None:
    result = two("compare", "one", "one")
    assert result.code == 0
    assert result.out.startswith("one is compared with itself")
    assert len(result.out.splitlines()) < 3
    assert {row["difference"] for row in two("compare", "one", "one", "--json").json["pairs"][0]["rows"]} == {
        0.0
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("compare",), "RUN_A RUN_B"),
        (("compare", "one"), "two runs or more"),
        (("compare", "one", "three"), "there is no run 'three'"),
        (("compare", "one", "gone.json"), "gone.json: cannot be read"),
        (("compare", "one", "two", "two"), "two is named twice"),
        (("compare", "one", "unsent"), "run unsent has no answers yet"),
        (("compare", "one", "two", "--out", "-"), "--json prints to stdout"),
        (("compare", "one", "two", "--top", "-1"), "--top"),
        (("publish", "--compare", "one"), "two runs or more"),
        (("publish", "--compare", "one", "two", "--run", "one"), "leave --run and --report out"),
        (("publish", "one", "two"), "--compare RUN_A RUN_B"),
        (("gate", "--run", "one", "--report", "reports/one.json"), "give one of them"),
        (("gate", "--max-worse", "-1"), "--max-worse"),
        (("gate", "--max-abs-delta", "-0.1"), "--max-abs-delta"),
        (("gate", "--max-abs-delta", "nan"), "--max-abs-delta"),
        (("gate", "--run", "three"), "there is no run 'three'"),
        (("gate", "--report", "gone.json"), "gone.json: cannot be read"),
    ],
)
def test_bad_usage_is_one_line(two: Jevbias, arguments: tuple[str, ...], says: str) -> None:
    result = two(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert says in result.err
    assert len(result.err.splitlines()) == 1 or result.err.startswith("Usage")


@pytest.mark.parametrize("limits", [(), ("--max-abs-delta", "1", "--require-calibration")])
def test_a_run_without_answers_passes_no_gate(two: Jevbias, limits: tuple[str, ...]) -> None:
    result = two("gate", "--run", "unsent", "--max-worse", "99", "--allow-undecided", "--json", *limits)
    assert (result.code, result.json["verdict"]) == (3, "cannot decide")
    assert {(found["measured"], found["passed"]) for found in result.json["limits"]} == {(None, None)}


@pytest.mark.parametrize(
    "command",
    [
        ("gate", "--max-abs-delta", "0.1", "--report", "reports/odd.json"),
        ("publish", "--report", "reports/odd.json"),
        ("compare", "one", "reports/odd.json"),
    ],
    ids=lambda command: command[0],
)
def test_a_file_that_says_what_no_report_can_is_refused_by_every_command(
    two: Jevbias, tmp_path: Path, command: tuple[str, ...]
) -> None:
    report = json.loads((tmp_path / "reports/one.json").read_text())
    report["comparisons"][0]["delta"] = 1e308
    (tmp_path / "reports/odd.json").write_text(json.dumps(report))
    result = two(*command)
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert "not a whole report: comparisons.0.delta: not between -1 and 1" in result.err


def test_the_gate_ends_with_its_verdict_and_prints_it(two: Jevbias) -> None:
    undecided = two(
        "gate", "--run", "one", "--max-worse", "0", "--max-abs-delta", "0.5", "--require-calibration"
    )
    assert undecided.code == 3
    assert undecided.out.startswith("cannot decide: one, plan ")
    allowed = two("gate", "--run", "one", "--max-abs-delta", "0.5", "--allow-undecided", "--json")
    assert (allowed.code, allowed.json["verdict"], allowed.json["run"]) == (0, "passed", "one")
    assert allowed.json["undecided"] != []
    assert allowed.json["plan_hash"] == two("analyse", "--run", "one", "--json").json["run"]["plan_hash"]
    failed = two(
        "gate", "--report", "reports/one.json", "--max-abs-delta", "0", "--allow-undecided", "--json"
    )
    assert (failed.code, failed.json["verdict"]) == (3, "failed")
    broken = {found["limit"]: found for found in failed.json["limits"]}["max_abs_delta"]
    assert (broken["allowed"], broken["passed"]) == (0.0, False)
    assert broken["comparisons"][0] in broken["says"]
