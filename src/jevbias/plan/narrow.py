"""Narrowing a profile for a cheap re-check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_attribute, find_scenario
from jevbias.catalogue.models import MOST_BASES, Profile
from jevbias.errors import UsageError
from jevbias.people.counterfactual import swept_attributes


@dataclass(frozen=True)
class Narrowing:
    """What a run changes about its profile; None leaves it as it is."""

    scenarios: Sequence[str] | None = None
    swept: Sequence[str] | None = None
    bases: int | None = None
    anchor_reference: bool = False


def narrow_profile(catalogue: Catalogue, name: str, profile: Profile, narrowing: Narrowing) -> Profile:
    """The profile with other swept attributes or another number of bases.

    Scenarios are checked here and chosen in `build_plan`, which must know their places in the whole profile.
    Raises UsageError for what the profile does not have, naming what it has.
    """
    for flag, names in (("--scenarios", narrowing.scenarios), ("--swept", narrowing.swept)):
        if names is not None and not names:
            raise UsageError(f"{flag}: names nothing; give one or more, such as {flag} A,B")
    for scenario in narrowing.scenarios or ():
        find_scenario(catalogue, scenario)
        if scenario not in profile.scenarios:
            listed = ", ".join(profile.scenarios)
            raise UsageError(f"--scenarios: profile '{name}' has no scenario '{scenario}'; it has {listed}")
    changes: dict[str, object] = {}
    if narrowing.swept is not None:
        _refuse_factorial(name, profile, "--swept")
        allowed = list(swept_attributes(catalogue, profile))
        for attribute in narrowing.swept:
            find_attribute(catalogue, attribute)
            if attribute not in allowed:
                listed = ", ".join(allowed)
                raise UsageError(
                    f"--swept: profile '{name}' does not sweep '{attribute}'; it sweeps {listed}"
                )
        changes["swept"] = [key for key in allowed if key in set(narrowing.swept)]
    if narrowing.bases is not None:
        _refuse_factorial(name, profile, "--bases")
        if not 1 <= narrowing.bases <= MOST_BASES:
            raise UsageError(f"--bases: {narrowing.bases} is not allowed; give 1 to {MOST_BASES:,}")
        changes["bases"] = narrowing.bases
    return profile.model_copy(update=changes)


def _refuse_factorial(name: str, profile: Profile, flag: str) -> None:
    if profile.design == "factorial":
        raise UsageError(f"{flag}: profile '{name}' is factorial: it has no bases and sweeps nothing")
