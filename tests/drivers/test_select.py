"""Which model is asked, and what is said where it cannot be."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from jevbias.drivers.select import (
    RequestModel,
    choose_driver,
    open_driver,
    rechoose_driver,
    request_model,
)
from jevbias.errors import UsageError
from jevbias.settings import Settings, load_settings
from tests.drivers.asks import answered, small_ask
from tests.drivers.loopback import http_reply, loopback

KEY = "sk-test-1234567890abcdef"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))  # no .env of whoever runs the tests
    for name in ("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL", "JEVBIAS_DRIVER", "JEVBIAS_MODEL"):
        monkeypatch.delenv(name, raising=False)


def settings_of(**flags: object) -> Settings:
    return load_settings(**flags)


def test_without_a_key_the_embedded_model_is_asked_and_the_note_says_so() -> None:
    choice = choose_driver(settings_of())
    assert (choice.name, choice.model, choice.needs_key) == ("local", "sparrow-nano-general-v1.1", False)
    assert choice.note is not None
    assert "sparrow-nano-general-v1.1" in choice.note
    assert "TYPESAFE_API_KEY" in choice.note


def test_with_a_key_jev_is_asked() -> None:
    choice = choose_driver(settings_of(typesafe_api_key=KEY))
    assert (choice.name, choice.model, choice.base_url) == ("jev", "jev-latest", "https://api.typesafe.ai")
    assert (choice.needs_key, choice.note) == (True, None)
    assert KEY not in repr(choice)


def test_a_loopback_server_needs_no_key() -> None:
    choice = choose_driver(settings_of(driver="jev", typesafe_base_url="http://127.0.0.1:8799/"))
    assert (choice.base_url, choice.needs_key) == ("http://127.0.0.1:8799", False)


def test_any_other_server_needs_one() -> None:
    with pytest.raises(UsageError, match="TYPESAFE_API_KEY"):
        choose_driver(settings_of(driver="jev"))
    with pytest.raises(UsageError, match="TYPESAFE_API_KEY"):
        choose_driver(settings_of(driver="jev", typesafe_base_url="http://10.0.0.7:80"))


JEV = RequestModel("jev", "jev-latest")
LOOPBACK, REMOTE = "http://127.0.0.1:8799", "https://api.typesafe.ai"


def test_a_run_planned_for_a_loopback_server_is_never_resumed_at_a_paid_one() -> None:
    assert rechoose_driver(JEV, LOOPBACK, settings_of(typesafe_api_key=KEY)).base_url == LOOPBACK
    with pytest.raises(UsageError, match=LOOPBACK):
        rechoose_driver(JEV, LOOPBACK, settings_of(typesafe_api_key=KEY, typesafe_base_url=REMOTE))


def test_a_mock_may_come_back_on_another_port() -> None:
    moved = "http://127.0.0.1:9000"
    assert rechoose_driver(JEV, LOOPBACK, settings_of(typesafe_base_url=moved)).base_url == moved


def test_a_key_goes_only_where_the_settings_say_whatever_a_run_has_stored() -> None:
    keyed = settings_of(typesafe_api_key=KEY)
    assert rechoose_driver(JEV, REMOTE, keyed).base_url == REMOTE
    for stored in ("https://elsewhere.example", "http://api.typesafe.ai"):
        with pytest.raises(UsageError, match="TYPESAFE_BASE_URL"):
            rechoose_driver(JEV, stored, keyed)
    with pytest.raises(UsageError, match="TYPESAFE_BASE_URL"):
        rechoose_driver(JEV, REMOTE, settings_of(typesafe_api_key=KEY, typesafe_base_url=LOOPBACK))


def test_a_local_run_is_resumed_on_the_embedded_model_whatever_keys_there_are() -> None:
    planned = RequestModel("local", "sparrow-nano-robot-v1.2")
    choice = rechoose_driver(planned, "embedded", settings_of(typesafe_api_key=KEY))
    assert (choice.name, choice.model) == ("local", "sparrow-nano-robot-v1.2")


def test_the_embedded_model_named_by_the_user_needs_no_note() -> None:
    assert choose_driver(settings_of(driver="local")).note is None


def test_an_unknown_driver_or_model_is_one_line_that_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="jev, local"):
        choose_driver(settings_of(driver="jef"))
    with pytest.raises(UsageError, match="sparrow-nano-robot"):
        choose_driver(settings_of(driver="local", model="jev-latest"))
    with pytest.raises(UsageError, match="to ask Jev, set TYPESAFE_API_KEY"):
        choose_driver(settings_of(model="jev-latest"))
    with pytest.raises(UsageError, match="--model"):
        choose_driver(settings_of(typesafe_api_key=KEY, model="a\nb"))


def test_a_body_can_be_shown_without_a_key_or_a_server() -> None:
    assert request_model(settings_of(driver="jev")) == RequestModel("jev", "jev-latest")
    assert request_model(settings_of()) == RequestModel("local", "sparrow-nano-general-v1.1")
    assert request_model(settings_of(driver="local", model="x")) == RequestModel("local", "x")
    with pytest.raises(UsageError, match="jev, local"):
        request_model(settings_of(driver="jef"))


def test_a_base_url_that_is_none_names_its_setting() -> None:
    with pytest.raises(UsageError, match="TYPESAFE_BASE_URL"):
        choose_driver(settings_of(driver="jev", typesafe_base_url="api.typesafe.ai", typesafe_api_key=KEY))


@pytest.mark.parametrize("key", ["sk-tést-12345678", "sk test 12345678", "sk-\ntest-12345678"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose_driver(settings_of(typesafe_api_key=key))
    assert "TYPESAFE_API_KEY" in str(caught.value)
    assert key not in str(caught.value)
    assert "12345678" not in str(caught.value)


def test_the_chosen_server_is_asked_with_the_key_and_the_key_shows_nowhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    async def run() -> None:
        echo = json.dumps({"detail": f"{KEY} is refused"}).encode()
        async with loopback(http_reply(200, answered().body), http_reply(401, echo)) as server:
            settings = settings_of(driver="jev", typesafe_base_url=server.url, typesafe_api_key=f" {KEY}\n")
            choice = choose_driver(settings)
            async with open_driver(choice, settings) as driver:
                body = driver.render(small_ask())
                good = driver.read(small_ask(), await driver.send(body))
                bad = driver.read(small_ask(), await driver.send(body))
            assert server.requests[0][1] == body
            assert f"Bearer {KEY}\r\n" in server.requests[0][0]
            assert good.verdict == "answered"
            assert bad.verdict == "stop"
            assert "[key withheld] is refused" in (bad.error or "")
            assert KEY not in repr((choice, driver, good, bad, settings))
        assert KEY not in caplog.text

    asyncio.run(run())
