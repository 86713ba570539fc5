"""Links from a page to other pages: relative, or https; everything else is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from jevbias.errors import UsageError
from jevbias.publish.plain_text import printable


@dataclass(frozen=True)
class NavLink:
    """A label and where it leads."""

    label: str
    href: str


def nav_links(nav: Sequence[tuple[str, str]]) -> tuple[NavLink, ...]:
    """Check (label, href) pairs; UsageError for an empty label and for a link that could run or mislead.

    Browsers drop tabs and line breaks inside a scheme and read `\\` as `/`, so neither is let through.
    """
    return tuple(_link(label, href) for label, href in nav)


def _link(label: str, href: str) -> NavLink:
    shown = printable(label).strip()
    if not shown:
        raise UsageError(f'nav: the link to {href!r} has no label; give it as "Label=file.html"')
    if not _is_safe(href):
        raise UsageError(
            f"nav: {href!r} is not allowed; use a relative path such as other.html, or an https:// address"
        )
    return NavLink(shown, href)


def _is_safe(href: str) -> bool:
    if not href or "\\" in href or any(sign.isspace() or not sign.isprintable() for sign in href):
        return False
    try:
        parts = urlsplit(href)
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme == "https" and bool(parts.hostname)
    return not parts.netloc and ":" not in href.partition("/")[0].partition("?")[0].partition("#")[0]
