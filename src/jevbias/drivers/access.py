"""How a driver's server is reached: at which address, and with which key."""

from __future__ import annotations

from pydantic import SecretStr

from jevbias.drivers.address import check_base_url, is_loopback
from jevbias.drivers.providers import Provider
from jevbias.errors import UsageError
from jevbias.settings import Settings


def base_url_of(provider: Provider, settings: Settings) -> str:
    """The base URL that the settings name, without a slash at its end.

    The provider must have an address. Raises UsageError, naming the variable, for one that is no URL.
    """
    return check_base_url(getattr(settings, provider.address or ""), provider.address_setting)


def key_of(provider: Provider, settings: Settings) -> SecretStr | None:
    """The provider's key without white space around it, None where there is none.

    Raises UsageError, naming the variable and never the value, for a key that no header can carry.
    """
    key: SecretStr | None = getattr(settings, provider.key) if provider.key else None
    if key is None:
        return None
    text = key.get_secret_value().strip()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise UsageError(
            f"{provider.key_setting}: a key is printable ASCII without spaces, and this one is not"
        )
    return SecretStr(text) if text else None


def need_key(provider: Provider, base_url: str, settings: Settings) -> bool:
    """Whether the server at `base_url` wants a key: every server does that is not on loopback.

    Raises UsageError where it wants one and there is none.
    """
    needs_key = not is_loopback(base_url)
    if key_of(provider, settings) is None and needs_key:
        raise UsageError(
            f"--driver {provider.driver} asks {base_url} and needs a key: set {provider.key_setting}, "
            "or use --driver local"
        )
    return needs_key


def return_address(provider: Provider, planned: str, settings: Settings) -> Settings:
    """The settings with the address at which a run that was planned for `planned` is asked again.

    One on loopback is asked again unless the settings name another on loopback (a mock that came back on
    another port); any other must be the one that the settings name, so that a key only goes where its owner
    says. Raises UsageError otherwise.
    """
    if provider.address is None:
        return settings
    named = base_url_of(provider, settings)
    if is_loopback(planned) and provider.address not in settings.model_fields_set:
        return settings.model_copy(update={provider.address: planned})
    if named != planned and not (is_loopback(planned) and is_loopback(named)):
        setting = provider.address_setting
        raise UsageError(f"this run asks {planned} and {setting} names {named}: set it to {planned}")
    return settings
