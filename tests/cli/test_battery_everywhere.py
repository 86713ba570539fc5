"""A battery finds what a judge pays for whoever is asked, in whatever wire format, on whatever database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import Arrival, MockModel
from jevbias.mock.request import SystemOneRequest
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.report.battery import BatteryReport
from tests.battery.sets import pair_set
from tests.cli.conftest import Jevbias
from tests.postgres.databases import Databases

MODELS = {
    "jev": "jev-latest",
    "openrouter-decisions": "typesafe/jev-1.13",
    "openrouter": "jevbias/mock-chat",
    "openai": "jevbias/mock-chat",
}
PAID = 0.3


class PaidByTheWord(MockModel):
    """Serves the mock's wire formats, and scores a reply by its length, and for beginning with WITH."""

    def positions(self, request: SystemOneRequest, arrival: Arrival) -> dict[str, float]:
        state = cast(dict[str, dict[str, str]], request.state)
        assert list(state) == ["conversation", "reply"]
        reply = state["reply"]["text"]
        score = 0.2 + 0.002 * len(reply) + PAID * reply.startswith("WITH") + 0.01 * (arrival.times - 1)
        return dict.fromkeys(request.questions, score)


@pytest.fixture(scope="module")
def judge(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(PaidByTheWord(catalogue)) as running:
        yield running


@pytest.fixture
def servers(judge: RunningMock, tmp_path: Path) -> dict[str, str]:
    """Where the judge is; a file `pairs.jsonl` in the current folder."""
    lines = []
    for pair in pair_set({"loud": [2, 1, 1, 1, 1, 1, 1], "calm": [1] * 6}).pairs:
        reply = f"WITH {pair.with_feature}" if pair.axis == "loud" else pair.with_feature
        lines.append({**pair.content, "with": reply})
        del lines[-1]["number"]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return {
        "TYPESAFE_BASE_URL": judge.base_url,
        "OPENROUTER_BASE_URL": judge.openrouter_url,
        "OPENAI_BASE_URL": judge.openai_url,
    }


def found(jevbias: Jevbias, *arguments: str) -> BatteryReport:
    reported = jevbias("battery", "report", "--json", *arguments)
    assert reported.code == 0, reported.err
    report = BatteryReport.model_validate_json(reported.out)
    assert (report.lost, report.run.answered) == ([], report.run.calls)
    (loud, calm) = report.per_axis["loud"], report.per_axis["calm"]
    assert loud.mean == pytest.approx(PAID + (calm.mean or 0.0), abs=0.1)
    assert report.strongest_axis == "loud"
    assert report.noise.sd == pytest.approx(0.01)
    return report


def command(driver: str, *more: str) -> tuple[str, ...]:
    asked = ("--driver", driver, "--model", MODELS[driver], "--name", "bat")
    return ("battery", "run", "--pairs", "pairs.jsonl", *asked, *more)


@pytest.mark.parametrize("driver", MODELS)
def test_whoever_is_asked(jevbias: Jevbias, servers: dict[str, str], driver: str) -> None:
    done = jevbias(*command(driver), **servers)
    assert done.code == 0, done.err
    report = found(jevbias)
    assert report.run.driver == driver
    assert (report.run.cost is not None) == driver.startswith("openrouter")


def test_in_batches(jevbias: Jevbias, servers: dict[str, str]) -> None:
    assert jevbias(*command("openrouter", "--plan-only"), **servers).code == 0
    for step in (("submit",), ("status", "--wait")):
        ended = jevbias("batch", *step, "--run", "bat", **servers)
        assert ended.code == 0, ended.err
    found(jevbias)


def test_on_postgresql_as_on_sqlite(
    jevbias: Jevbias, servers: dict[str, str], own_postgres: Databases
) -> None:
    db = ("--db", own_postgres.empty())
    assert jevbias(*command("jev", "--plan-only"), *db, **servers).code == 0
    assert jevbias("battery", "run", "--resume", "bat", *db, **servers).code == 0
    report = found(jevbias, *db)
    assert jevbias("export", "--run", "bat", "--archive", "bat.gz", *db).code == 0
    assert jevbias("import", "bat.gz").code == 0
    assert found(jevbias) == report
    assert "is there already" in jevbias("import", "bat.gz", *db).err
