"""Which way of asking a command uses, and opening it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pydantic import SecretStr

from jevbias.catalogue.models import Prices
from jevbias.drivers.address import check_base_url, is_loopback
from jevbias.drivers.base import Driver
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.local import DEFAULT_LOCAL_MODEL, LOCAL_BASE_URL, check_local_model, open_local_driver
from jevbias.drivers.system_one import SystemOneDriver, render_system_one
from jevbias.errors import UsageError
from jevbias.plan.model import Ask
from jevbias.settings import Settings

DRIVERS = ("jev", "local")
DEFAULT_JEV_MODEL = "jev-latest"
DEFAULT_TIMEOUT = 30.0


@dataclass(frozen=True)
class DriverChoice:
    """Whom a run asks. `needs_key` says whether the server wants one (loopback does not); `note` is the line
    that says so where the embedded model answers in place of Jev. `prices` is where a cost comes from when a
    server reports none.
    """

    name: str
    model: str
    base_url: str
    needs_key: bool
    note: str | None = None
    prices: Prices | None = field(default=None, repr=False)


def choose_driver(settings: Settings, *, catalogue_prices: Prices | None = None) -> DriverChoice:
    """The driver that the settings ask for: by name, else `jev` where there is a key, else `local`.

    Raises UsageError for an unknown driver, a base URL that is none, a key that cannot be sent, a missing key
    (only a loopback server needs none), and a model that the embedded driver does not have.
    """
    wanted = request_model(settings)
    if wanted.name == "local":
        return _choose_local(settings, wanted.model)
    base_url = check_base_url(settings.typesafe_base_url, "TYPESAFE_BASE_URL")
    needs_key = not is_loopback(base_url)
    key = _checked_key(settings.typesafe_api_key, "TYPESAFE_API_KEY")
    if needs_key and key is None:
        raise UsageError(
            f"--driver jev asks {base_url} and needs a key: set TYPESAFE_API_KEY, or use --driver local"
        )
    return DriverChoice("jev", wanted.model, base_url, needs_key, prices=catalogue_prices)


def rechoose_driver(
    planned: RequestModel, base_url: str, settings: Settings, *, catalogue_prices: Prices | None = None
) -> DriverChoice:
    """The driver of a run that was planned before, for a model at `base_url`.

    A run keeps the server it was planned for: one on loopback is asked again unless the settings name another
    on loopback (a mock that came back on another port); any other must be the one that the settings name, so
    that a key only goes where its owner says. Raises UsageError otherwise, and as `choose_driver` does.
    """
    update = {"driver": planned.name, "model": planned.model}
    if planned.name != "local":
        named = check_base_url(settings.typesafe_base_url, "TYPESAFE_BASE_URL")
        if is_loopback(base_url) and "typesafe_base_url" not in settings.model_fields_set:
            update["typesafe_base_url"] = base_url
        elif named != base_url and not (is_loopback(base_url) and is_loopback(named)):
            raise UsageError(
                f"this run asks {base_url} and TYPESAFE_BASE_URL names {named}: set it to {base_url}"
            )
    return choose_driver(settings.model_copy(update=update), catalogue_prices=catalogue_prices)


@dataclass(frozen=True)
class RequestModel:
    """A driver's and a model's name: all that a body depends on besides its ask."""

    name: str
    model: str


def request_model(settings: Settings) -> RequestModel:
    """Whom the settings mean, whether or not they can be asked (no key, not embedded).

    Raises UsageError for an unknown driver and for a name that no model has.
    """
    name = settings.driver or ("jev" if settings.typesafe_api_key is not None else "local")
    check_driver(name)
    model = settings.model or (DEFAULT_LOCAL_MODEL if name == "local" else DEFAULT_JEV_MODEL)
    if not model.strip() or not model.isprintable() or len(model) > 200:
        raise UsageError("--model: a model's name is 1 to 200 printable characters")
    return RequestModel(name, model)


def check_driver(name: str) -> None:
    """Raises UsageError, naming the drivers there are, for a name that is none of them."""
    if name not in DRIVERS:
        raise UsageError(f"--driver: '{name[:60]}' is not one of {', '.join(DRIVERS)}")


@asynccontextmanager
async def open_driver(choice: DriverChoice, settings: Settings) -> AsyncIterator[Driver]:
    """Open the driver for as many connections as there are workers; starts and stops the embedded server.

    Raises UsageError for an address or a proxy that cannot be used, ModelError where the embedded server does
    not start.
    """
    timeout = settings.timeout or DEFAULT_TIMEOUT
    if choice.name == "local":
        async with open_local_driver(choice.model, timeout_s=timeout, connections=settings.workers) as local:
            yield local
        return
    key = _checked_key(settings.typesafe_api_key, "TYPESAFE_API_KEY")
    transport = HttpTransport(choice.base_url, key=key, timeout=timeout, connections=settings.workers)
    driver = SystemOneDriver(choice.name, choice.model, transport, choice.prices)
    try:
        yield driver
    finally:
        await driver.aclose()


def render_body(driver_name: str, model: str, ask: Ask) -> bytes:
    """The body that a driver would send for an ask, without opening it."""
    check_driver(driver_name)
    return render_system_one(model, ask)


def _choose_local(settings: Settings, model: str) -> DriverChoice:
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
    return DriverChoice("local", model, LOCAL_BASE_URL, needs_key=False, note=note)


def _checked_key(key: SecretStr | None, setting: str) -> SecretStr | None:
    """The key without white space around it; its value is never part of a message."""
    if key is None:
        return None
    text = key.get_secret_value().strip()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError(f"{setting}: a key is printable ASCII without spaces, and this one is not")
    return SecretStr(text) if text else None
