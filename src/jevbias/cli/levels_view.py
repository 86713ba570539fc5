"""How attributes, levels, scenarios and questions look in a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_attribute, find_scenario
from jevbias.catalogue.models import Attribute, Level, Scenario
from jevbias.errors import UsageError


def only(catalogue: Catalogue, name: str) -> Catalogue:
    """The catalogue with the one attribute or scenario of this name.

    Raises UsageError that names what there is.
    """
    if name in catalogue.attributes:
        return replace(catalogue, attributes={name: catalogue.attributes[name]}, scenarios={})
    if name in catalogue.scenarios:
        return replace(catalogue, attributes={}, scenarios={name: catalogue.scenarios[name]})
    messages = []
    for find in (find_attribute, find_scenario):
        try:
            find(catalogue, name)
        except UsageError as error:
            messages.append(str(error))
    raise UsageError("; ".join(messages))


def levels_tables(catalogue: Catalogue) -> RenderableType:
    """A table of attributes, one of placebos and one of scenarios, each with a line that counts it."""
    parts: list[RenderableType] = []
    if attributes := catalogue.person_attributes:
        count = sum(len(attribute.levels) for attribute in attributes.values())
        protected = sum(attribute.protected for attribute in attributes.values())
        parts += [
            Text(
                f"attributes: {len(attributes)} ({protected} protected), with {count} levels; "
                "the first is the reference"
            ),
            _attributes_table(attributes),
        ]
    if placebos := catalogue.placebo_attributes:
        count = sum(len(attribute.swept_levels) for attribute in placebos.values())
        parts += [
            Text(f"\nplacebos: {len(placebos)}, with {count} swaps; shown in runs with --placebos alone"),
            _attributes_table(placebos),
        ]
    if catalogue.scenarios:
        count = sum(len(scenario.questions) for scenario in catalogue.scenarios.values())
        parts += [
            Text(f"\nscenarios: {len(catalogue.scenarios)}, with {count} questions; +: higher is better"),
            _scenarios_table(catalogue),
        ]
    return Group(*parts)


def levels_json(catalogue: Catalogue) -> dict[str, Any]:
    """The same as JSON-ready data."""
    return {
        "attributes": _attributes_json(catalogue.person_attributes),
        "placebos": _attributes_json(catalogue.placebo_attributes),
        "scenarios": {
            key: scenario.model_dump(
                mode="json", include={"title", "domain", "role", "questions", "literature"}
            )
            for key, scenario in catalogue.scenarios.items()
        },
    }


def _attributes_json(attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    return {
        key: {
            "label": attribute.label,
            "protected": attribute.protected,
            "reference": attribute.reference,
            "levels": {name: level_text(attribute, level) for name, level in attribute.levels.items()},
            "swept": attribute.swept_levels,
        }
        for key, attribute in attributes.items()
    }


def level_text(attribute: Attribute, level: Level) -> str | None:
    """What the payload says of a level; None where it is not stated."""
    if level.by_gender:
        return " / ".join(dict.fromkeys(level.by_gender.values()))
    if attribute.measure and level.value is not None:
        return _NUMBERED[attribute.measure].format(value=level.value, phrase=level.phrase)
    return level.phrase


_NUMBERED = {
    "age": "{value:g}, {phrase}",
    "height": "{value:g}cm, {phrase}",
    "bmi": "the weight in kg at a body mass index of {value:g}, {phrase}",
}


def _attributes_table(attributes: Mapping[str, Attribute]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("attribute", "", "level"):
        table.add_column(heading, no_wrap=True)
    table.add_column("what the payload says")
    for key, attribute in attributes.items():
        mark = "protected" if attribute.protected else ""
        for row, (name, level) in enumerate(attribute.levels.items()):
            said = level_text(attribute, level)
            if attribute.carried_by == "name":
                said = f"(by the name alone: {said})"
            elif not level.sweep:
                said = f"{said} (never swept)"
            table.add_row(
                Text(key if row == 0 else ""),
                Text(mark if row == 0 else ""),
                Text(name),
                Text(said or "(not stated)"),
            )
    return table


def _scenarios_table(catalogue: Catalogue) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("scenario", "question", "kind", ""):
        table.add_column(heading, no_wrap=True)
    table.add_column("what it stands for")
    for key, scenario in catalogue.scenarios.items():
        for row, (name, question) in enumerate(scenario.questions.items()):
            table.add_row(
                Text(_scenario_cell(key, scenario) if row == 0 else ""),
                Text(name),
                question.kind,
                question.direction,
                Text(question.measures),
            )
    return table


def _scenario_cell(key: str, scenario: Scenario) -> str:
    return f"{key} ({scenario.role})"
