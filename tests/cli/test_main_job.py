"""The main job through the command line: plan, drain, analyse, publish, against real servers on loopback."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.select import render_body
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.plan.build import build_plan
from tests.cli.conftest import Jevbias
from tests.mock.http import get

SEED = 20260920
PINNED_MOCK_SEED = 2
"""With the default seed of the run; about one mock seed in seven adds a false discovery, as it should."""
INJECTED = {
    "full/religion=muslim",
    "full/name_culture=west_african",
    "name_only/name_culture=west_african",
}


@pytest.fixture
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(
        MockModel(catalogue, seed=PINNED_MOCK_SEED, effects=load_effects(None, catalogue))
    ) as running:
        yield running


def test_the_mock_pilot_finds_exactly_its_three_effects_and_sends_each_body_as_planned(
    jevbias: Jevbias, catalogue: Catalogue, mock: RunningMock, tmp_path: Path
) -> None:
    arguments = ("run", "--profile", "pilot", "--driver", "jev", "--name", "mock-pilot", "--workers", "1")
    run = jevbias(*arguments, TYPESAFE_BASE_URL=mock.base_url)
    assert run.code == 0, run.err
    report = jevbias("analyse", "--run", "mock-pilot", "--json").json
    pooled = [row for row in report["comparisons"] if row["question"] is None]
    assert {row["id"] for row in pooled if row["significant"]} == INJECTED
    assert {row["id"] for row in pooled[:3]} == INJECTED
    controls = report["calibration"]["pooled"]["controls"]
    assert (controls["tests"], controls["significant"]) == (23, 0)
    assert {row["flag"] for row in report["validity"]} == {"ok"}
    assert json.loads((tmp_path / "reports" / "mock-pilot.json").read_text()) == report

    plan = build_plan(catalogue, "pilot", catalogue.profiles["pilot"], SEED)
    planned = Counter(
        hashlib.sha256(render_body("jev", "jev-latest", plan.asks[probe.ask_hash])).hexdigest()
        for probe in plan.probes
    )
    ledger = get(mock, "/ledger").content
    assert Counter(row["sha256"] for row in ledger) == planned

    status = jevbias("status", "--json").json
    assert (status["answers"], status["sends"], status["possible_sends"], status["left"]) == (1940, 388, 0, 0)
    page = jevbias("publish", "--out", "page.html", "--nav", "Other=other.html")
    assert page.code == 0, page.err
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "religion" in html
    assert "jevbias-mock-1" in html


def test_two_analyses_of_one_run_are_the_same_bytes(
    jevbias: Jevbias, mock: RunningMock, tmp_path: Path
) -> None:
    jevbias("run", "--driver", "jev", "--name", "smoke", TYPESAFE_BASE_URL=mock.base_url)
    for name in ("first.json", "second.json"):
        assert jevbias("analyse", "--out", name).code == 0
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()


def test_without_a_key_the_embedded_model_answers_and_the_first_line_says_so(jevbias: Jevbias) -> None:
    run = jevbias("run", "--profile=smoke")
    assert run.code == 0, run.err
    first = run.err.splitlines()[0]
    assert "sparrow-nano-general-v1.1" in first
    assert "TYPESAFE_API_KEY" in first
    status = jevbias("status", "--json").json
    assert (status["name"], status["finished"]) == ("sparrow-nano-general-v1.1-smoke", 15)
    analysed = jevbias("analyse")
    assert analysed.code == 0, analysed.err
    assert "fewer than 8 degrees of freedom" in " ".join(analysed.out.split())


def test_a_planned_run_is_put_to_the_model_by_resume_and_resumed_again_sends_nothing(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    planned = jevbias(
        "run", "--plan-only", "--driver", "jev", "--name", "later", TYPESAFE_BASE_URL=mock.base_url
    )
    assert planned.code == 0, planned.err
    assert get(mock, "/ledger").content == []
    for _ in range(2):
        resumed = jevbias("run", "--resume", "later", TYPESAFE_BASE_URL=mock.base_url)
        assert resumed.code == 0, resumed.err
        assert len(get(mock, "/ledger").content) == 15


def test_narrowing_a_run_keeps_the_bodies_of_what_remains(
    jevbias: Jevbias, catalogue: Catalogue, mock: RunningMock
) -> None:
    run = jevbias(
        *("run", "--profile", "pilot", "--scenarios", "clinical_triage", "--driver", "jev"),
        TYPESAFE_BASE_URL=mock.base_url,
    )
    assert run.code == 0, run.err
    plan = build_plan(catalogue, "pilot", catalogue.profiles["pilot"], SEED)
    kept = {
        hashlib.sha256(render_body("jev", "jev-latest", plan.asks[probe.ask_hash])).hexdigest()
        for probe in plan.probes
        if probe.scenario == "clinical_triage"
    }
    assert {row["sha256"] for row in get(mock, "/ledger").content} == kept


def test_a_deleted_run_is_gone_and_the_others_stay(jevbias: Jevbias) -> None:
    for name in ("one", "two"):
        assert jevbias("run", "--plan-only", "--driver", "local", "--name", name).code == 0
    unconfirmed = jevbias("runs", "--delete", "one")
    assert unconfirmed.code == 2
    assert "--yes" in unconfirmed.err
    assert jevbias("runs", "--delete", "one", "--yes").code == 0
    assert [run["name"] for run in jevbias("runs", "--json").json] == ["two"]
    assert jevbias("runs", "--delete", "one", "--yes").code == 2
