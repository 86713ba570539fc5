"""`testbench` on the command line: one run, one report, and one line for whatever is not allowed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.report.testbench import TestbenchReport
from tests.cli.conftest import Jevbias

SMALL = ("--minutes", "0", "--calls", "2", "--largest", "1500", "--cases", "3", "--bursts", "1,3")


@pytest.fixture(scope="module")
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(KnownModel(catalogue, KnownProperties())) as running:
        yield running


def test_all_parts_are_one_run_with_one_report(jevbias: Jevbias, mock: RunningMock) -> None:
    settings = {"TYPESAFE_BASE_URL": mock.base_url}
    ran = jevbias(
        "testbench", "all", "--driver", "jev", *SMALL, "--page", "page.html", "--out", "r.json", **settings
    )
    assert ran.code == 0, ran.err
    name = "jev-latest-testbench-all"
    assert f"{name}: determinism, latency, context, semantics, concurrency: at most " in ran.err
    for heading in ("Identical requests", "Latency by size", "How large", "What the numbers", "Many at"):
        assert heading in ran.out
    again = jevbias("testbench", "report", "--json")
    report = TestbenchReport.model_validate(again.json)
    assert (report.run.name, report.run.status, report.run.failed) == (name, "finished", 0)
    assert all((report.determinism, report.latency, report.context, report.semantics, report.concurrency))
    with open("r.json", encoding="utf-8") as written:
        assert written.read() == again.out
    with open("page.html", encoding="utf-8") as page:
        assert "on the test bench" in page.read()
    assert f"{report.run.calls}/{report.run.calls}" in jevbias("runs").out
    status = jevbias("status")
    assert status.out.startswith(
        f"run       {name} (testbench, finished)\ncalls     {report.run.calls} done, 0 "
    )
    assert jevbias("status", "--json").json["sends"] == report.run.sends
    assert "nothing left to send" in jevbias("testbench", "all", "--resume", name, **settings).err
    assert jevbias("runs", "--delete", name, "--yes").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["latency", "--words", "3,x"], "--words: '3,x' is not a list of whole numbers, such as 1,5,10"),
        (["latency", "--words", "3"], "--words: 3 is not allowed: "),
        (["latency", "--calls", "0"], "--calls: 0 is not allowed: "),
        (["concurrency", "--bursts", "1,600"], "--bursts: 600 is not allowed: "),
        (["context", "--precision", "0"], "--precision: 0.0 is not allowed: "),
        (["determinism", "--repeats", "1"], "--repeats: 1 is not allowed: "),
        (["semantics", "--scenario", "hiring"], "unknown scenario 'hiring'"),
        (["context", "--resume", "x", "--largest", "900"], "as it was planned: leave out --largest"),
        (["all", "--resume", "x"], "jevbias.db"),
        (["latency", "--name", "a b"], "run name 'a b' is not allowed"),
        (["latency", "--out", "-"], "--out: '-' is no file"),
        (["report"], "jevbias.db"),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_one_line(jevbias: Jevbias, arguments: list[str], said: str) -> None:
    refused = jevbias("testbench", *arguments, JEVBIAS_DRIVER="local")
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1


def test_money_is_spent_on_a_yes_only(jevbias: Jevbias) -> None:
    refused = jevbias("testbench", "latency", TYPESAFE_API_KEY="sk-test-0123456789", JEVBIAS_DRIVER="jev")
    assert refused.code == 2
    assert "costs money and there is no terminal to agree on: add --yes" in refused.err


def test_a_server_that_cannot_be_asked_ends_the_run_with_what_to_do(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    elsewhere = f"{mock.base_url}/elsewhere"
    ran = jevbias("testbench", "latency", "--driver", "jev", "--name", "wrong", TYPESAFE_BASE_URL=elsewhere)
    assert ran.code == 1
    lines = ran.err.splitlines()
    assert lines[-2] == "wrong: what was answered is stored; `jevbias testbench all --resume wrong` goes on"
    assert lines[-1].startswith("jevbias: ")
    assert "404" in lines[-1]
    assert "go on     `jevbias testbench all --resume wrong`" in jevbias("status").out


def test_other_commands_name_the_one_that_reads_it(jevbias: Jevbias, mock: RunningMock) -> None:
    settings = {"TYPESAFE_BASE_URL": mock.base_url}
    arguments = ("--driver", "jev", "--calls", "1", "--words", "12", "--name", "fast")
    assert jevbias("testbench", "latency", *arguments, **settings).code == 0
    for command in (["analyse", "--run", "fast"], ["publish", "--run", "fast"], ["gate", "--run", "fast"]):
        refused = jevbias(*command)
        assert refused.code == 2
        assert "`jevbias testbench report --run fast`" in refused.err
