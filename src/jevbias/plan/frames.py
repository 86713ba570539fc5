"""Scenarios become frames: the case a person faces, with its questions."""

from __future__ import annotations

from jevbias.catalogue.models import Scenario, Variant
from jevbias.people.coherence import WORKING_AGE
from jevbias.people.person import Person
from jevbias.plan.model import Frame


def build_frame(key: str, scenario: Scenario, variant: Variant, person: Person) -> Frame:
    """The frame that a person faces in one variant of a scenario.

    Everyone faces the same facts, with one exception: where the scenario declares the fact that claims a
    career, a person too young for it gets it capped at their age less 18.
    """
    case = dict(scenario.variants[variant])
    field = scenario.career_field
    if field is not None and person.age is not None:
        claimed = case[field]
        if isinstance(claimed, int | float) and claimed > person.age - WORKING_AGE:
            case[field] = max(0, person.age - WORKING_AGE)
    return Frame(
        scenario=key,
        variant=variant,
        title=scenario.title,
        role=scenario.role,
        case_key=scenario.case_key,
        case=case,
        questions=scenario.questions,
    )
