"""The server that a run would ask: its address, the key to it, and the proxy on the way."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import SecretStr

from jevbias.doctor.check import Check
from jevbias.drivers.address import is_loopback
from jevbias.drivers.base import Reply
from jevbias.drivers.failures import error_message, status_line
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.drivers.providers import Provider
from jevbias.drivers.proxy import proxy_for

_ADVICE = {
    "dns": "check the host name in {setting} and the network",
    "tls": "check {setting}, or name certificates that include its issuer's in SSL_CERT_FILE",
    "invalid": "check {setting}: something else answers there",
}


def check_address(provider: Provider, base_url: str, reply: Reply, *, lists: bool) -> Check:
    """Whether the server answers. `reply` is what came of asking for its models, `lists` whether that was a
    list of them.
    """
    setting = provider.address_setting
    if reply.status is None:
        advice = _ADVICE.get(reply.fault or "", "check {setting}, the network and the proxy")
        if reply.fault == "connection" and is_loopback(base_url):
            advice = "is the server running? Start it, or correct {setting}"
        found = f"{base_url} does not answer: {reply.fault_message or reply.fault}"
        return Check("address", "failed", found, advice.format(setting=setting))
    found = f"{base_url} answers in {reply.latency_ms:.0f} ms"
    if 300 <= reply.status < 400:
        target = f" to {reply.location}" if reply.location else ""
        found = f"{base_url} redirects{target}"
        return Check("address", "failed", found, f"set {setting} to where the server is")
    if 200 <= reply.status < 300 and not lists and not _is_json(reply.body):
        return Check("address", "failed", f"{found} with something that is not JSON", f"check {setting}")
    odd = _oddity(provider, base_url, reply.status)
    return Check("address", "warning" if odd else "ok", found, odd)


def _oddity(provider: Provider, base_url: str, status: int) -> str | None:
    """What to look at although the server answers."""
    if status >= 500 or status == 429:
        return f"it answered {status_line(status)}: try again later"
    versioned = base_url.endswith("/v1")
    if status in (404, 405) and versioned == (provider.driver == "jev"):
        usual = "has no /v1 at its end" if versioned else "usually ends in /v1"
        return f"it lists no models: check {provider.address_setting}, which {usual}"
    if base_url.lower().startswith("http://") and not is_loopback(base_url):
        return "http:// sends the key and every case in the clear: use https://"
    return None


def check_key(provider: Provider, key: SecretStr | None, base_url: str, reply: Reply | None) -> Check:
    """Whether there is a key where one is needed, and whether the server takes it, as far as `reply` tells
    (None: it was not asked).
    """
    setting = provider.key_setting
    status = None if reply is None else reply.status
    if key is None:
        return _without_key(setting, base_url, wanted=status in (401, 403))
    if reply is not None and status in (401, 403):
        why = error_message(reply)
        line = status_line(status) + (f": {why}" if why else "")
        return Check("key", "failed", f"{setting} is set and not accepted: {line}", f"correct {setting}")
    if status is not None and 200 <= status < 300:
        return _within_limit(f"{setting} is set, and the server takes it", _left_of_limit(reply))
    return Check("key", "untried", f"{setting} is set; whether it is accepted shows when a model is asked")


def _within_limit(found: str, left: float | None) -> Check:
    if left is None:
        return Check("key", "ok", found)
    found += f"; ${left:,.2f} of its limit is left"
    return Check("key", "ok", found) if left > 0 else Check("key", "failed", found, "raise the key's limit")


def _left_of_limit(reply: Reply | None) -> float | None:
    """US dollars that a key may still spend, where the server says so as OpenRouter does."""
    content = read_json(reply.body) if reply is not None and _is_json(reply.body) else None
    data = content.get("data") if isinstance(content, Mapping) else None
    left = data.get("limit_remaining") if isinstance(data, Mapping) else None
    if not isinstance(left, int | float) or isinstance(left, bool) or not abs(left) < 1e12:
        return None
    return float(left)


def _without_key(setting: str, base_url: str, *, wanted: bool) -> Check:
    if is_loopback(base_url) and not wanted:
        return Check("key", "ok", f"{setting} is not set; a server on this machine needs none")
    found = f"{setting} is not set" + (f", and {base_url} wants a key" if wanted else "")
    return Check("key", "failed", found, f"set {setting} in the environment or in .env")


def check_proxy(base_url: str) -> Check:
    """Which proxy requests go through, and whether `NO_PROXY` has entries that mean nothing here."""
    odd = [entry for entry in _exceptions() if "/" in entry or "[" in entry]
    proxy = None if is_loopback(base_url) else proxy_for(base_url)
    parts = urlsplit(proxy) if proxy else None
    found = f"through {parts.hostname}" if parts else "none on the way"
    if odd:
        return Check(
            "proxy",
            "warning",
            f"{found}; NO_PROXY has {', '.join(odd)}",
            "these are matched as host names and so match nothing; this machine is always reached directly",
        )
    return Check("proxy", "ok", found)


def _exceptions() -> list[str]:
    text = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def _is_json(body: bytes) -> bool:
    try:
        read_json(body)
    except BrokenJson:
        return False
    return True
