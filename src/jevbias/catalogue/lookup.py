"""Finding things of a catalogue by the name a user typed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Attribute, Level, Profile, Scenario
from jevbias.errors import UsageError

USUAL_SCENARIO = "hiring_screen"


def find_profile(catalogue: Catalogue, name: str) -> tuple[str, Profile]:
    """The key and the profile of a name or an alias; raises UsageError that names the profiles there are."""
    if name in catalogue.profiles:
        return name, catalogue.profiles[name]
    for key, profile in catalogue.profiles.items():
        if name in profile.aliases:
            return key, profile
    names = [
        *catalogue.profiles,
        *(alias for profile in catalogue.profiles.values() for alias in profile.aliases),
    ]
    raise _unknown("profile", name, names)


def find_scenario(catalogue: Catalogue, name: str) -> Scenario:
    """The scenario of that key; raises UsageError that names the scenarios there are."""
    if name not in catalogue.scenarios:
        raise _unknown("scenario", name, catalogue.scenarios)
    return catalogue.scenarios[name]


def find_attribute(catalogue: Catalogue, name: str) -> Attribute:
    """The attribute of that key (placebos too); raises UsageError that names the attributes there are."""
    if name not in catalogue.attributes:
        raise _unknown("attribute", name, catalogue.attributes)
    return catalogue.attributes[name]


def find_level(catalogue: Catalogue, attribute: str, level: str) -> Level:
    """One level of one attribute; raises UsageError that names the attributes or the levels there are."""
    levels = find_attribute(catalogue, attribute).levels
    if level not in levels:
        raise _unknown(f"level of {attribute}", level, levels)
    return levels[level]


def find_swaps(catalogue: Catalogue, entry: str) -> tuple[str, list[str]]:
    """The attribute and the swapped levels that an entry names: all with `religion`, one with
    `religion=muslim`.

    Raises UsageError that names what there is, for a level that no swap leads to as well.
    """
    key, separator, level = entry.partition("=")
    attribute = find_attribute(catalogue, key)
    if not separator:
        return key, attribute.swept_levels
    find_level(catalogue, key, level)
    if level not in attribute.swept_levels:
        reason = "the reference, which every anchor has" if level == attribute.reference else "never swept"
        swaps = ", ".join(attribute.swept_levels)
        raise UsageError(f"{key}={level} is {reason}; swaps are {swaps}")
    return key, [level]


def closest(name: str, allowed: Iterable[str]) -> list[str]:
    """The allowed names, those that look like `name` first."""
    names = list(allowed)
    alike = get_close_matches(name.strip().lower().replace("-", "_"), names, n=3, cutoff=0.5)
    alike += [close for close in get_close_matches(name, names, n=3, cutoff=0.5) if close not in alike]
    return alike + [other for other in names if other not in alike]


def _unknown(what: str, name: str, allowed: Iterable[str]) -> UsageError:
    shown = "".join(ch if ch.isprintable() else "?" for ch in name[:80])
    names = ", ".join(closest(name, allowed)) or "none; the catalogue has no such thing"
    return UsageError(f"unknown {what} '{shown}'; allowed: {names}")


def default_scenario(scenarios: Collection[str]) -> str:
    """The decision that is asked about where none is named; of a catalogue without it, the first."""
    return USUAL_SCENARIO if USUAL_SCENARIO in scenarios else next(iter(scenarios))
