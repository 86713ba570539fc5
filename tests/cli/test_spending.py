"""Money: nothing is spent without a yes, no run costs more than it may, and no figure is made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.draining import Sending, drain_options, pace_of
from jevbias.cli.spending import described_spending, spending_left
from jevbias.drivers.pricing import find_price
from jevbias.drivers.select import DriverChoice, choose_driver, render_body
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.settings import load_settings
from jevbias.store.asks import AskReader
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.runs import find_run
from jevbias.store.tables import PROBE
from tests.cli.conftest import Jevbias
from tests.cli.terminal import terminal
from tests.drain.draining import attempts

KEY = "sk-elsewhere-0123456789"
JEV = ("run", "--driver", "jev", "--name", "mine")
CHAT = ("run", "--driver", "openrouter", "--model", "jevbias/mock-chat", "--name", "mine")


@pytest.fixture
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=2)) as running:
        yield running


def elsewhere(mock: RunningMock) -> str:
    """The mock under an address that is not on loopback, though it leads there."""
    return mock.base_url.replace("127.0.0.1", "0.0.0.0")


def paid(mock: RunningMock) -> dict[str, str]:
    """Settings with which asking the mock costs money."""
    return {
        "TYPESAFE_BASE_URL": elsewhere(mock),
        "TYPESAFE_API_KEY": KEY,
        "OPENROUTER_BASE_URL": f"{elsewhere(mock)}/api/v1",
        "OPENROUTER_API_KEY": KEY,
    }


def sent(path: str = "jevbias.db") -> int:
    return sum(row.http_status is not None for row in attempts(open_store(path, create=False)))


@pytest.mark.parametrize("command", [JEV, CHAT], ids=["jev", "openrouter"])
def test_without_a_terminal_and_without_yes_nothing_is_stored_or_sent(
    jevbias: Jevbias, mock: RunningMock, tmp_path: Path, command: tuple[str, ...]
) -> None:
    refused = jevbias(*command, **paid(mock))
    assert refused.code == 2
    (line,) = refused.err.splitlines()
    assert "--yes" in line
    assert elsewhere(mock) in line
    assert KEY not in refused.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("run", "--resume", "mine"), ("work",)], ids=["resume", "work"])
def test_a_planned_run_is_not_sent_without_a_yes_either(
    jevbias: Jevbias, mock: RunningMock, command: tuple[str, ...]
) -> None:
    assert jevbias(*JEV, "--plan-only", **paid(mock)).code == 0
    refused = jevbias(*command, **paid(mock))
    assert refused.code == 2
    assert "--yes" in refused.err
    assert jevbias("status", "--json").json["status"] == "planned"
    assert sent() == 0
    agreed = jevbias(*command, "--yes", **paid(mock))
    assert agreed.code == 0, agreed.err
    assert sent() == 15


def test_yes_spends_without_a_question(jevbias: Jevbias, mock: RunningMock) -> None:
    run = jevbias(*JEV, "--yes", **paid(mock))
    assert run.code == 0, run.err
    assert "[y/N]" not in run.err
    assert KEY not in run.err


def test_a_server_on_loopback_costs_nothing_and_is_asked_without_a_question(
    jevbias: Jevbias, mock: RunningMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal(monkeypatch) as at:
        run = jevbias(*JEV, TYPESAFE_BASE_URL=mock.base_url)
    assert run.code == 0
    assert "[y/N]" not in at.shown()


@pytest.mark.parametrize("answer", ["n", "", "yeah", "\x04"])
def test_anything_but_a_yes_sends_nothing_and_leaves_the_run_planned(
    jevbias: Jevbias, mock: RunningMock, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    with terminal(monkeypatch) as at:
        at.type(answer)
        run = jevbias(*JEV, **paid(mock))
    assert run.code == 1
    assert f"on 15 calls to jev-latest at {elsewhere(mock)}? [y/N] " in at.shown()
    assert at.shown().rstrip().endswith("nothing was sent; `jevbias run --resume mine` goes on")
    assert run.out == ""
    assert sent() == 0
    assert jevbias("status", "--json").json["status"] == "planned"


@pytest.mark.parametrize("answer", ["y", "YES"])
def test_a_yes_at_the_terminal_spends_what_was_named(
    jevbias: Jevbias, mock: RunningMock, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    with terminal(monkeypatch) as at:
        at.type(answer)
        run = jevbias(*CHAT, **paid(mock))
    assert run.code == 0, at.shown()
    (question,) = [line for line in at.shown().splitlines() if "[y/N]" in line]
    low, high = (float(word.strip("$")) for word in question.split() if word.startswith("$"))
    cost = jevbias("status", "--json").json["cost"]
    assert cost <= high
    assert cost > low / 10, "cached prefixes cost a tenth"


def test_a_price_that_nobody_knows_is_called_so_and_never_nothing(
    jevbias: Jevbias, mock: RunningMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"OPENAI_BASE_URL": f"{elsewhere(mock)}/v1", "OPENAI_API_KEY": KEY}
    with terminal(monkeypatch) as at:
        at.type("n")
        jevbias("run", "--driver", "openai", "--model", "mine-1", **settings)
    shown = at.shown()
    assert "the price of mine-1 is not known; add it to profiles/prices/prices.yaml" in shown
    assert f"The price of mine-1 is not known. Make 15 calls to mine-1 at {elsewhere(mock)}/v1" in shown
    assert "$" not in shown


def test_a_limit_stops_a_run_before_it_is_passed_and_a_higher_one_goes_on(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    here = {"OPENROUTER_BASE_URL": mock.openrouter_url}
    whole = jevbias(*CHAT, "--name", "whole", **here)
    assert whole.code == 0, whole.err
    cost = jevbias("status", "--json").json["cost"]
    stopped = jevbias(*CHAT, "--max-cost", cost / 2, **here)
    assert stopped.code == 1
    status = jevbias("status", "--json").json
    assert 0 < status["cost"] <= cost / 2
    assert status["by_status"]["pending"] > 0
    (line,) = [line for line in stopped.err.splitlines() if line.startswith("stopped: ")]
    assert line.startswith("stopped: --max-cost $")
    assert "a higher limit goes on" in line
    assert f"{status['left']} pending; `jevbias run --resume mine` goes on" in stopped.err.splitlines()
    assert jevbias("run", "--resume", "mine", "--max-cost", 2 * cost, **here).code == 0


def test_a_limit_that_cannot_be_kept_stops_after_one_reply(jevbias: Jevbias, mock: RunningMock) -> None:
    stopped = jevbias(
        *("run", "--driver", "openai", "--model", "mine-1", "--max-cost", "5"),
        OPENAI_BASE_URL=mock.openai_url,
    )
    assert stopped.code == 1
    assert "stopped: --max-cost $5.00 cannot be kept: a reply names no cost" in stopped.err
    assert sent() == 1


def test_the_embedded_model_costs_nothing_and_has_no_limit(jevbias: Jevbias) -> None:
    run = jevbias("run", "--driver", "local", "--max-cost", "0.000001")
    assert run.code == 0, run.err


def test_status_and_summary_name_cached_tokens_and_what_a_call_costs(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    run = jevbias(*CHAT, OPENROUTER_BASE_URL=mock.openrouter_url)
    assert run.code == 0, run.err
    status = jevbias("status", "--json").json
    assert 0 < status["cached_tokens"] < status["input_tokens"]
    tokens = (
        f"{status['input_tokens']:,} in ({status['cached_tokens']:,} cached), {status['output_tokens']:,} out"
    )
    cost = f"${status['cost']:.4f} (${status['cost'] / 15:.4f} a call)"
    assert f"tokens    {tokens}" in jevbias("status").out
    assert f"cost      {cost}" in jevbias("status").out
    assert f"; tokens {tokens}; cost {cost}; " in run.err


def test_a_reasoning_effort_is_kept_with_the_run_and_no_resume_changes_it(
    jevbias: Jevbias, mock: RunningMock, tmp_path: Path
) -> None:
    here = {"OPENROUTER_BASE_URL": mock.openrouter_url}
    assert jevbias(*CHAT, "--reasoning-effort", "low", "--plan-only", **here).code == 0
    refused = jevbias("run", "--resume", "mine", "--reasoning-effort", "high", **here)
    assert (refused.code, "--reasoning-effort" in refused.err) == (2, True)
    resumed = jevbias("run", "--resume", "mine", JEVBIAS_REASONING_EFFORT="high", **here)
    assert resumed.code == 0, resumed.err
    engine = open_store(str(tmp_path / "jevbias.db"))
    assert find_run(engine, "mine").settings["reasoning_effort"] == "low"
    assert _bodies_sent(tmp_path) == _bodies("low", tmp_path)


def _bodies_sent(folder: Path) -> set[str]:
    return {row.body_sha256 for row in attempts(open_store(str(folder / "jevbias.db")))}


def _bodies(effort: str, folder: Path) -> set[str]:
    import hashlib

    from sqlalchemy import select

    with reading(open_store(str(folder / "jevbias.db"))) as connection:
        ids = connection.execute(select(PROBE.c.ask_id)).scalars()
        asks = AskReader().load(connection, ids).values()
    bodies = [render_body("openrouter", "jevbias/mock-chat", ask, effort) for ask in asks]
    return {hashlib.sha256(body).hexdigest() for body in bodies}


def _choice(driver: str, **settings: object) -> DriverChoice:
    from jevbias.catalogue.load import load_catalogue

    return choose_driver(load_settings(driver=driver, **settings), catalogue_prices=load_catalogue().prices)


def test_a_providers_documented_limits_hold_for_its_own_servers_alone(
    jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = _choice("jev", typesafe_api_key=KEY)
    here = _choice("jev", typesafe_base_url="http://127.0.0.1:8799")
    settings = load_settings()
    assert drain_options(settings, theirs, Sending()).rate == 1200
    assert drain_options(settings, theirs, Sending()).tokens_per_second == 250_000
    assert drain_options(settings, theirs, Sending(rate=60.0)).rate == 60
    assert drain_options(settings, here, Sending()).rate is None
    assert pace_of(here, Sending(tokens_per_second=10.0)).tokens_per_second == 10


def test_a_chat_model_has_the_time_to_answer_that_its_provider_gives(jevbias: Jevbias) -> None:
    chat = _choice("openai", model="m", openai_base_url="http://127.0.0.1:8799/v1")
    assert drain_options(load_settings(), chat, Sending()).timeout == 300
    assert drain_options(load_settings(timeout=7), chat, Sending()).timeout == 7
    assert drain_options(load_settings(), _choice("local"), Sending()).timeout == 30


def test_what_is_left_is_what_is_not_answered(jevbias: Jevbias, mock: RunningMock) -> None:
    here = {"OPENROUTER_BASE_URL": mock.openrouter_url}
    assert jevbias(*CHAT, "--plan-only", **here).code == 0
    engine = open_store("jevbias.db")
    run = find_run(engine, "mine")
    choice = _choice("openrouter", model=run.model, openrouter_base_url=mock.openrouter_url)
    whole = spending_left(engine, run, choice, None)
    assert (whole.calls, whole.cost) == (15, None)
    stopped = jevbias("run", "--resume", "mine", "--max-cost", "0.006", **here)
    assert stopped.code == 1, stopped.err
    status = jevbias("status", "--json").json
    left = spending_left(engine, run, choice, None)
    assert left.calls == status["left"] < 15
    assert left.input_tokens.high < whole.input_tokens.high
    assert left.cost is not None, "told from the replies so far"
    each = status["cost"] / (15 - status["left"])
    assert left.cost.low < each * left.calls < left.cost.high


def test_the_lines_before_the_question_say_what_the_figures_rest_on(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    assert jevbias(*JEV, "--plan-only", **paid(mock)).code == 0
    engine = open_store("jevbias.db")
    choice = _choice("jev", typesafe_base_url=elsewhere(mock), typesafe_api_key=KEY)
    price = find_price(choice.prices, choice.name, choice.model)
    spending = spending_left(engine, find_run(engine, "mine"), choice, price)
    first, second = described_spending(choice, spending, price, pace_of(choice, Sending()))
    assert "$0.000" in first
    assert first.endswith("0.8 s or more at 1,200 calls a minute")
    assert "20% either way" in second
    assert "TypeSafe's public documentation" in second
    assert "checked 2026-" in second


def test_the_database_of_a_paid_run_holds_no_key(jevbias: Jevbias, mock: RunningMock, tmp_path: Path) -> None:
    assert jevbias(*JEV, "--yes", **paid(mock)).code == 0
    files = [file for file in tmp_path.iterdir() if file.name.startswith("jevbias.db")]
    assert files
    assert not any(KEY.encode() in file.read_bytes() for file in files)
