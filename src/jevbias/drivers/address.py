"""Base URLs: what is a usable one, and whether it stays on this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from jevbias.errors import UsageError


def check_base_url(url: str, setting: str) -> str:
    """The base URL without white space around it and without a slash at its end.

    Raises UsageError, naming the setting, for anything but `http(s)://host[:port][/path]`. User names and
    passwords are refused, because a run's base URL is stored and shown.
    """
    text = url.strip()
    parts = _split(text)
    if parts is None or not text.isprintable() or " " in text:
        raise UsageError(f"{setting}: not a URL; expected http(s)://host[:port][/path]")
    if "@" in parts.netloc:
        raise UsageError(f"{setting}: a URL with a user name or password is not allowed; use a key")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{setting}: '{text[:100]}' is not http(s)://host[:port][/path]")
    if parts.query or parts.fragment:
        raise UsageError(f"{setting}: '{text[:100]}' must end with its path, without ? or #")
    return text.rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine: `localhost` or a loopback address (RFC 6761, RFC 6890)."""
    parts = _split(url)
    host = (parts.hostname or "").rstrip(".") if parts is not None else ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _split(url: str) -> SplitResult | None:
    """The parts of a URL, None where it has no readable host or port."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts
