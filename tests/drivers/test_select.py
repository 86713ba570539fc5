"""Which model is asked, and what is said where it cannot be."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from jevbias.drivers.providers import PROVIDERS
from jevbias.drivers.select import (
    RequestModel,
    choose_driver,
    open_driver,
    rechoose_driver,
    render_body,
    request_model,
)
from jevbias.errors import UsageError
from jevbias.settings import Settings, load_settings
from tests.drivers.asks import answered, small_ask
from tests.drivers.every_driver import SERVED, reply_content
from tests.drivers.loopback import http_reply, loopback

KEY = "sk-test-1234567890abcdef"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))  # no .env of whoever runs the tests
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.validation_alias), raising=False)


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


# Every way of asking

routed = pytest.mark.parametrize(
    ("driver", "key", "address"),
    [
        ("jev", "typesafe_api_key", "typesafe_base_url"),
        ("openrouter-decisions", "openrouter_api_key", "openrouter_base_url"),
        ("openrouter", "openrouter_api_key", "openrouter_base_url"),
        ("openai", "openai_api_key", "openai_base_url"),
    ],
)


@routed
def test_a_driver_has_its_own_key_and_address(driver: str, key: str, address: str) -> None:
    others = {
        name: "sk-other-1234567890" for name in ("typesafe_api_key", "openrouter_api_key", "openai_api_key")
    }
    asked = {"driver": driver, "model": "some/model", address: "https://models.example/v1/"}
    choice = choose_driver(settings_of(**{**others, **asked}))
    assert (choice.name, choice.model) == (driver, "some/model")
    assert (choice.base_url, choice.needs_key) == ("https://models.example/v1", True)
    assert choice.provider is PROVIDERS[driver]
    assert "sk-other" not in repr(choice)
    without = {name: value for name, value in others.items() if name != key}
    with pytest.raises(UsageError, match=f"--driver {driver} .*needs a key: set {key.upper()}"):
        choose_driver(settings_of(**{**without, **asked}))


@routed
def test_on_loopback_no_driver_needs_a_key(driver: str, key: str, address: str) -> None:
    choice = choose_driver(settings_of(driver=driver, model="m", **{address: "http://127.0.0.1:8799/api/v1"}))
    assert (choice.needs_key, choice.base_url) == (False, "http://127.0.0.1:8799/api/v1")


@routed
def test_an_address_or_a_key_that_is_none_names_its_setting(driver: str, key: str, address: str) -> None:
    with pytest.raises(UsageError, match=address.upper()):
        choose_driver(settings_of(driver=driver, model="m", **{address: "models.example"}))
    with pytest.raises(UsageError, match=key.upper()) as caught:
        choose_driver(settings_of(driver=driver, model="m", **{key: "sk tést 12345678"}))
    assert "12345678" not in str(caught.value)


@routed
def test_a_run_keeps_its_server_whichever_driver_it_has(driver: str, key: str, address: str) -> None:
    planned = RequestModel(driver, "some/model")
    keyed = {key: KEY}
    assert rechoose_driver(planned, LOOPBACK, settings_of(**keyed)).base_url == LOOPBACK
    moved = "http://127.0.0.1:9000"
    assert rechoose_driver(planned, LOOPBACK, settings_of(**{address: moved})).base_url == moved
    with pytest.raises(UsageError, match=f"{address.upper()} names"):
        rechoose_driver(planned, "https://elsewhere.example", settings_of(**keyed))
    with pytest.raises(UsageError, match=f"{address.upper()} names"):
        rechoose_driver(planned, LOOPBACK, settings_of(**{**keyed, address: "https://models.example"}))
    remote = settings_of(**{**keyed, address: "https://models.example"})
    assert rechoose_driver(planned, "https://models.example", remote).model == "some/model"


@pytest.mark.parametrize("driver", ["openrouter", "openai"])
def test_a_chat_driver_needs_a_model_to_be_named(driver: str) -> None:
    with pytest.raises(UsageError, match=f"--driver {driver} needs --model NAME"):
        request_model(settings_of(driver=driver))


def test_without_a_driver_the_other_keys_choose_none() -> None:
    assert choose_driver(settings_of(openrouter_api_key=KEY, openai_api_key=KEY)).name == "local"


# How long a model may think


@pytest.mark.parametrize("driver", ["openrouter", "openai"])
def test_a_reasoning_effort_goes_with_the_model_into_every_body(driver: str) -> None:
    wanted = settings_of(driver=driver, model="m", reasoning_effort="low", **{f"{driver}_api_key": KEY})
    assert request_model(wanted) == RequestModel(driver, "m", "low")
    choice = choose_driver(wanted)
    assert choice.reasoning_effort == "low"

    async def render() -> bytes:
        async with open_driver(choice, wanted) as opened:
            return opened.render(small_ask())

    assert asyncio.run(render()) == render_body(driver, "m", small_ask(), "low")
    body = json.loads(asyncio.run(render()))
    assert body.get("reasoning_effort", body.get("reasoning")) in ("low", {"effort": "low"})


@pytest.mark.parametrize("driver", ["jev", "local", "openrouter-decisions", None])
def test_a_reasoning_effort_for_a_driver_that_takes_none_names_those_that_do(driver: str | None) -> None:
    with pytest.raises(
        UsageError, match="--reasoning-effort: only the drivers openrouter and openai take one"
    ):
        request_model(settings_of(driver=driver, reasoning_effort="low"))


def test_an_effort_that_is_none_of_the_words_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "none, minimal, low, medium, high, xhigh"
    with pytest.raises(UsageError) as flag:
        settings_of(reasoning_effort="lots")
    assert str(flag.value) == f"--reasoning-effort: lots is not allowed; give {words}"
    monkeypatch.setenv("JEVBIAS_REASONING_EFFORT", "sk-not-to-be-shown")
    with pytest.raises(UsageError) as variable:
        settings_of()
    assert str(variable.value) == f"JEVBIAS_REASONING_EFFORT: not allowed; give {words}"


def test_a_run_keeps_its_effort_whatever_the_settings_say_now() -> None:
    now = settings_of(reasoning_effort="high", openai_base_url=LOOPBACK)
    assert rechoose_driver(RequestModel("openai", "m", "low"), LOOPBACK, now).reasoning_effort == "low"
    assert rechoose_driver(RequestModel("openai", "m"), LOOPBACK, now).reasoning_effort is None
    assert rechoose_driver(RequestModel("local", "sparrow-nano-robot-v1.2"), "embedded", now).name == "local"


# What is sent and kept


@pytest.mark.parametrize("driver", SERVED)
def test_each_driver_sends_what_it_renders_with_its_key_and_shows_the_key_nowhere(
    driver: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = PROVIDERS[driver]

    async def run() -> None:
        good = json.dumps(reply_content(driver)).encode()
        echo = json.dumps({"error": {"message": f"{KEY} is refused"}}).encode()
        async with loopback(http_reply(200, good), http_reply(401, echo)) as server:
            given = {str(provider.address): f"{server.url}/api/v1", str(provider.key): KEY}
            settings = settings_of(driver=driver, model="some/model", **given)
            choice = choose_driver(settings)
            async with open_driver(choice, settings) as opened:
                body = opened.render(small_ask())
                answered = opened.read(small_ask(), await opened.send(body))
                refused = opened.read(small_ask(), await opened.send(body))
            assert body == render_body(driver, "some/model", small_ask())
            assert [sent for _, sent in server.requests] == [body, body]
            assert f"Bearer {KEY}\r\n" in server.requests[0][0]
            path = server.requests[0][0].split()[1]
            assert (
                path
                == {
                    "jev": "/api/v1/v1/systemone",
                    "openrouter-decisions": "/api/alpha/decisions",
                    "openrouter": "/api/v1/chat/completions",
                    "openai": "/api/v1/chat/completions",
                }[driver]
            )
            assert (answered.verdict, refused.verdict) == ("answered", "stop")
            assert provider.key_setting in (refused.error or "")
            assert KEY not in repr((choice, opened, answered, refused, settings))
        assert KEY not in caplog.text

    asyncio.run(run())
