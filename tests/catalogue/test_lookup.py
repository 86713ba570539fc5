"""Finding things by the name a user typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import closest, find_attribute, find_level, find_profile, find_scenario
from jevbias.errors import UsageError


def test_names_and_aliases_are_found(catalogue: Catalogue) -> None:
    assert find_profile(catalogue, "pilot") == ("pilot", catalogue.profiles["pilot"])
    assert find_profile(catalogue, "deep") == ("jev-latest-deep", catalogue.profiles["jev-latest-deep"])
    assert find_scenario(catalogue, "lending") is catalogue.scenarios["lending"]
    assert find_attribute(catalogue, "religion") is catalogue.attributes["religion"]
    assert find_level(catalogue, "union_member", "no").phrase is None


@pytest.mark.parametrize(
    ("call", "start"),
    [
        (lambda c: find_profile(c, "pilto"), "unknown profile 'pilto'; allowed: pilot, "),
        (lambda c: find_profile(c, "Deep"), "unknown profile 'Deep'; allowed: deep, "),
        (lambda c: find_scenario(c, "hiring"), "unknown scenario 'hiring'; allowed: hiring_screen, "),
        (
            lambda c: find_scenario(c, "hiring-screen"),
            "unknown scenario 'hiring-screen'; allowed: hiring_screen, ",
        ),
        (lambda c: find_attribute(c, "religon"), "unknown attribute 'religon'; allowed: religion, "),
        (
            lambda c: find_level(c, "religion", "muslem"),
            "unknown level of religion 'muslem'; allowed: muslim, ",
        ),
        (lambda c: find_level(c, "relegion", "muslim"), "unknown attribute 'relegion'; allowed: religion, "),
    ],
)
def test_an_unknown_name_is_one_line_with_the_closest_first(
    catalogue: Catalogue, call: Callable[[Catalogue], object], start: str
) -> None:
    with pytest.raises(UsageError) as raised:
        call(catalogue)
    assert str(raised.value).startswith(start)
    assert raised.value.exit_code == 2


def test_every_allowed_name_is_named_once(catalogue: Catalogue) -> None:
    with pytest.raises(UsageError) as raised:
        find_profile(catalogue, "x")
    allowed = str(raised.value).partition("allowed: ")[2].split(", ")
    assert sorted(allowed) == sorted([*catalogue.profiles, "deep"])


def test_nothing_typed_breaks_the_line(catalogue: Catalogue) -> None:
    for name in ("", "a\nb\x1b[31m", "x" * 10_000, "[/b]"):
        with pytest.raises(UsageError) as raised:
            find_scenario(catalogue, name)
        assert str(raised.value).isprintable()
        assert len(str(raised.value)) < 400


def test_a_catalogue_without_the_thing_says_so(catalogue: Catalogue) -> None:
    empty = Catalogue({}, {}, (), catalogue.names, {}, catalogue.prices)
    with pytest.raises(
        UsageError, match="unknown profile 'a'; allowed: none; the catalogue has no such thing"
    ):
        find_profile(empty, "a")


def test_closest_keeps_every_name() -> None:
    assert closest("bta", ["alpha", "beta", "gamma"]) == ["beta", "alpha", "gamma"]
