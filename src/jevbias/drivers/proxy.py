"""Which proxy the environment wants between this machine and a base URL.

HTTP clients read the environment too, but some refuse to start on a `NO_PROXY` that others accept
(`::1/128`, `[::1]`), so the client is told not to look and gets its proxy from here.
"""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from jevbias.drivers.address import is_loopback


def proxy_for(base_url: str) -> str | None:
    """The proxy's URL, or None: loopback is always reached directly, and so is what `NO_PROXY` names."""
    parts = urlsplit(base_url)
    if is_loopback(base_url) or proxy_bypass(parts.netloc) or proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"
