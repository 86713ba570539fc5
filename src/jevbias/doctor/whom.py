"""Whom a run would ask, and whether it would get an answer."""

from __future__ import annotations

from anyio.lowlevel import checkpoint

from jevbias.catalogue.catalogue import Catalogue
from jevbias.doctor.asking import Asking, check_answer
from jevbias.doctor.check import Check
from jevbias.doctor.model import check_listed
from jevbias.doctor.models import with_prices
from jevbias.doctor.server import check_address, check_key, check_proxy
from jevbias.drivers.access import base_url_of, key_of
from jevbias.drivers.address import is_loopback
from jevbias.drivers.base import Reply
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.model_check import open_for_listing
from jevbias.drivers.models_listing import Listing, fetch_listing
from jevbias.drivers.providers import Provider
from jevbias.drivers.select import DriverChoice, choose_driver, chosen_provider, request_model
from jevbias.errors import UsageError
from jevbias.settings import Settings

_KEY_PATH = "/key"
"""Where OpenRouter says of a key what it knows, for nothing; its list of models is shown to everybody."""


async def check_whom(settings: Settings, catalogue: Catalogue | None, asking: Asking) -> list[Check]:
    """Check the driver, its server, the key and the model, and ask one small question where that is free or
    allowed. Without a catalogue there is no question.
    """
    try:
        provider = chosen_provider(settings)
    except UsageError as error:
        return [Check("driver", "failed", str(error))]
    checks = [_driver(provider, settings)]
    if provider.address is None:
        choice, found = _embedded(settings, catalogue)
    else:
        choice, found = await _served(provider, settings, catalogue)
    checks += found
    broken = choice is None or any(check.state == "failed" for check in found)
    checks.append(await check_answer(None if broken else choice, settings, catalogue, asking))
    return checks


def _driver(provider: Provider, settings: Settings) -> Check:
    found = f"{provider.driver}: {provider.described}"
    if settings.driver is not None:
        return Check("driver", "ok", found)
    if provider.address is None:
        return Check(
            "driver", "ok", found, "asked because no key is set; --driver or JEVBIAS_DRIVER names another"
        )
    return Check("driver", "ok", found, f"asked because {provider.key_setting} is set")


def _embedded(settings: Settings, catalogue: Catalogue | None) -> tuple[DriverChoice | None, list[Check]]:
    try:
        choice = choose_driver(settings, catalogue_prices=catalogue.prices if catalogue else None)
    except UsageError as error:
        return None, [Check("model", "failed", str(error))]
    return choice, [Check("model", "ok", f"{choice.model} is embedded")]


async def _served(
    provider: Provider, settings: Settings, catalogue: Catalogue | None
) -> tuple[DriverChoice | None, list[Check]]:
    try:
        base_url = base_url_of(provider, settings)
        key = key_of(provider, settings)
        transport = open_for_listing(provider, base_url, settings)
    except UsageError as error:
        return None, [Check("address", "failed", str(error))]
    await checkpoint()  # Loads what the first request would load: that is no latency of the server's.
    try:
        listing = await fetch_listing(transport, provider.driver)
        about_key = await _ask_about_key(transport, provider, listing)
    finally:
        await transport.aclose()
    checks = [
        check_address(provider, base_url, listing.reply, lists=listing.models is not None),
        check_key(provider, key, base_url, about_key),
        check_proxy(base_url),
    ]
    try:
        wanted = request_model(settings)
    except UsageError as error:
        return None, [*checks, Check("model", "failed", str(error))]
    choice = DriverChoice(
        provider,
        wanted.model,
        base_url,
        needs_key=not is_loopback(base_url),
        reasoning_effort=wanted.reasoning_effort,
        prices=catalogue.prices if catalogue else None,
    )
    if listing.reply.status is None:
        return choice, [*checks, Check("model", "untried", f"{choice.model}; the server says nothing of it")]
    models = with_prices(listing.models or (), provider.driver, choice.prices)
    return choice, [*checks, *check_listed(choice, models)]


async def _ask_about_key(transport: HttpTransport, provider: Provider, listing: Listing) -> Reply:
    """The reply that says most about the key."""
    refused = listing.reply.status is None or listing.reply.status in (401, 403)
    if refused or not transport.sends_key or not provider.reports_cost:
        return listing.reply
    return await transport.get(_KEY_PATH)
