"""What the model is shown of a person."""

from __future__ import annotations

from collections.abc import Iterator

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Condition, Scenario
from jevbias.people.person import Person


def person_block(
    person: Person, catalogue: Catalogue, scenario: Scenario, condition: Condition
) -> dict[str, str]:
    """The person block of a payload, in payload order.

    `reference` comes first: the full name, or the role when blind. `full` adds age, pronouns, height, build
    and every other attribute in the catalogue's order, each where the catalogue has it; what is not stated
    has no key, because a blank is itself a signal.
    """
    if condition == "blind":
        return {"reference": f"The {scenario.role}"}
    block = {"reference": person.full_name}
    if condition == "full":
        block.update({field: text for field, text in _dossier(person, catalogue) if text is not None})
    return block


def _dossier(person: Person, catalogue: Catalogue) -> Iterator[tuple[str, str | None]]:
    """Payload keys with what they say, None for what is not stated."""
    attributes = catalogue.attributes
    gender: str | None = None
    measures: dict[str, str] = {}
    others: list[str] = []
    for key, attribute in attributes.items():
        if key not in person.levels:
            continue
        if attribute.carried_by == "name_and_field":
            gender = gender or key
        if attribute.measure is not None:
            measures[attribute.measure] = key
        elif attribute.carried_by != "name":
            others.append(key)

    def entry(key: str, number: str = "") -> tuple[str, str | None]:
        level = attributes[key].levels[person.levels[key]]
        worded = level.by_gender[person.levels[gender]] if level.by_gender and gender else level.phrase
        return attributes[key].field or key, None if worded is None else number + worded

    if "age" in measures:
        yield entry(measures["age"], f"{person.age}, ")
    if gender is not None:
        yield "pronouns", attributes[gender].levels[person.levels[gender]].pronouns
    if "height" in measures:
        yield entry(measures["height"], f"{person.height_cm}cm, ")
    if "bmi" in measures:
        yield entry(measures["bmi"], f"{person.weight_kg}kg, ")
    for key in others:
        yield entry(key)
