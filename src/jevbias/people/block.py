"""What the model is shown of a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Attribute, Condition, Scenario
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
        attributes = {key: a for key, a in catalogue.attributes.items() if key in person.levels}
        block.update({field: text for field, text in _dossier(person, attributes) if text is not None})
    return block


def _dossier(person: Person, attributes: Mapping[str, Attribute]) -> Iterator[tuple[str, str | None]]:
    """Payload keys with what they say, None for what is not stated."""
    gender = next((key for key, a in attributes.items() if a.carried_by == "name_and_field"), None)
    measures = {a.measure: key for key, a in attributes.items() if a.measure is not None}

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
    for key, attribute in attributes.items():
        if attribute.measure is None and attribute.carried_by != "name":
            yield entry(key)
