"""The rules of profiles and of the price table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date

from jevbias.catalogue.keypath import KeyPath
from jevbias.catalogue.models import CONFIRM_PROFILE, Attribute, Prices, Profile
from jevbias.catalogue.rules.fault import Fault, named

PROFILE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}"


def check_profile(
    name: str,
    profile: Profile,
    scenarios: Collection[str] | None,
    attributes: Mapping[str, Attribute] | None,
) -> Iterator[Fault]:
    """A profile says what its design needs and nothing else, of things that exist (what is None is not
    known, and not checked).
    """
    yield from _check_design(profile)
    for key in ("aliases", "scenarios", "conditions", "swept"):
        value = getattr(profile, key)
        for index, item in enumerate(value if isinstance(value, list) else []):
            if item in value[:index]:
                yield Fault((key, index), f"'{item}' is listed twice")
    for index, alias in enumerate(profile.aliases):
        if not re.fullmatch(PROFILE_NAME, alias):
            yield Fault(("aliases", index), "expected letters, digits, '.', '_' and '-', at most 40")
    for index, key in enumerate(profile.scenarios):
        if scenarios is not None and key not in scenarios:
            yield Fault(
                ("scenarios", index), f"unknown scenario '{key}'; allowed: {named(sorted(scenarios))}"
            )
    if profile.swept == "hypotheses" and name != CONFIRM_PROFILE:
        message = f"'hypotheses' is for the profile {CONFIRM_PROFILE} alone; allowed: 'all' or a list"
        yield Fault(("swept",), message)
    if attributes is not None:
        yield from _check_swept(profile, attributes)
        if profile.placebos and profile.design == "counterfactual":
            yield from _check_placebos(profile, attributes)


def check_aliases(profiles: Mapping[str, Profile]) -> Iterator[tuple[str, Fault]]:
    """Profile and fault of every alias that already names another profile."""
    owners = {name: name for name in profiles}
    for name, profile in profiles.items():
        for index, alias in enumerate(profile.aliases):
            owner = owners.setdefault(alias, name)
            if owner != name or alias == name:
                yield name, Fault(("aliases", index), f"'{alias}' already names the profile {owner}")


def check_prices(prices: Prices) -> Iterator[Fault]:
    """Dates are dates, and no later entry repeats an earlier one."""
    seen: set[tuple[str, str]] = set()
    for index, price in enumerate(prices.prices):
        path: KeyPath = ("prices", index)
        try:
            date.fromisoformat(price.checked)
        except ValueError:
            yield Fault((*path, "checked"), f"'{price.checked}' is no day of the calendar")
        if (price.driver, price.model) in seen:
            message = (
                f"driver '{price.driver}' already has an entry for '{price.model}'; the first one counts"
            )
            yield Fault(path, message)
        seen.add((price.driver, price.model))


def _check_design(profile: Profile) -> Iterator[Fault]:
    needs, refuses = {
        "counterfactual": ("bases", ("people",)),
        "factorial": (
            "people",
            ("bases", "swept", "anchor_replicates", "placebos", "anchor_in_every_variant"),
        ),
    }[profile.design]
    if getattr(profile, needs) is None:
        yield Fault((needs,), f"missing; a {profile.design} design needs it")
    for name in refuses:
        if name in profile.model_fields_set:
            yield Fault((name,), f"has no meaning in a {profile.design} design; leave it out")
    if profile.replicate_subjects > 0 and profile.replicates == 1:
        yield Fault(("replicates",), "expected at least 2, as replicate_subjects are asked more than once")
    if profile.replicate_subjects == 0 and profile.replicates > 1:
        yield Fault(
            ("replicate_subjects",), "expected at least 1, as replicates says how often they are asked"
        )


def _check_swept(profile: Profile, attributes: Mapping[str, Attribute]) -> Iterator[Fault]:
    if profile.swept == "hypotheses":
        return
    people = {key: a for key, a in attributes.items() if a.role == "person"}
    entries = list(people) if profile.swept == "all" else profile.swept
    swaps: set[tuple[str, str]] = set()
    for index, entry in enumerate(entries):
        key, single, level = entry.partition("=")
        path: KeyPath = ("swept", index)
        swept = people[key].swept_levels if key in people else []
        if key not in people:
            yield Fault(path, f"unknown attribute '{key}'; allowed: {named(people)}")
        elif not swept and profile.swept != "all":
            yield Fault(path, f"no level of '{key}' may be swept")
        elif single and level not in swept:
            yield Fault(path, f"'{level}' is no level of {key} that a swap leads to; allowed: {named(swept)}")
        elif single and key in entries:
            yield Fault(path, f"'{key}' in this list sweeps all its levels already; leave one of the two out")
        swaps.update((key, name) for name in swept if not single or name == level)
    if profile.design == "counterfactual" and not swaps:
        yield Fault(("swept",), f"sweeps nothing; allowed: 'all' or a list of {named(people)}")
    subjects = (profile.people or 0) if profile.design == "factorial" else (profile.bases or 0) * len(swaps)
    if subjects and profile.replicate_subjects > subjects:
        message = f"expected at most {subjects}, the number of people who are not anchors"
        yield Fault(("replicate_subjects",), message)


def _check_placebos(profile: Profile, attributes: Mapping[str, Attribute]) -> Iterator[Fault]:
    placebos = [attribute for attribute in attributes.values() if attribute.role == "placebo"]
    if not placebos:
        yield Fault(("placebos",), "expected false, as no attribute of the catalogue has 'role: placebo'")
    elif not any(placebo.visible_in(condition) for placebo in placebos for condition in profile.conditions):
        message = f"expected false, as placebos cannot be seen under {named(profile.conditions)}"
        yield Fault(("placebos",), message)
