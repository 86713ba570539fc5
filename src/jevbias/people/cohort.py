"""The people of a run."""

from __future__ import annotations

from collections.abc import Collection

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Profile
from jevbias.people.counterfactual import counterfactual_people
from jevbias.people.names import NameBook
from jevbias.people.person import Person


def build_people(
    catalogue: Catalogue,
    profile: Profile,
    seed: int,
    *,
    anchor_reference: bool = False,
    used_names: Collection[str] = (),
) -> tuple[Person, ...]:
    """Everyone a profile asks about, in the order of their `idx`.

    The same arguments give the same people on every platform. Fewer bases or scenarios change nobody.
    `anchor_reference` puts the attributes that a counterfactual run does not sweep at their reference, in
    place of a background drawn per base. `used_names` are full names whose first names and surnames are given
    to new people last.

    Raises UsageError, with the reason, where no coherent people exist for the profile.
    """
    names = NameBook(catalogue, seed, used_names)
    if profile.design == "factorial":
        from jevbias.people.factorial import factorial_people

        return factorial_people(catalogue, profile, seed, names)
    return counterfactual_people(catalogue, profile, seed, names, anchor_reference=anchor_reference)
