"""The ways of asking there are: where each finds its address and its key, and what it may be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jevbias.errors import UsageError


@dataclass(frozen=True)
class Provider:
    """One driver, before it is opened.

    `address` and `key` name fields of `Settings`; None where the driver starts a server of its own.
    `default_model` is None where a model must be named. `timeout` is in seconds. The two limits are what the
    provider's documents allow, per minute and per second, None where they say nothing; they hold where the
    server is not on loopback. `writes_numbers`: a chat model, which writes its numbers down instead of
    returning a distribution.
    """

    driver: str
    described: str
    address: str | None
    key: str | None
    default_model: str | None
    timeout: float = 30.0
    requests_per_minute: float | None = None
    tokens_per_second: float | None = None
    writes_numbers: bool = False
    reports_cost: bool = False

    @property
    def address_setting(self) -> str:
        """The variable that holds the base URL."""
        return (self.address or "").upper()

    @property
    def key_setting(self) -> str:
        """The variable that holds the key."""
        return (self.key or "").upper()


_ALL = (
    Provider(
        "jev",
        "TypeSafe's Jev, or any System One server",
        "typesafe_base_url",
        "typesafe_api_key",
        "jev-latest",
        requests_per_minute=1200,
        tokens_per_second=250_000,
    ),
    Provider("local", "the embedded model, on this machine", None, None, "sparrow-nano-general-v1.1"),
    Provider(
        "openrouter-decisions",
        "Jev through OpenRouter",
        "openrouter_base_url",
        "openrouter_api_key",
        "typesafe/jev-1.13",
        reports_cost=True,
    ),
    Provider(
        "openrouter",
        "any chat model through OpenRouter",
        "openrouter_base_url",
        "openrouter_api_key",
        None,
        timeout=300.0,
        writes_numbers=True,
        reports_cost=True,
    ),
    Provider(
        "openai",
        "any OpenAI-compatible chat server",
        "openai_base_url",
        "openai_api_key",
        None,
        timeout=300.0,
        writes_numbers=True,
    ),
)
PROVIDERS: Mapping[str, Provider] = {provider.driver: provider for provider in _ALL}


def find_provider(driver: str) -> Provider:
    """The driver of this name. Raises UsageError, naming those there are, where there is none."""
    if driver not in PROVIDERS:
        raise UsageError(f"--driver: '{driver[:60]}' is not one of {', '.join(PROVIDERS)}")
    return PROVIDERS[driver]
