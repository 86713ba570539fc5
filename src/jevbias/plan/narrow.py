"""Narrowing a profile for a cheap re-check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_scenario, find_swaps
from jevbias.catalogue.models import MOST_BASES, Profile
from jevbias.errors import UsageError
from jevbias.people.swept import swept_entries, swept_levels


@dataclass(frozen=True)
class Narrowing:
    """What a run changes about its profile; None leaves it as it is. `swept` names attributes and single
    levels (`religion=muslim`); `placebos` adds the placebo swaps to a profile without them.
    """

    scenarios: Sequence[str] | None = None
    swept: Sequence[str] | None = None
    bases: int | None = None
    anchor_reference: bool = False
    placebos: bool = False


def narrow_profile(catalogue: Catalogue, name: str, profile: Profile, narrowing: Narrowing) -> Profile:
    """The profile with other swept attributes or levels, another number of bases, or with placebos.

    Scenarios are checked here and chosen in `build_plan`, which must know their places in the whole profile.
    Raises UsageError for what the profile does not have, naming what it has, and for a profile that waits for
    `jevbias confirm` to fill it in.
    """
    swept = swept_levels(catalogue, profile) if profile.design == "counterfactual" else {}
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
        changes["swept"] = _narrowed_sweep(catalogue, name, swept, narrowing.swept)
    if narrowing.bases is not None:
        _refuse_factorial(name, profile, "--bases")
        if not 1 <= narrowing.bases <= MOST_BASES:
            raise UsageError(f"--bases: {narrowing.bases} is not allowed; give 1 to {MOST_BASES:,}")
        changes["bases"] = narrowing.bases
    if narrowing.placebos:
        _refuse_factorial(name, profile, "--placebos")
        _check_placebos(catalogue, name, profile)
        changes["placebos"] = True
    return profile.model_copy(update=changes)


def _narrowed_sweep(
    catalogue: Catalogue, name: str, swept: Mapping[str, list[str]], entries: Sequence[str]
) -> list[str]:
    """Of what a profile sweeps, what these entries name, in the catalogue's order."""
    chosen: dict[str, set[str]] = {}
    for entry in entries:
        key, levels = find_swaps(catalogue, entry)
        if key not in swept:
            listed = ", ".join(swept)
            raise UsageError(f"--swept: profile '{name}' does not sweep '{key}'; it sweeps {listed}")
        named = [level for level in levels if level in swept[key]]
        if not named:
            listed = ", ".join(swept[key])
            raise UsageError(f"--swept: profile '{name}' does not sweep {entry}; of {key} it sweeps {listed}")
        chosen.setdefault(key, set()).update(named)
    return swept_entries(
        catalogue,
        {key: [level for level in swept[key] if level in chosen[key]] for key in swept if key in chosen},
    )


def _check_placebos(catalogue: Catalogue, name: str, profile: Profile) -> None:
    placebos = catalogue.placebo_attributes.values()
    if not placebos:
        raise UsageError(
            "--placebos: the catalogue has none; mark attributes 'role: placebo' in attributes.yaml"
        )
    if not any(placebo.visible_in(condition) for placebo in placebos for condition in profile.conditions):
        listed = ", ".join(profile.conditions)
        raise UsageError(f"--placebos: profile '{name}' runs under {listed} alone, where nobody can see them")


def _refuse_factorial(name: str, profile: Profile, flag: str) -> None:
    if profile.design == "factorial":
        raise UsageError(f"{flag}: profile '{name}' is factorial: it has no bases and sweeps nothing")
