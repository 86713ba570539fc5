"""Links lead to relative or https addresses and nowhere else."""

from __future__ import annotations

import pytest

from jevbias.errors import UsageError
from jevbias.publish.nav import NavLink, nav_links


@pytest.mark.parametrize(
    "href",
    [
        "mock.html",
        "../runs/a%20b.html?x=1#row",
        "./a:b.html",
        "#found",
        "/index.html",
        "https://example.org/a?b=c",
        "a/b:c",
    ],
)
def test_relative_and_https_addresses_are_links(href: str) -> None:
    assert nav_links([("Other", href)]) == (NavLink("Other", href),)


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,hello",
        "vbscript:x",
        "http://example.org",
        "file:///etc/passwd",
        "//example.org/a",
        "\\\\example.org",
        "/\\example.org",
        "https:",
        "https:///path",
        "https://[broken",
        "a b.html",
        "",
        "x:y",
        "a:b/c",
    ],
)
def test_every_other_address_is_refused_in_one_line(href: str) -> None:
    with pytest.raises(UsageError, match=r"^nav: .*https") as refused:
        nav_links([("Other", href)])
    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize("label", ["", "  ", "\x1b\u202e"])
def test_a_link_needs_a_label(label: str) -> None:
    with pytest.raises(UsageError, match="no label"):
        nav_links([(label, "mock.html")])
