"""Runs made in memory: a small catalogue, a counterfactual plan's probes, and answers with known noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.facts import ProbeOutcome, RunFacts
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, Attribute, Names, Prices, Scenario

FACTS = RunFacts(
    name="mock-pilot",
    profile="pilot",
    design="counterfactual",
    driver="jev",
    model="mock",
    base_url="http://127.0.0.1:8799",
    seed=1,
    margin=0.02,
    alpha=0.05,
    plan_hash="p" * 64,
    catalogue_hash="c" * 64,
    jevbias_version="0.1.0",
    started_at=1_790_000_000.0,
    finished_at=1_790_000_060.5,
)
MERIT = {"weak": 0.35, "mid": 0.5, "strong": 0.65}


@dataclass(frozen=True)
class Someone:
    """A person as the analysis sees them."""

    idx: int
    base: int | None
    is_anchor: bool
    swapped_attribute: str | None = None
    swapped_level: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Design:
    """A counterfactual plan in miniature. `swapped` maps an attribute to how many levels it is swapped to;
    `culture` is carried by the name. `placebos` maps attributes whose swaps are placebos, asked
    about under `full` alone. `scenarios` maps a scenario to its number of questions.
    """

    bases: int = 2
    swapped: Mapping[str, int] = field(default_factory=lambda: {"culture": 2, "faith": 3})
    scenarios: Mapping[str, int] = field(default_factory=lambda: {"hiring": 3, "triage": 2})
    conditions: tuple[str, ...] = ("name_only", "full")
    replicate_subjects: int = 4
    replicates: int = 4
    anchor_replicates: int = 8
    placebos: Mapping[str, int] = field(default_factory=dict)


def make_catalogue(design: Design) -> Catalogue:
    """Scenarios whose questions are all yes/no and positive, attributes whose reference is `none`."""
    return Catalogue(
        scenarios={
            key: Scenario.model_validate(
                {
                    "title": key.title(),
                    "domain": "tests",
                    "role": "applicant",
                    "case_key": "case",
                    "variants": {variant: {"merit": merit} for variant, merit in MERIT.items()},
                    "questions": {f"q{number}": _question(number) for number in range(questions)},
                    "literature": ["nobody (2026)"],
                }
            )
            for key, questions in design.scenarios.items()
        },
        attributes={
            key: Attribute.model_validate(
                {
                    "label": key.title(),
                    "protected": key not in design.placebos,
                    "role": "placebo" if key in design.placebos else "person",
                    "reference": "none",
                    "carried_by": "name" if key == "culture" else "field",
                    "levels": {"none": None} | {f"l{n}": f"{key} {n}" for n in range(levels)},
                }
            )
            for key, levels in {**design.swapped, **design.placebos}.items()
        },
        incompatible=(),
        names=_NAMES,
        profiles={},
        prices=Prices(prices=[]),
    )


def make_people(design: Design) -> list[Someone]:
    """Anchors and their swaps, base by base."""
    people: list[Someone] = []
    for base in range(design.bases):
        people.append(Someone(len(people), base, True))
        for attribute, levels in {**design.swapped, **design.placebos}.items():
            for level in range(levels):
                people.append(Someone(len(people), base, False, attribute, f"l{level}"))
    return people


Expect = Callable[[Someone, str, str, str, str], float]
"""Person, scenario, question, variant, condition: the expected favourability."""


def by_merit(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    """An answer that depends on the case alone."""
    return MERIT[variant]


def make_probes(
    design: Design,
    expect: Expect = by_merit,
    *,
    noise: float = 0.0085,
    seed: int = 1,
    decimals: int | None = None,
) -> list[ProbeRecord]:
    """Every planned probe, answered: the expectation plus noise of this SD, perhaps rounded."""
    stream = np.random.default_rng(seed)
    people = make_people(design)
    swaps = [person for person in people if not person.is_anchor]
    step = max(len(swaps) // max(design.replicate_subjects, 1), 1)
    repeated = {person.idx for person in swaps[::step][: design.replicate_subjects]}
    probes = []
    for position, (scenario, questions) in enumerate(design.scenarios.items()):
        for person in people:
            variant = VARIANTS[((person.base or 0) + position) % 3]
            for condition in design.conditions:
                if person.swapped_attribute in design.placebos and condition != "full":
                    continue
                asks = design.anchor_replicates if person.is_anchor else 1
                if person.idx in repeated and condition == design.conditions[-1]:
                    asks = design.replicates
                for replicate in range(asks):
                    errors = noise * stream.normal(size=questions)
                    values = {
                        f"q{n}": expect(person, scenario, f"q{n}", variant, condition) + errors[n]
                        for n in range(questions)
                    }
                    if decimals is not None:
                        values = {key: round(value, decimals) for key, value in values.items()}
                    probes.append(ProbeRecord(person.idx, scenario, variant, condition, replicate, values))
    return probes


def make_dataset(
    design: Design, probes: Iterable[ProbeRecord] | None = None, *, facts: RunFacts = FACTS
) -> Dataset:
    """The dataset of a design and its probes."""
    chosen = make_probes(design) if probes is None else probes
    return build_dataset(facts, make_catalogue(design), make_people(design), chosen)


def unanswered(probe: ProbeRecord, status: str = "failed", kind: str | None = "timeout") -> ProbeRecord:
    """The same probe without an answer."""
    return replace(probe, favourability={}, outcome=ProbeOutcome(status, kind))


def without(probe: ProbeRecord, *questions: str) -> ProbeRecord:
    """The same probe with these answers missing."""
    kept = {key: value for key, value in probe.favourability.items() if key not in questions}
    return replace(probe, favourability=kept)


def _question(number: int) -> dict[str, object]:
    return {
        "kind": "noul",
        "direction": "+",
        "measures": f"measure {number}",
        "instructions": "Should the applicant go on?",
        "criteria": {"true": "they go on", "false": "they do not"},
    }


_NAMES = Names.model_validate(
    {"cultures": {"none": {"surnames": ["Smith"], "first_names": {"man": ["John"]}}}}
)
