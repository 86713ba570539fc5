"""The levels of an anchor: references where a run sweeps, a coherent draw where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_scenario
from jevbias.catalogue.models import Attribute, Level, Profile
from jevbias.errors import UsageError
from jevbias.people.coherence import WORKING_AGE, career_years, describe_rule, rules_broken_by_sweep
from jevbias.people.keyed import keyed_choice

_ATTEMPTS = 2_000


class Backgrounds:
    """Draws the anchors of a run; a draw depends on seed, base, attribute and attempt alone. `swept` has the
    levels of each swept attribute.

    Levels that are never swept are never drawn, nor ages too young for a career that a scenario of the
    catalogue claims, nor wordings that follow gender when gender is swept, as its swap would change them.
    Raises UsageError where nothing is left to draw, or where a swept attribute rules out itself.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        profile: Profile,
        seed: int,
        swept: Mapping[str, Collection[str]],
        *,
        anchor_reference: bool,
    ) -> None:
        self._rules, self._seed, self._swept = catalogue.incompatible, seed, swept
        gender_is_swept = any(catalogue.attributes[key].carried_by == "name_and_field" for key in swept)
        longest_career = max((career_years(s) for s in catalogue.scenarios.values()), default=0)
        self._choices: dict[str, list[str]] = {}
        for key, attribute in catalogue.person_attributes.items():
            if key in swept or anchor_reference:
                self._choices[key] = [attribute.reference]
                if gender_is_swept and attribute.levels[attribute.reference].by_gender:
                    raise UsageError(
                        f"gender cannot be swept: {key}={attribute.reference} is worded by gender, so a swap "
                        f"of gender would change it too; give the reference of {key} one phrase"
                    )
            else:
                self._choices[key] = _drawable(key, attribute, gender_is_swept, longest_career)
        _check_careers(catalogue, profile, swept, self._choices)

    def draw(self, base: int) -> dict[str, str]:
        """The levels of this base's anchor (attribute: level, in the catalogue's order), such that it and all
        its swaps are possible people. Raises UsageError that names the rule in the way.
        """
        in_the_way: Counter[int] = Counter()
        certain = all(len(choices) == 1 for choices in self._choices.values())
        for attempt in range(1 if certain else _ATTEMPTS):
            levels = {
                key: keyed_choice(choices, self._seed, "background", base, key, attempt)
                for key, choices in self._choices.items()
            }
            broken = list(rules_broken_by_sweep(levels, self._swept, self._rules))
            if not broken:
                return levels
            in_the_way.update(self._rules.index(rule) for rule in broken)
        worst = self._rules[in_the_way.most_common(1)[0][0]]
        raise UsageError(
            f"no coherent person and swaps for base {base}: they would have {describe_rule(worst)}; "
            "sweep other attributes or change the rule in attributes.yaml"
        )


def _drawable(key: str, attribute: Attribute, gender_is_swept: bool, longest_career: float) -> list[str]:
    drawable = [
        name
        for name, level in attribute.levels.items()
        if level.sweep
        and not (gender_is_swept and level.by_gender)
        and not (attribute.measure == "age" and _working_years(level) < longest_career)
    ]
    if not drawable:
        raise UsageError(
            f"no level of {key} can be drawn for an anchor: each is marked 'sweep: false', worded by gender "
            "while gender is swept, or too young for a career that a scenario claims"
        )
    return drawable


def _check_careers(
    catalogue: Catalogue,
    profile: Profile,
    swept: Mapping[str, Collection[str]],
    choices: Mapping[str, list[str]],
) -> None:
    """Nobody of the run may be too young for a case: the cap would make a swap of age change the case too."""
    for key, attribute in catalogue.person_attributes.items():
        if attribute.measure != "age":
            continue
        for name in dict.fromkeys([*choices[key], *swept.get(key, ())]):
            for scenario in profile.scenarios:
                years = career_years(find_scenario(catalogue, scenario))
                if _working_years(attribute.levels[name]) < years:
                    raise UsageError(
                        f"{key}={name} is too young for the {years:g} years that scenario {scenario} claims, "
                        f"as nobody starts before {WORKING_AGE}; mark the level 'sweep: false'"
                    )


def _working_years(level: Level) -> float:
    return (level.value or 0) - WORKING_AGE
