"""The pilot through every driver: whoever is asked, in whatever wire format, the injected effects lead."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.cli.conftest import Jevbias
from tests.cli.test_main_job import INJECTED, PINNED_MOCK_SEED

MODELS = {
    "openrouter-decisions": "typesafe/jev-1.13",
    "openrouter": "jevbias/mock-chat",
    "openai": "jevbias/mock-chat",
}


@pytest.fixture(scope="module")
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(
        MockModel(catalogue, seed=PINNED_MOCK_SEED, effects=load_effects(None, catalogue))
    ) as running:
        yield running


def servers(mock: RunningMock) -> dict[str, str]:
    return {"OPENROUTER_BASE_URL": mock.openrouter_url, "OPENAI_BASE_URL": mock.openai_url}


@pytest.mark.parametrize("driver", MODELS)
def test_the_injected_effects_lead_the_pilot_through_any_driver(
    jevbias: Jevbias, mock: RunningMock, driver: str
) -> None:
    model = MODELS[driver]
    run = jevbias(
        "run", "--profile", "pilot", "--driver", driver, "--model", model, "--name", "pilot", **servers(mock)
    )
    assert run.code == 0, run.err
    report = jevbias("analyse", "--json").json
    pooled = [row for row in report["comparisons"] if row["question"] is None]
    assert {row["id"] for row in pooled[:3]} == INJECTED
    assert all(row["significant"] for row in pooled[:3])
    assert report["run"]["driver"] == driver
    assert ("writes its numbers down" in report["run"]["instrument"]) == (driver in ("openrouter", "openai"))
    assert (report["run"]["cost"] is not None) == driver.startswith("openrouter")


def test_the_injected_effects_lead_the_pilot_in_batches(jevbias: Jevbias, mock: RunningMock) -> None:
    planned = ("--driver", "openrouter", "--model", MODELS["openrouter"], "--name", "batched", "--plan-only")
    assert jevbias("run", "--profile", "pilot", *planned, **servers(mock)).code == 0
    for step in (("submit",), ("status", "--wait"), ("collect",)):
        ended = jevbias("batch", *step, "--run", "batched", **servers(mock))
        assert ended.code == 0, ended.err
    report = jevbias("analyse", "--run", "batched", "--json").json
    pooled = [row for row in report["comparisons"] if row["question"] is None]
    assert {row["id"] for row in pooled[:3]} == INJECTED
    assert report["run"]["answered"] == report["run"]["calls"]
