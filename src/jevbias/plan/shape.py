"""What a plan's comparisons will be made of: how many pairs, asked how often, and how many repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Attribute
from jevbias.people.person import Person
from jevbias.plan.model import Plan

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SwapShape:
    """The comparisons of a counterfactual plan, placebos apart.

    `swap_asks` and `anchor_asks` (comparisons, bases, scenarios) count the probes behind each pair; `visible`
    (comparisons,) says whether the model can see the swap. `repeats` (scenarios,) are the degrees of freedom
    of repeated asks, controls apart, and `questions` (scenarios,) the number of questions.
    """

    swap_asks: IntArray
    anchor_asks: IntArray
    visible: BoolArray
    repeats: IntArray
    questions: IntArray


@dataclass(frozen=True, eq=False)
class ContrastShape:
    """The contrasts of a factorial plan: columns over conditions × attribute levels but the reference.

    `people` and `reference_people` count those who have the level and those who have the reference.
    `questions` (scenarios,) is the number of questions.
    """

    people: IntArray
    reference_people: IntArray
    visible: BoolArray
    questions: IntArray


def swap_shape(plan: Plan, catalogue: Catalogue) -> SwapShape:
    """The comparisons of a counterfactual plan."""
    people, attributes = plan.people, catalogue.attributes
    scenarios = {scenario: place for place, scenario in enumerate(plan.profile.scenarios)}
    conditions = plan.profile.conditions
    swaps = list(dict.fromkeys(swap for p in people if (swap := _swap(p, attributes)) is not None))
    rows = {(c, *swap): row for row, (c, swap) in enumerate((c, swap) for c in conditions for swap in swaps)}
    asks = Counter((probe.person, probe.scenario, probe.variant, probe.condition) for probe in plan.probes)

    shape = (len(rows), plan.profile.bases or 0, len(scenarios))
    swap_asks, anchor_asks = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    repeats = np.zeros(len(scenarios), dtype=np.int64)
    anchors = {person.base: person.idx for person in people if person.is_anchor}
    for (idx, scenario, variant, condition), number in asks.items():
        person, place = people[idx], scenarios[scenario]
        attribute = attributes.get(person.swapped_attribute or "")
        if attribute is None or attribute.visible_in(condition):
            repeats[place] += number - 1
        swap = _swap(person, attributes)
        if swap is not None:
            row = rows[(condition, *swap)]
            swap_asks[row, person.base, place] = number
            anchor_asks[row, person.base, place] = asks[anchors[person.base], scenario, variant, condition]
    visible = [attributes[attribute].visible_in(c) for c in conditions for attribute, _ in swaps]
    return SwapShape(
        swap_asks, anchor_asks, np.array(visible, dtype=bool), repeats, _questions(plan, catalogue)
    )


def contrast_shape(plan: Plan, catalogue: Catalogue) -> ContrastShape:
    """The contrasts of a factorial plan."""
    people, references, visible = [], [], []
    for key, attribute in catalogue.person_attributes.items():
        counts = Counter(person.levels[key] for person in plan.people)
        for level in attribute.levels:
            if level != attribute.reference:
                people.append(counts[level])
                references.append(counts[attribute.reference])
                visible.append([attribute.visible_in(condition) for condition in plan.profile.conditions])
    conditions = len(plan.profile.conditions)
    return ContrastShape(
        people=np.tile(people, conditions).astype(np.int64),
        reference_people=np.tile(references, conditions).astype(np.int64),
        visible=np.array(visible, dtype=bool).T.ravel(),
        questions=_questions(plan, catalogue),
    )


def _swap(person: Person, attributes: Mapping[str, Attribute]) -> tuple[str, str] | None:
    """The swap that a person is, None for anchors and placebos."""
    attribute, level = person.swapped_attribute, person.swapped_level
    if attribute is None or level is None or attributes[attribute].role == "placebo":
        return None
    return attribute, level


def _questions(plan: Plan, catalogue: Catalogue) -> IntArray:
    numbers = [len(catalogue.scenarios[scenario].questions) for scenario in plan.profile.scenarios]
    return np.array(numbers, dtype=np.int64)
