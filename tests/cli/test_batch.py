"""`jevbias batch`: a run asked in batches from the plan to the report, and what stands in the way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.effects import load_effects
from jevbias.mock.fault_plan import BatchLife, FaultPlan, FaultRule
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from jevbias.store.engine import open_store
from tests.cli.conftest import Jevbias
from tests.drain.batches.conftest import planned
from tests.mock.http import NO_CERTIFICATES

CHAT = ("--driver", "openrouter", "--model", "jevbias/mock-chat")


@contextmanager
def mock(
    catalogue: Catalogue, *lives: dict[str, Any], faults: list[dict[str, Any]] | None = None
) -> Iterator[str]:
    """The mock's address for OpenRouter; its batches end as `lives` say."""
    plan = FaultPlan(
        faults=[FaultRule.model_validate(fault) for fault in faults or []],
        batches=[BatchLife.model_validate(life) for life in lives],
    )
    model = MockModel(catalogue, effects=load_effects(None, catalogue))
    with running_mock(model, faults=plan) as running:
        yield f"{running.base_url}/api/v1"


def scenario_of(catalogue: Catalogue) -> str:
    return catalogue.profiles["pilot"].scenarios[0]


@pytest.fixture
def narrow(catalogue: Catalogue) -> tuple[str, ...]:
    """A pilot of one scenario and one swept attribute."""
    scenario = scenario_of(catalogue)
    return ("--profile", "pilot", "--scenarios", scenario, "--swept", "religion")


def test_a_pilot_in_batches_from_the_plan_to_the_report(
    jevbias: Jevbias, catalogue: Catalogue, narrow: tuple[str, ...]
) -> None:
    life = {"statuses": ["validating", "pondering", "completed"], "not_found_gets": 1}
    with mock(catalogue, life) as url:
        settings = {"OPENROUTER_BASE_URL": url}
        assert jevbias("run", *narrow, *CHAT, "--name", "p", "--plan-only", **settings).code == 0
        submitted = jevbias("batch", "submit", **settings)
        assert submitted.code == 0, submitted.err
        assert "batch status --wait --run p" in submitted.err
        looked = jevbias("batch", "status", **settings)
        assert looked.code == 0
        assert "does not show it yet" in looked.out
        resumed = jevbias("run", "--resume", "p", **settings)
        assert resumed.code == 1
        assert "probes are in batches" in resumed.err
        assert jevbias("batch", "collect", **settings).code == 1
        waited = jevbias("batch", "status", "--wait", **settings)
        assert waited.code == 0, waited.err
        assert "probes answered" in waited.err, "what has ended is collected"
        collected = jevbias("batch", "collect", **settings)
        assert collected.code == 0, collected.err
        assert jevbias("batch", "status", "--wait", **settings).code == 0
        ledger = httpx.get(url.replace("/api/v1", "/ledger"), verify=NO_CERTIFICATES, trust_env=False).json()
        asked = [row["custom_id"] for row in ledger if row["face"] == "batch_request"]
        status = jevbias("status", "--json").json
        assert (status["status"], status["in_batches"], status["by_status"]["answered"]) == (
            "finished",
            0,
            len(asked),
        )
        assert len(set(asked)) == len(asked) == status["probes"]
        assert not [row for row in ledger if row["face"] == "chat"]
        again = jevbias("batch", "collect")
        assert again.code == 0, "nothing is open: nobody need be asked"
    rows = jevbias("batch", "status", "--json").json
    assert [row["status"] for row in rows] == ["collected"] * len(rows)
    assert sum(row["answered"] for row in rows) == status["probes"]
    assert sum(row["cost"] for row in rows) == pytest.approx(status["cost"])
    assert jevbias("analyse").code == 0
    report = json.loads(Path("reports/p.json").read_text(encoding="utf-8"))
    assert report["run"]["answers"] > 0
    assert report["noise_floor"]["probe_sd"] > 0
    assert report["run"]["mean_latency_ms"] is None
    (note,) = [note for note in report["notes"] if "batches" in note]
    assert "no two repeats of a cell went in one batch" in note
    assert note.startswith(f"{status['probes']} calls were answered in {len(rows)} batches")


def test_an_expired_batch_is_followed_by_another(
    jevbias: Jevbias, catalogue: Catalogue, narrow: tuple[str, ...]
) -> None:
    with mock(
        catalogue, {"nth": 1, "statuses": ["expired"], "answered": 0.5}, {"statuses": ["completed"]}
    ) as url:
        settings = {"OPENROUTER_BASE_URL": url}
        jevbias("run", *narrow, *CHAT, "--name", "p", "--plan-only", **settings)
        jevbias("batch", "submit", "--chunk", "5000", **settings)
        first = jevbias("batch", "collect", **settings)
        assert first.code == 1
        assert "without a result pending again" in first.err
        jevbias("batch", "submit", **settings)
        assert jevbias("batch", "collect", **settings).code == 0
    status = jevbias("status", "--json").json
    assert status["by_status"]["answered"] == status["probes"]


def test_a_batch_whose_submission_was_not_answered_is_found_and_adopted(
    jevbias: Jevbias, catalogue: Catalogue, narrow: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.batches.submission.LOOK_AFTER", ())
    lost = {"when": {"face": "batch_submit", "nth": 1}, "reply": {"cut": "close"}}
    with mock(catalogue, {"statuses": [*["in_progress"] * 3, "completed"]}, faults=[lost]) as url:
        settings = {"OPENROUTER_BASE_URL": url}
        jevbias("run", *narrow, *CHAT, "--name", "p", "--plan-only", **settings)
        submitted = jevbias("batch", "submit", "--chunk", "5000", **settings)
        assert submitted.code == 1
        assert submitted.err.count("is not known") == 1
        (row,) = jevbias("batch", "status", "--json", **settings).json
        (candidate,) = row["candidates"]
        early = jevbias("batch", "adopt", candidate, **settings)
        assert early.code == 2
        assert "does not show yet" in early.err
        too_early = jevbias("batch", "submit", "--again", **settings)
        assert too_early.code == 2
        assert "may still be on its way" in too_early.err
        adopted = jevbias("batch", "adopt", candidate, **settings)
        assert adopted.code == 0, adopted.err
        jevbias("batch", "submit", **settings)
        assert jevbias("batch", "status", "--wait", **settings).code == 0
        assert jevbias("batch", "collect", **settings).code == 0
        ledger = httpx.get(url.replace("/api/v1", "/ledger"), verify=NO_CERTIFICATES, trust_env=False).json()
    asked = [row["custom_id"] for row in ledger if row["face"] == "batch_request"]
    assert len(asked) == len(set(asked)) == jevbias("status", "--json").json["probes"]


def test_runs_of_other_drivers_have_no_batches(
    jevbias: Jevbias, catalogue: Catalogue, narrow: tuple[str, ...]
) -> None:
    jevbias("run", *narrow, "--driver", "local", "--name", "p", "--plan-only")
    for command in (("submit",), ("status",), ("collect",), ("adopt", "x")):
        result = jevbias("batch", *command)
        assert result.code == 2
        assert "--driver openrouter" in result.err
        assert result.err.count("\n") == 1
    with mock(catalogue) as url:
        settings = {"OPENROUTER_BASE_URL": url}
        jevbias("run", *narrow, "--driver", "openrouter-decisions", "--name", "d", "--plan-only", **settings)
        assert "decisions cannot be batched" in jevbias("batch", "submit", "--run", "d", **settings).err


def test_a_model_that_takes_no_batches_is_refused_before_anything_is_sent(
    jevbias: Jevbias, catalogue: Catalogue, narrow: tuple[str, ...]
) -> None:
    with mock(catalogue) as url:
        settings = {"OPENROUTER_BASE_URL": url}
        sync = ("--driver", "openrouter", "--model", "jevbias/mock-chat-sync")
        jevbias("run", *narrow, *sync, "--name", "p", "--plan-only", **settings)
        result = jevbias("batch", "submit", **settings)
        assert result.code == 2
        assert "takes no batches" in result.err
        assert jevbias("batch", "status", "--json").json == []


@pytest.mark.parametrize("chunk", ["0", "5001", "-1"])
def test_a_chunk_has_1_to_5000_requests(jevbias: Jevbias, chunk: str) -> None:
    result = jevbias("batch", "submit", "--chunk", chunk)
    assert result.code == 2
    assert "1 to 5,000" in result.err


def test_without_a_terminal_money_is_only_spent_where_it_was_agreed_to(
    jevbias: Jevbias, tmp_path: Path
) -> None:
    url = "https://192.0.2.1/api/v1"
    engine = open_store(str(tmp_path / "jevbias.db"))
    planned(engine, 3, url)
    engine.dispose()
    settings = {"OPENROUTER_BASE_URL": url, "OPENROUTER_API_KEY": "sk-or-secret"}
    result = jevbias("batch", "submit", **settings)
    assert result.code == 2
    assert "--yes" in result.err
    assert "sk-or-secret" not in result.err
    assert jevbias("batch", "submit", OPENROUTER_BASE_URL=url).code == 2, "and not without a key"


def test_a_run_without_batches_says_how_to_make_some(
    jevbias: Jevbias, catalogue: Catalogue, narrow: tuple[str, ...]
) -> None:
    with mock(catalogue) as url:
        settings = {"OPENROUTER_BASE_URL": url}
        jevbias("run", *narrow, *CHAT, "--name", "p", "--plan-only", **settings)
    result = jevbias("batch", "status")
    assert (result.code, result.out) == (0, "")
    assert "`jevbias batch submit --run p` makes some" in result.err
