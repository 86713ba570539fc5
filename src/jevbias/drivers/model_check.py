"""Whether a model can take a run at all, found out before anything is spent on it."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.drivers.access import key_of
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.models_listing import ListedModel, fetch_listing, find_listed, near_names
from jevbias.drivers.providers import Provider
from jevbias.drivers.select import DriverChoice
from jevbias.errors import UsageError
from jevbias.settings import REASONING_EFFORTS, Settings

LISTING_TIMEOUT = 15.0
"""Seconds; a listing that takes longer is done without."""


async def check_model(choice: DriverChoice, settings: Settings) -> ListedModel | None:
    """Check the model of a run against its provider's listing; returns what that says of it, if anything.

    Only OpenRouter's says what a model supports; for other drivers every model passes. A listing that cannot
    be had, or that says nothing, is no hindrance either: the run will tell. Raises UsageError where the model
    is not listed, naming those like it, and where it lacks what a run sends, naming that.
    """
    if choice.name != "openrouter":
        return None
    transport = open_for_listing(choice.provider, choice.base_url, settings)
    try:
        listing = await fetch_listing(transport, choice.name)
    finally:
        await transport.aclose()
    models = listing.models or ()
    fault = fault_of_model(choice, models)
    if fault is not None:
        raise UsageError(fault)
    return find_listed(models, choice.model)


def open_for_listing(provider: Provider, base_url: str, settings: Settings) -> HttpTransport:
    """A connection for asking a provider's server which models it has.

    Raises UsageError for a key or a proxy that cannot be used.
    """
    timeout = min(settings.timeout or LISTING_TIMEOUT, LISTING_TIMEOUT)
    key = key_of(provider, settings)
    return HttpTransport(base_url, key=key, timeout=timeout, connections=1)


def fault_of_model(choice: DriverChoice, models: Sequence[ListedModel]) -> str | None:
    """Why a run with this model could not succeed, in one line; None where it could, and where the listing is
    empty.
    """
    if not models:
        return None
    show = f"`jevbias doctor --driver {choice.name} --models`"
    model = find_listed(models, choice.model)
    if model is None:
        near = near_names((known.name for known in models), choice.model)
        hint = f"did you mean {', '.join(near)}? {show}" if near else show
        return f"--model: {choice.base_url} lists no '{choice.model}'; {hint} lists those there are"
    lacking = model.lacks(choice.reasoning_effort)
    if lacking == "structured_outputs":
        return (
            f"--model: {choice.model} lacks structured_outputs, the parameter that holds answers to their "
            f"schema; {show} lists models that have it"
        )
    if lacking == "reasoning":
        return (
            f"--reasoning-effort: {choice.model} lacks reasoning, the parameter that takes it; leave it out"
        )
    if lacking == "effort":
        known = [effort for effort in REASONING_EFFORTS if effort in (model.efforts or ())]
        efforts = ", ".join(known) or "no effort that can be named here"
        return (
            f"--reasoning-effort: {choice.model} does not take {choice.reasoning_effort}; it takes {efforts}"
        )
    return None
