"""Injected effects: what the mock does to people of a level, known because it was put there."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import catalogue_root
from jevbias.catalogue.lookup import find_attribute, find_level, find_scenario
from jevbias.catalogue.models import Condition, Key, Strict
from jevbias.catalogue.shape import read_shape
from jevbias.catalogue.yaml12 import read_yaml
from jevbias.errors import CatalogueError, UsageError


class Effect(Strict):
    """Adds `size` to the favourability of everyone whom the payload shows to have a level."""

    attribute: Key
    level: Key
    size: float = Field(ge=-1, le=1, description="added to favourability, before the noise")
    scenario: Key | None = Field(None, description="only in this scenario")
    question: Key | None = Field(None, description="only for this question")
    condition: Condition | None = Field(None, description="only under this condition")


class EffectsFile(Strict):
    """A file of effects, such as `mock/default-effects.yaml`."""

    effects: list[Effect]


def load_effects(path: Path | None, catalogue: Catalogue) -> list[Effect]:
    """Read a file of effects (None: the two that ship with the project) and hold it against a catalogue.

    Raises CatalogueError with file, line and key.
    """
    document = read_yaml(path or catalogue_root(None) / "mock" / "default-effects.yaml")
    reading = read_shape(document, EffectsFile)
    if reading.errors or reading.content is None:
        raise reading.errors[0]
    for index, effect in enumerate(reading.content.effects):
        if fault := fault_of_effect(effect, catalogue):
            key, message = fault
            raise document.error(("effects", index, key), message)
    return reading.content.effects


def fault_of_effect(effect: Effect, catalogue: Catalogue) -> tuple[str, str] | None:
    """The key at fault and why, where an effect could never apply to anyone of this catalogue."""
    key = "attribute"
    try:
        attribute = find_attribute(catalogue, effect.attribute)
        key = "level"
        level = find_level(catalogue, effect.attribute, effect.level)
        if attribute.role == "placebo" and level.phrase is None:
            return key, f"'{effect.level}' is not stated, and a placebo that is not stated is not there"
        key = "scenario"
        scenarios = catalogue.scenarios
        if effect.scenario is not None:
            scenarios = {effect.scenario: find_scenario(catalogue, effect.scenario)}
    except (UsageError, CatalogueError) as error:
        return key, str(error)
    questions = sorted({name for scenario in scenarios.values() for name in scenario.questions})
    if effect.question is not None and effect.question not in questions:
        return "question", f"unknown question '{effect.question}'; allowed: {', '.join(questions)}"
    if effect.condition == "blind" or (effect.condition == "name_only" and not attribute.in_name):
        return "condition", f"{effect.attribute} cannot be seen under {effect.condition}"
    return None
