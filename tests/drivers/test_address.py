"""Base URLs, and which of them stay on this machine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drivers.address import check_base_url, is_loopback
from jevbias.errors import UsageError


@pytest.mark.parametrize(
    ("url", "checked"),
    [
        ("https://api.typesafe.ai", "https://api.typesafe.ai"),
        (" http://127.0.0.1:8799/ ", "http://127.0.0.1:8799"),
        ("http://[::1]:8799/prefix//", "http://[::1]:8799/prefix"),
    ],
)
def test_a_base_url_loses_white_space_and_slashes_at_its_end(url: str, checked: str) -> None:
    assert check_base_url(url, "TYPESAFE_BASE_URL") == checked


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.typesafe.ai",
        "ftp://api.typesafe.ai",
        "https://",
        "https://host:port",
        "https://host:99999",
        "http://[::1",
        "https://host/?key=1",
        "https://host/#part",
        "https://ho st",
        "https://host\n.example",
        "https://user:hunter2@host",
    ],
)
def test_what_is_no_base_url_is_one_line_that_names_the_setting(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_base_url(url, "TYPESAFE_BASE_URL")
    assert str(caught.value).startswith("TYPESAFE_BASE_URL: ")
    assert str(caught.value).isprintable()
    assert "hunter2" not in str(caught.value)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.text(max_size=30) | st.text(alphabet="htps:/[]@.1a#?%", max_size=20))
def test_any_text_is_a_base_url_or_refused(url: str) -> None:
    refusal = ""
    try:
        assert check_base_url(url, "X").startswith(("http://", "https://"))
    except UsageError as error:
        refusal = str(error)
    assert refusal == "" or refusal.isprintable()
    is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1",
        "http://127.9.9.9",
        "https://localhost",
        "http://LOCALHOST:5",
        "http://[::1]:8",
        "http://[::ffff:127.0.0.1]",
        "http://a.localhost",
        "http://localhost.:80",
    ],
)
def test_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.typesafe.ai",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://10.0.0.1",
        "http://0.0.0.0",
        "http://[::2]",
        "http://notlocalhost",
        "",
        "localhost",
        "http://127.0.0.1@example.org",
    ],
)
def test_not_loopback(url: str) -> None:
    assert not is_loopback(url)
