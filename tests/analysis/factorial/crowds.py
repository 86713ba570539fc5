"""Factorial runs in miniature: people with a level of every attribute, and answers with known effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from jevbias.analysis.cells import build_cells
from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.factorial.person_means import PersonMeans, person_means
from jevbias.analysis.noise import measure_noise
from jevbias.analysis.validity import judge_questions
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, Attribute
from tests.analysis.runs import FACTS, MERIT, Design, Someone, make_catalogue

LEVELS: Mapping[str, tuple[str, ...]] = {
    "culture": ("here", "there", "elsewhere"),
    "gender": ("man", "woman"),
    "faith": ("none", "one", "two", "three"),
    "dress": ("plain", "fine"),
    "age": ("grown", "young", "old"),
}
CARRIED = {"culture": "name", "gender": "name_and_field"}
YEARS = {"grown": (30, 50), "young": (20, 30), "old": (50, 70)}
CONDITIONS = ("blind", "name_only", "full")
SCENARIOS = {"hiring": 3, "triage": 2}

Expect = Callable[[Someone, str, str, str], float]
"""Person, scenario, question, condition: what is added to the merit of the case."""


@dataclass(frozen=True)
class Crowd:
    """People and what they are asked: `attributes` maps each to its levels, the reference first."""

    people: int = 90
    attributes: Mapping[str, tuple[str, ...]] | None = None
    scenarios: Mapping[str, int] | None = None
    conditions: Sequence[str] = CONDITIONS
    variants: int = 3
    replicates: int = 3
    replicate_subjects: int = 12

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue that the people are of."""
        attributes = {
            key: Attribute.model_validate(
                {
                    "label": key.title(),
                    "protected": key != "dress",
                    "reference": levels[0],
                    "carried_by": CARRIED.get(key, "field"),
                    "measure": "age" if key == "age" else None,
                    "levels": {
                        level: {"phrase": f"{key} {level}", "range": YEARS[level] if key == "age" else None}
                        for level in levels
                    },
                }
            )
            for key, levels in self.levels.items()
        }
        made = make_catalogue(Design(swapped={}, scenarios=self.scenarios or SCENARIOS))
        return replace(made, attributes=attributes)

    @property
    def levels(self) -> Mapping[str, tuple[str, ...]]:
        return LEVELS if self.attributes is None else self.attributes

    def members(self) -> list[Someone]:
        """Levels dealt out evenly, at random."""
        stream = np.random.default_rng(len(self.levels))
        dealt = {
            key: [levels[place % len(levels)] for place in stream.permutation(self.people)]
            for key, levels in self.levels.items()
        }
        return [
            Someone(idx, None, False, levels={key: dealt[key][idx] for key in dealt})
            for idx in range(self.people)
        ]

    def probes(
        self, expect: Expect | None = None, *, noise: float = 0.008, seed: int = 1
    ) -> list[ProbeRecord]:
        """Everybody in one variant of every scenario, in every condition; some asked again under the last."""
        stream = np.random.default_rng(seed)
        probes = []
        for position, (scenario, questions) in enumerate((self.scenarios or SCENARIOS).items()):
            for person in self.members():
                variant = VARIANTS[(person.idx + position) % self.variants]
                for condition in self.conditions:
                    again = person.idx < self.replicate_subjects and condition == self.conditions[-1]
                    for replicate in range(self.replicates if again else 1):
                        values = {
                            f"q{n}": MERIT[variant]
                            + (expect(person, scenario, f"q{n}", condition) if expect else 0.0)
                            + noise * float(stream.normal())
                            for n in range(questions)
                        }
                        probes.append(
                            ProbeRecord(person.idx, scenario, variant, condition, replicate, values)
                        )
        return probes

    def dataset(
        self, probes: Iterable[ProbeRecord] | None = None, people: Iterable[Someone] | None = None
    ) -> Dataset:
        """The run."""
        facts = replace(FACTS, name="made", profile="factorial", design="factorial")
        asked = self.probes() if probes is None else probes
        return build_dataset(facts, self.catalogue, self.members() if people is None else people, asked)


def means_of(dataset: Dataset) -> PersonMeans:
    """The person means of a run."""
    cells = build_cells(dataset)
    return person_means(dataset, cells, judge_questions(dataset, cells, measure_noise(dataset, cells)))


def has(attribute: str, level: str, size: float, *conditions: str) -> Expect:
    """An effect of one level, in these conditions."""
    return lambda person, scenario, question, condition: (
        size if person.levels[attribute] == level and condition in conditions else 0.0
    )


def together(*effects: Expect) -> Expect:
    """The sum of several effects."""
    return lambda *asked: sum(effect(*asked) for effect in effects)
