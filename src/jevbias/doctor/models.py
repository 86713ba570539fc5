"""Which models could be named for a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.models import Prices
from jevbias.drivers.access import base_url_of
from jevbias.drivers.failures import error_message, status_line
from jevbias.drivers.local import LOCAL_BASE_URL, embedded_models
from jevbias.drivers.model_check import open_for_listing
from jevbias.drivers.models_listing import ListedModel, Listing, fetch_listing
from jevbias.drivers.pricing import TokenPrice, find_price
from jevbias.drivers.providers import Provider
from jevbias.drivers.select import chosen_provider
from jevbias.errors import CatalogueError, ModelError
from jevbias.settings import Settings


@dataclass(frozen=True)
class UsableModels:
    """What a driver's server lists that the driver could use, `others` how many it could not; both only of
    those whose name holds the text that was searched for. `models` is None where the server lists none.
    """

    provider: Provider
    base_url: str
    models: tuple[ListedModel, ...] | None
    others: int = 0

    @property
    def writes_numbers(self) -> bool:
        """Whether the driver asks chat models, which must support structured outputs."""
        return self.provider.writes_numbers


async def usable_models(settings: Settings, text: str = "") -> UsableModels:
    """The models that the chosen driver could use and whose name holds `text` (capitals do not count).

    Raises UsageError for an address or a key that cannot be used, ModelError where the server does not answer
    or does not want to.
    """
    provider = chosen_provider(settings)
    found: tuple[ListedModel, ...] | None
    if provider.address is None:
        base_url, found = LOCAL_BASE_URL, tuple(ListedModel(name) for name in embedded_models())
    else:
        base_url = base_url_of(provider, settings)
        found = await _listed(provider, base_url, settings)
    if found is None:
        return UsableModels(provider, base_url, None)
    listed = with_prices(found, provider.driver, _price_table(settings))
    meant = [model for model in listed if text.strip().lower() in model.name.lower()]
    usable = tuple(model for model in meant if model.is_usable(provider.driver))
    return UsableModels(provider, base_url, usable, len(meant) - len(usable))


def with_prices(models: Iterable[ListedModel], driver: str, prices: Prices | None) -> tuple[ListedModel, ...]:
    """The models, where the server names no price with that of the price table, if it has one."""
    return tuple(_with_price(model, find_price(prices, driver, model.name)) for model in models)


def _with_price(model: ListedModel, price: TokenPrice | None) -> ListedModel:
    if price is None or model.input_price is not None or model.output_price is not None:
        return model
    return replace(model, input_price=price.input_per_million, output_price=price.output_per_million)


def _price_table(settings: Settings) -> Prices | None:
    try:
        return load_catalogue(settings.catalogue).prices
    except CatalogueError:
        return None


async def _listed(provider: Provider, base_url: str, settings: Settings) -> tuple[ListedModel, ...] | None:
    transport = open_for_listing(provider, base_url, settings)
    try:
        listing = await fetch_listing(transport, provider.driver)
    finally:
        await transport.aclose()
    if fault := _fault(listing, sends_key=transport.sends_key):
        raise ModelError(f"{base_url} does not list its models: {fault.format(key=provider.key_setting)}")
    return listing.models


def _fault(listing: Listing, *, sends_key: bool) -> str | None:
    reply = listing.reply
    if reply.status is None:
        return reply.fault_message or reply.fault
    if reply.status in (401, 403):
        return "the key in {key} is not accepted" if sends_key else "it wants a key: set {key}"
    if 200 <= reply.status < 300 or reply.status in (404, 405):
        return None
    why = error_message(reply)
    return status_line(reply.status) + (f": {why}" if why else "")
