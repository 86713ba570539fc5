"""Which levels one person may have together, and which age a career needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from jevbias.catalogue.models import Incompatible, Scenario

WORKING_AGE = 18
"""Nobody's career starts before this age, in years."""


def broken_rules(levels: Mapping[str, str], rules: Iterable[Incompatible]) -> Iterator[Incompatible]:
    """The rules that a person of these levels (attribute: level) breaks."""
    for rule in rules:
        if all(levels.get(key) in together for key, together in rule.levels.items()):
            yield rule


def rules_broken_by_sweep(
    levels: Mapping[str, str], swept: Mapping[str, Collection[str]], rules: Iterable[Incompatible]
) -> Iterator[Incompatible]:
    """The rules that an anchor of these levels breaks, or one of its swaps to a level of `swept`
    (attribute: levels).
    """
    for rule in rules:
        missing = [key for key, together in rule.levels.items() if levels.get(key) not in together]
        if not missing or (len(missing) == 1 and not _disjoint(rule, missing[0], swept)):
            yield rule


def describe_rule(rule: Incompatible) -> str:
    """A rule in one line: what may not meet, and because of what."""
    parts = [f"{key} {' or '.join(levels)}" for key, levels in rule.levels.items()]
    return f"{' with '.join(parts)} ({rule.because})"


def career_years(scenario: Scenario) -> float:
    """The longest career, in years, that a variant of the scenario claims; 0 where none does."""
    if scenario.career_field is None:
        return 0
    claims = [case.get(scenario.career_field) for case in scenario.variants.values()]
    return max((float(claim) for claim in claims if isinstance(claim, int | float)), default=0)


def _disjoint(rule: Incompatible, attribute: str, swept: Mapping[str, Collection[str]]) -> bool:
    return set(swept.get(attribute, ())).isdisjoint(rule.levels[attribute])
