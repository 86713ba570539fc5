"""Runs made in memory, whose truth is known: what each swap does, and how the model errs.

A run has the shape of the deep profile in miniature: bases that face eight scenarios in rotating variants,
under `full` and `name_only`, swaps asked once and anchors ten times. A tenth of the swaps shows in the name;
the others are controls under `name_only`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from jevbias.analysis.dataset import Dataset, ProbeRecord, build_dataset
from jevbias.analysis.facts import RunFacts
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, Attribute, Names, Prices, Scenario
from jevbias.people.person import Person
from jevbias.stats.arrays import FloatArray

CONDITIONS = ("name_only", "full")
MERIT = (0.35, 0.5, 0.65)


@dataclass(frozen=True)
class Shape:
    """How large a run is: bases, questions of each scenario, swaps (the first ones show in the name), asks of
    every anchor per scenario and condition, and swaps that are asked three times under `full`.
    """

    bases: int
    questions: tuple[int, ...] = (2,) * 8
    swaps: int = 30
    swaps_in_name: int = 3
    anchor_replicates: int = 10
    replicate_subjects: int = 0


def deep(bases: int) -> Shape:
    """The shape of the deep profile, which has 6 bases."""
    return Shape(
        bases, questions=(5, 5, 4, 5, 4, 4, 4, 4), swaps=110, swaps_in_name=10, replicate_subjects=30
    )


@dataclass(frozen=True)
class World:
    """What is true of a model. SDs are in favourability.

    `real` is a constant effect of every tenth swap; the four SDs draw zero-mean effects per
    (base, swap), per (base, swap, scenario), per (swap, scenario) and per (swap, scenario, variant). Noise
    has SD `noise` per answer, of which a third of the variance is shared by a probe's questions. `missing`
    and `probes_missing` are the shares of answers and of whole probes that never came back.
    """

    noise: float = 0.016
    noise_by_question: bool = False
    unequal_cells: bool = False
    decimals: int | None = None
    drift: float = 0.0
    missing: float = 0.0
    probes_missing: float = 0.0
    base_swap: float = 0.0
    base_swap_scenario: float = 0.0
    swap_scenario: float = 0.0
    swap_scenario_variant: float = 0.0
    real: float = 0.0

    @property
    def has_effects(self) -> bool:
        """Whether any swap moves any answer."""
        drawn = (self.base_swap, self.base_swap_scenario, self.swap_scenario, self.swap_scenario_variant)
        return any(drawn) or bool(self.real)


@dataclass(frozen=True, eq=False)
class SimulatedRun:
    """A dataset, the same with the expectation in place of every answer, and the mean effect of each swap.

    `effect` is (swaps,): over all bases, scenarios and cases that could have been drawn. `on_scenario` is
    (swaps, scenarios): over all bases, these scenarios fixed.
    """

    dataset: Dataset
    expected: Dataset
    effect: FloatArray
    on_scenario: FloatArray


def simulate_run(shape: Shape, world: World, seed: int) -> SimulatedRun:
    """One run of this shape in this world."""
    stream = np.random.default_rng([seed, shape.bases, shape.anchor_replicates])
    template = _template(shape)
    probes = template.probes
    base, swap = template.base[probes.person], template.swap[probes.person]
    seen = (swap >= 0) & ((probes.condition == CONDITIONS.index("full")) | (swap < shape.swaps_in_name))
    place = np.where(seen, swap, 0)
    scenarios = len(shape.questions)

    def drawn(sd: float, *sizes: int) -> FloatArray:
        return np.asarray(sd * stream.normal(size=sizes), dtype=np.float64)

    real = np.where(np.arange(shape.swaps) % 10 == 0, world.real, 0.0)
    by_scenario = drawn(world.swap_scenario, shape.swaps, scenarios)
    by_variant = drawn(world.swap_scenario_variant, shape.swaps, scenarios, len(VARIANTS))
    effects = (
        real[place]
        + drawn(world.base_swap, shape.bases, shape.swaps)[base, place]
        + drawn(world.base_swap_scenario, shape.bases, shape.swaps, scenarios)[base, place, probes.scenario]
        + by_scenario[place, probes.scenario]
        + by_variant[place, probes.scenario, probes.variant]
    )
    expected = np.array(MERIT)[probes.variant] + np.where(seen, effects, 0.0)
    asked = np.arange(max(shape.questions)) < np.array(shape.questions)[probes.scenario][:, None]
    expected = np.where(asked, expected[:, None], np.nan)
    answers = expected + _errors(template, world, shape, stream)
    if world.drift:
        sent_at = stream.permutation(len(answers)) / len(answers)
        answers = answers + world.drift * (sent_at - 0.5)[:, None]
    answers = np.clip(answers, 0.0, 1.0)
    if world.decimals is not None:
        answers = np.round(answers, world.decimals)
    if world.missing or world.probes_missing:
        gone = stream.random(answers.shape) < world.missing
        gone |= (stream.random(len(answers)) < world.probes_missing)[:, None]
        answers, expected = np.where(gone, np.nan, answers), np.where(gone, np.nan, expected)
    return SimulatedRun(
        dataset=replace(template, probes=replace(probes, favourability=answers)),
        expected=replace(template, probes=replace(probes, favourability=expected)),
        effect=real,
        on_scenario=real[:, None] + by_scenario + by_variant.mean(axis=2),
    )


def _errors(template: Dataset, world: World, shape: Shape, stream: np.random.Generator) -> FloatArray:
    probes = template.probes
    size = (len(probes.person), max(shape.questions))
    own, shared = stream.normal(size=size), stream.normal(size=(size[0], 1))
    sd: FloatArray = np.full(size, world.noise)
    if world.noise_by_question:
        # From a third of the noise to almost twice as much, fixed by the place of the question.
        factors = np.linspace(0.35, 1.75, len(shape.questions) * size[1]).reshape(-1, size[1])
        sd = sd * factors[probes.scenario]
    if world.unequal_cells:
        keys = np.stack([probes.person, probes.scenario, probes.condition])
        cell = np.unique(keys, axis=1, return_inverse=True)[1].ravel()
        factor = np.where(stream.random(int(cell.max()) + 1) < 0.5, 0.5, np.sqrt(1.75))
        sd = sd * factor[cell][:, None]
    return np.asarray(sd * (np.sqrt(2 / 3) * own + np.sqrt(1 / 3) * shared), dtype=np.float64)


@cache
def _template(shape: Shape) -> Dataset:
    """The dataset of a shape, without answers."""
    people = _people(shape)
    swaps = [person for person in people if not person.is_anchor]
    step = max(len(swaps) // max(shape.replicate_subjects, 1), 1)
    repeated = {person.idx for person in swaps[::step][: shape.replicate_subjects]}
    records = []
    for person in people:
        for scenario in range(len(shape.questions)):
            variant = VARIANTS[((person.base or 0) + scenario) % len(VARIANTS)]
            for condition in CONDITIONS:
                asks = shape.anchor_replicates if person.is_anchor else 1
                if person.idx in repeated and condition == "full":
                    asks = 3
                records += [
                    ProbeRecord(person.idx, f"s{scenario}", variant, condition, replicate)
                    for replicate in range(asks)
                ]
    return build_dataset(_FACTS, _catalogue(shape), people, records)


def _people(shape: Shape) -> list[Person]:
    people: list[Person] = []
    for base in range(shape.bases):
        for swap in (None, *range(shape.swaps)):
            people.append(
                Person(
                    idx=len(people),
                    base=base,
                    is_anchor=swap is None,
                    swapped_attribute=None if swap is None else _attribute_of(swap, shape),
                    swapped_level=None if swap is None else f"l{swap}",
                    full_name=f"Person {len(people)}",
                    levels={},
                )
            )
    return people


def _attribute_of(swap: int, shape: Shape) -> str:
    return "name" if swap < shape.swaps_in_name else "stated"


def _catalogue(shape: Shape) -> Catalogue:
    question = {
        "kind": "noul",
        "direction": "+",
        "measures": "the decision",
        "instructions": "Should it be granted?",
        "criteria": {"true": "it is granted", "false": "it is not"},
    }
    return Catalogue(
        scenarios={
            f"s{number}": Scenario.model_validate(
                {
                    "title": f"Scenario {number}",
                    "domain": "simulation",
                    "role": "applicant",
                    "case_key": "case",
                    "variants": {
                        variant: {"merit": merit} for variant, merit in zip(VARIANTS, MERIT, strict=True)
                    },
                    "questions": {f"q{place}": question for place in range(questions)},
                    "literature": ["a simulation"],
                }
            )
            for number, questions in enumerate(shape.questions)
        },
        attributes={
            key: Attribute.model_validate(
                {
                    "label": key.title(),
                    "reference": "none",
                    "carried_by": "name" if key == "name" else "field",
                    "levels": {"none": None}
                    | {
                        f"l{swap}": f"level {swap}"
                        for swap in range(shape.swaps)
                        if _attribute_of(swap, shape) == key
                    },
                }
            )
            for key in ("name", "stated")
        },
        incompatible=(),
        names=Names.model_validate({"cultures": {"none": {"surnames": ["A"], "first_names": {"x": ["B"]}}}}),
        profiles={},
        prices=Prices(prices=[]),
    )


_FACTS = RunFacts(
    name="simulated",
    profile="simulated",
    design="counterfactual",
    driver="jev",
    model="simulated",
    base_url="http://127.0.0.1",
    seed=1,
    margin=0.02,
    alpha=0.05,
    plan_hash="0" * 64,
    catalogue_hash="0" * 64,
    jevbias_version="simulation",
)
