"""The numbers of a person, and the level that a number belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from jevbias.catalogue.models import Attribute, Level

Measure = Literal["age", "height", "bmi"]


@dataclass(frozen=True)
class Numbers:
    """Age in years, height in centimetres, weight in kilograms; None where the catalogue has no such
    attribute.
    """

    age: int | None = None
    height_cm: int | None = None
    weight_kg: int | None = None


def measured_attributes(attributes: Mapping[str, Attribute]) -> dict[Measure, str]:
    """The key of the attribute that measures age, height and build, in this order, where there is one."""
    found = {attribute.measure: key for key, attribute in attributes.items()}
    return {measure: found[measure] for measure in get_args(Measure) if measure in found}


def numbers_of_levels(attributes: Mapping[str, Attribute], levels: Mapping[str, str]) -> Numbers:
    """The numbers of a counterfactual person: those of their levels, and the weight that their build has at
    their own height.
    """
    level = {
        attribute.measure: attribute.levels[levels[key]]
        for key, attribute in attributes.items()
        if attribute.measure is not None
    }
    height = _whole(level["height"]) if "height" in level else None
    return Numbers(
        age=_whole(level["age"]) if "age" in level else None,
        height_cm=height,
        weight_kg=_weight(level["bmi"], height) if "bmi" in level and height is not None else None,
    )


def level_of_number(attribute: Attribute, number: float) -> str | None:
    """The level whose range holds the number, if one does."""
    return next((key for key, level in attribute.levels.items() if _holds(level, number)), None)


def body_mass_index(weight_kg: int, height_cm: int) -> float:
    """Kilograms per square metre."""
    return weight_kg * 10_000 / height_cm**2


def _weight(build: Level, height_cm: int) -> int:
    """The whole number of kilograms that comes closest to the level's number, and lies in its range where a
    whole number does.
    """
    exact = _number(build) * height_cm**2 / 10_000
    nearest = sorted(range(int(exact) - 1, int(exact) + 3), key=lambda weight: abs(weight - exact))
    inside = [weight for weight in nearest if _holds(build, body_mass_index(weight, height_cm))]
    return (inside or nearest)[0]


def _whole(level: Level) -> int:
    return round(_number(level))


def _number(level: Level) -> float:
    if level.value is None:
        raise AssertionError("every level of a measure has a value")
    return level.value


def _holds(level: Level, number: float) -> bool:
    return level.range is not None and level.range[0] <= number < level.range[1]
