"""A run's answers as arrays: the only thing that the analysis computes from.

Rows are put into one canonical order before anything is summed, so the order of rows in a database, or of
records given in memory, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, select

from jevbias.analysis.facts import Outcomes, ProbeOutcome, RunFacts, summarise_outcomes
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition
from jevbias.store.connections import reading
from jevbias.store.runs import run_catalogue
from jevbias.store.tables import ANSWER, PERSON, PROBE, Run

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class PersonFacts(Protocol):
    """What the analysis needs of a person; `people.Person` and the stored rows have it."""

    @property
    def idx(self) -> int:
        """The person's number within the run."""

    @property
    def base(self) -> int | None:
        """The number of the anchor they belong to; None in a factorial run."""

    @property
    def is_anchor(self) -> bool:
        """Whether they are that anchor."""

    @property
    def swapped_attribute(self) -> str | None:
        """The attribute in which they differ from their anchor."""

    @property
    def swapped_level(self) -> str | None:
        """The level they have instead."""


@dataclass(frozen=True)
class ProbeRecord:
    """One probe with its answers, for a dataset made in memory. `person` is a person's `idx`;
    `favourability` maps bare question keys to values on [0, 1].
    """

    person: int
    scenario: str
    variant: str
    condition: str
    replicate: int
    favourability: Mapping[str, float] = field(default_factory=dict)
    outcome: ProbeOutcome = field(default_factory=ProbeOutcome)


class Swap(NamedTuple):
    """An attribute and the level that a swap has in place of its anchor's."""

    attribute: str
    level: str


@dataclass(frozen=True, eq=False)
class Probes:
    """Columns over probes in canonical order: person, scenario, variant, condition, replicate.

    Entries are positions: `person` in the people of the dataset, `scenario` and `condition` in its tuples,
    `variant` in `VARIANTS`. `favourability` is (probes, questions), a column being a question's place within
    its scenario, NaN where there is no usable answer.
    """

    person: IntArray
    scenario: IntArray
    variant: IntArray
    condition: IntArray
    replicate: IntArray
    answered: BoolArray
    favourability: FloatArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """A run. `questions` holds the question keys per scenario, both in the catalogue's order.

    `base`, `is_anchor` and `swap` are columns over people; `base` is -1 for none, `swap` the position in
    `swaps`, -1 for those who are no swap.
    """

    facts: RunFacts
    catalogue: Catalogue
    scenarios: tuple[str, ...]
    conditions: tuple[Condition, ...]
    questions: tuple[tuple[str, ...], ...]
    swaps: tuple[Swap, ...]
    base: IntArray
    is_anchor: BoolArray
    swap: IntArray
    probes: Probes
    outcomes: Outcomes


def load_dataset(engine: Engine, run: Run) -> Dataset:
    """Read a stored run in three statements. Raises DatabaseError when the database cannot be read."""
    with reading(engine) as connection:
        facts = (PERSON.c[name] for name in ("id", *_PERSON_FACTS))
        people = connection.execute(select(*facts).where(PERSON.c.run_id == run.id)).all()
        columns = (*(PROBE.c[name] for name in (*_PROBE_KEYS, *ProbeOutcome._fields)), PROBE.c.id)
        rows = connection.execute(select(*columns).where(PROBE.c.run_id == run.id)).all()
        answers = connection.execute(
            select(ANSWER.c.probe_id, ANSWER.c.question, ANSWER.c.favourability)
            .join(PROBE, PROBE.c.id == ANSWER.c.probe_id)
            .where(PROBE.c.run_id == run.id, PROBE.c.status == "answered")
        )
        idx = {person.id: person.idx for person in people}
        records = [
            ProbeRecord(idx[person], scenario, variant, condition, replicate, {}, ProbeOutcome(*outcome))
            for person, scenario, variant, condition, replicate, *outcome, _ in rows
        ]
        ids = np.array([row[-1] for row in rows], dtype=np.int64)
        place = np.argsort(ids)

        def blocks() -> Iterable[_AnswerBlock]:
            for partition in answers.partitions(100_000):
                probe_ids, questions, values = zip(*partition, strict=True)
                yield _AnswerBlock(place[np.searchsorted(ids, probe_ids, sorter=place)], questions, values)

        return _assemble(RunFacts.of_run(run), run_catalogue(run), people, records, blocks())


def build_dataset(
    facts: RunFacts, catalogue: Catalogue, people: Iterable[PersonFacts], probes: Iterable[ProbeRecord]
) -> Dataset:
    """A dataset from records in memory, in any order."""
    records = list(probes)
    rows, questions, values = [], [], []
    for row, record in enumerate(records):
        for question, value in record.favourability.items():
            rows.append(row)
            questions.append(question)
            values.append(value)
    block = _AnswerBlock(np.array(rows, dtype=np.int64), questions, values)
    return _assemble(facts, catalogue, list(people), records, [block])


_PERSON_FACTS = ("idx", "base", "is_anchor", "swapped_attribute", "swapped_level")
_PROBE_KEYS = ("person_id", "scenario", "variant", "condition", "replicate")


class _AnswerBlock(NamedTuple):
    """Answers of the probes in the given rows."""

    rows: IntArray
    questions: Sequence[str]
    values: Sequence[float]


def _assemble(
    facts: RunFacts,
    catalogue: Catalogue,
    people: Sequence[PersonFacts],
    records: Sequence[ProbeRecord],
    answers: Iterable[_AnswerBlock],
) -> Dataset:
    people = sorted(people, key=lambda person: person.idx)
    asked = {record.scenario for record in records}
    scenarios = tuple(key for key in catalogue.scenarios if key in asked)
    used = {record.condition for record in records}
    conditions = tuple(condition for condition in CONDITIONS if condition in used)
    questions = tuple(tuple(catalogue.scenarios[key].questions) for key in scenarios)
    present = {(p.swapped_attribute, p.swapped_level) for p in people}
    swaps = tuple(
        Swap(key, level)
        for key, attribute in catalogue.attributes.items()
        for level in attribute.levels
        if (key, level) in present
    )
    place_of_swap = {swap: place for place, swap in enumerate(swaps)}

    codes = _codes(people, scenarios, conditions, records)
    order = np.lexsort(codes[::-1])
    person, scenario, variant, condition, replicate = codes[:, order]
    favourability = np.full((len(records), max(map(len, questions), default=0)), np.nan)
    column = {(s, q): place for s, keys in enumerate(questions) for place, q in enumerate(keys)}
    for block in answers:
        scenario_of = codes[1][block.rows].tolist()
        columns = [column[key] for key in zip(scenario_of, block.questions, strict=True)]
        favourability[block.rows, columns] = block.values
    answered = np.array([record.outcome.status == "answered" for record in records], dtype=bool)
    favourability[~answered] = np.nan
    return Dataset(
        facts=facts,
        catalogue=catalogue,
        scenarios=scenarios,
        conditions=conditions,
        questions=questions,
        swaps=swaps,
        base=np.array([-1 if p.base is None else p.base for p in people], dtype=np.int64),
        is_anchor=np.array([p.is_anchor for p in people], dtype=bool),
        swap=np.array(
            [place_of_swap.get((p.swapped_attribute, p.swapped_level), -1) for p in people],  # type: ignore[call-overload]
            dtype=np.int64,
        ),
        probes=Probes(person, scenario, variant, condition, replicate, answered[order], favourability[order]),
        outcomes=summarise_outcomes(record.outcome for record in records),
    )


def _codes(
    people: Sequence[PersonFacts],
    scenarios: Sequence[str],
    conditions: Sequence[str],
    records: Sequence[ProbeRecord],
) -> IntArray:
    """Person, scenario, variant, condition and replicate (rows) of every record (columns), as positions."""
    places: tuple[Mapping[object, int], ...] = (
        {person.idx: place for place, person in enumerate(people)},
        {key: place for place, key in enumerate(scenarios)},
        {key: place for place, key in enumerate(VARIANTS)},
        {key: place for place, key in enumerate(conditions)},
    )
    keys = [(r.person, r.scenario, r.variant, r.condition) for r in records]
    coded = [
        np.array([places[axis][key[axis]] for key in keys], dtype=np.int64) for axis in range(len(places))
    ]
    coded.append(np.array([record.replicate for record in records], dtype=np.int64))
    return np.stack(coded)
