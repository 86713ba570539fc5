"""Which levels a counterfactual run swaps in."""

from __future__ import annotations

from collections.abc import Mapping

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_swaps
from jevbias.catalogue.models import Profile
from jevbias.errors import UsageError


def swept_levels(catalogue: Catalogue, profile: Profile) -> dict[str, list[str]]:
    """The levels that a counterfactual profile swaps in, by attribute, both in the catalogue's order.

    Raises UsageError for what the catalogue does not have or cannot swap, for a placebo, and for a profile
    that waits for `jevbias confirm` to fill it in.
    """
    people = catalogue.person_attributes
    if profile.swept == "hypotheses":
        raise UsageError(
            "this profile sweeps what another run has found, so it cannot be run by itself; "
            "plan it with: jevbias confirm --from RUN"
        )
    if profile.swept == "all":
        return {key: attribute.swept_levels for key, attribute in people.items()}
    wanted: dict[str, set[str]] = {}
    for entry in profile.swept:
        key, levels = find_swaps(catalogue, entry)
        if key not in people:
            raise UsageError(f"'{key}' is a placebo, which no profile sweeps; it does not describe a person")
        wanted.setdefault(key, set()).update(levels)
    return {
        key: [level for level in attribute.swept_levels if level in wanted[key]]
        for key, attribute in people.items()
        if key in wanted
    }


def swept_entries(catalogue: Catalogue, levels: Mapping[str, list[str]]) -> list[str]:
    """Swept levels by attribute as a profile lists them: an attribute, or each level where some are not."""
    entries: list[str] = []
    for key, chosen in levels.items():
        whole = chosen == catalogue.attributes[key].swept_levels
        entries += [key] if whole else [f"{key}={level}" for level in chosen]
    return entries
