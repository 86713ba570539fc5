"""Which level of which attribute everyone has, and what of it a model could see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.analysis.dataset import Dataset
from jevbias.catalogue.models import Attribute, Level
from jevbias.people.coherence import WORKING_AGE, career_years
from jevbias.stats.arrays import IntArray


@dataclass(frozen=True, eq=False)
class Factor:
    """An attribute as the people of a run have it.

    `levels` are its levels, the reference first; `codes` (people,) their positions, -1 for nobody knows.
    """

    key: str
    attribute: Attribute
    levels: tuple[str, ...]
    codes: IntArray


def person_factors(dataset: Dataset) -> list[Factor]:
    """The attributes that describe the people of a run, in the catalogue's order."""
    factors = []
    for key, attribute in dataset.catalogue.person_attributes.items():
        if not any(key in levels for levels in dataset.levels):
            continue
        rest = [level for level in attribute.levels if level != attribute.reference]
        names = (attribute.reference, *rest)
        place = {name: code for code, name in enumerate(names)}
        codes = [place.get(levels.get(key, ""), -1) for levels in dataset.levels]
        factors.append(Factor(key, attribute, names, np.array(codes, dtype=np.int64)))
    return factors


def shown_by_the_case(dataset: Dataset, factor: Factor, level: str, scenarios: list[int]) -> bool:
    """Whether one of these scenarios (positions) tells the level from the reference by its facts.

    A case that claims a career caps it for a person too young to have had it, so that the years stated
    betray an early age even to a model that is shown nobody.
    """
    if factor.attribute.measure != "age":
        return False
    claimed = max(
        (career_years(dataset.catalogue.scenarios[dataset.scenarios[s]]) for s in scenarios), default=0
    )
    youngest = [_youngest(factor.attribute.levels[name]) for name in (level, factor.attribute.reference)]
    return any(age is not None and age - WORKING_AGE < claimed for age in youngest)


def _youngest(level: Level) -> float | None:
    return level.range[0] if level.range is not None else level.value
