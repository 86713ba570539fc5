"""Which way of asking a command uses, and opening it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from jevbias.catalogue.models import Prices
from jevbias.drivers.access import base_url_of, key_of, need_key, return_address
from jevbias.drivers.address import is_loopback
from jevbias.drivers.base import Driver
from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.chat_prompt import render_chat
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.local import LOCAL_BASE_URL, check_local_model, open_local_driver
from jevbias.drivers.openrouter_decisions import OpenRouterDecisionsDriver, decisions_root, render_decisions
from jevbias.drivers.providers import PROVIDERS, Provider, find_provider
from jevbias.drivers.system_one import SystemOneDriver, render_system_one
from jevbias.errors import UsageError
from jevbias.plan.model import Ask
from jevbias.settings import Settings


@dataclass(frozen=True)
class DriverChoice:
    """Whom a run asks. `needs_key` says whether the server wants one (loopback does not); `note` is the line
    that says so where the embedded model answers in place of Jev. `prices` is where a cost comes from when a
    server reports none.
    """

    provider: Provider
    model: str
    base_url: str
    needs_key: bool
    reasoning_effort: str | None = None
    note: str | None = None
    prices: Prices | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The driver's name."""
        return self.provider.driver


@dataclass(frozen=True)
class RequestModel:
    """A driver's and a model's name, and how long the model may think: all that a body depends on besides
    its ask.
    """

    name: str
    model: str
    reasoning_effort: str | None = None


def choose_driver(settings: Settings, *, catalogue_prices: Prices | None = None) -> DriverChoice:
    """The driver that the settings ask for: by name, else `jev` where there is a key, else `local`.

    Raises UsageError as `request_model` does, and for a base URL that is none, a key that cannot be sent, a
    missing key (only a loopback server needs none), and a model that the embedded driver does not have.
    """
    wanted = request_model(settings)
    provider = PROVIDERS[wanted.name]
    if provider.address is None:
        return _choose_local(settings, provider, wanted.model)
    base_url = base_url_of(provider, settings)
    return DriverChoice(
        provider,
        wanted.model,
        base_url,
        needs_key=need_key(provider, base_url, settings),
        reasoning_effort=wanted.reasoning_effort,
        prices=catalogue_prices,
    )


def rechoose_driver(
    planned: RequestModel, base_url: str, settings: Settings, *, catalogue_prices: Prices | None = None
) -> DriverChoice:
    """The driver of a run that was planned before, for a model at `base_url`; see `return_address`.

    Raises UsageError where the settings name another address, and as `choose_driver` does.
    """
    update = {"driver": planned.name, "model": planned.model, "reasoning_effort": planned.reasoning_effort}
    wanted = return_address(find_provider(planned.name), base_url, settings.model_copy(update=update))
    return choose_driver(wanted, catalogue_prices=catalogue_prices)


def chosen_provider(settings: Settings) -> Provider:
    """The way of asking that the settings name, else `jev` where there is a key, else `local`.

    Raises UsageError for a name that is none.
    """
    return find_provider(settings.driver or ("jev" if settings.typesafe_api_key is not None else "local"))


def request_model(settings: Settings) -> RequestModel:
    """Whom the settings mean, whether or not they can be asked (no key, not embedded).

    Raises UsageError for an unknown driver, a model that must be named and is not, a name that no model has,
    and a reasoning effort where the driver takes none.
    """
    provider = chosen_provider(settings)
    model = settings.model or provider.default_model
    if model is None:
        raise UsageError(f"--driver {provider.driver} needs --model NAME")
    if not model.strip() or not model.isprintable() or len(model) > 200:
        raise UsageError("--model: a model's name is 1 to 200 printable characters")
    if settings.reasoning_effort is not None and not provider.writes_numbers:
        takers = " and ".join(name for name, other in PROVIDERS.items() if other.writes_numbers)
        raise UsageError(f"--reasoning-effort: only the drivers {takers} take one, not {provider.driver}")
    return RequestModel(provider.driver, model, settings.reasoning_effort)


@asynccontextmanager
async def open_driver(choice: DriverChoice, settings: Settings) -> AsyncIterator[Driver]:
    """Open the driver for as many connections as there are workers; starts and stops the embedded server.

    Raises UsageError for an address or a proxy that cannot be used, ModelError where the embedded server does
    not start.
    """
    timeout = settings.timeout or choice.provider.timeout
    if choice.provider.address is None:
        async with open_local_driver(choice.model, timeout_s=timeout, connections=settings.workers) as local:
            yield local
        return
    decided = choice.name == "openrouter-decisions"
    root = decisions_root(choice.base_url) if decided else choice.base_url
    key = key_of(choice.provider, settings)
    driver = _driver(choice, HttpTransport(root, key=key, timeout=timeout, connections=settings.workers))
    try:
        yield driver
    finally:
        await driver.aclose()


def render_body(driver_name: str, model: str, ask: Ask, reasoning_effort: str | None = None) -> bytes:
    """The body that a driver would send for an ask, without opening it."""
    provider = find_provider(driver_name)
    if provider.writes_numbers:
        return render_chat(provider.driver, model, ask, reasoning_effort)
    return (render_decisions if provider.driver == "openrouter-decisions" else render_system_one)(model, ask)


def _driver(choice: DriverChoice, transport: HttpTransport) -> Driver:
    if choice.provider.writes_numbers:
        return ChatDriver(choice.name, choice.model, transport, choice.prices, choice.reasoning_effort)
    if choice.name == "openrouter-decisions":
        return OpenRouterDecisionsDriver(choice.model, transport, choice.prices)
    return SystemOneDriver(choice.name, choice.model, transport, choice.prices)


def _choose_local(settings: Settings, provider: Provider, model: str) -> DriverChoice:
    chosen = settings.driver is not None
    try:
        check_local_model(model)
    except UsageError as error:
        raise error if chosen else UsageError(f"{error}; to ask Jev, set TYPESAFE_API_KEY") from None
    note = None
    if not chosen:
        loopback = is_loopback(settings.typesafe_base_url)
        server = "the server at TYPESAFE_BASE_URL"
        way = f"add --driver jev to ask {server}" if loopback else "set TYPESAFE_API_KEY to ask Jev"
        note = f"no key is set: the embedded model {model} is asked in place of Jev ({way})"
    return DriverChoice(provider, model, LOCAL_BASE_URL, needs_key=False, note=note)
