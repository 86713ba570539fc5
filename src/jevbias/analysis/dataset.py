"""A run's answers as arrays: the only thing that the analysis computes from.

Rows are put into one canonical order before anything is summed, so the order of rows in a database, or of
records given in memory, changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from sqlalchemy import Engine, func, select

from jevbias.analysis.columns import (
    AnswerBlock,
    ProbeColumns,
    answer_blocks,
    as_columns,
    favourability_matrix,
    fetch_rows,
    places,
)
from jevbias.analysis.facts import (
    OutcomeColumns,
    Outcomes,
    PersonFacts,
    ProbeOutcome,
    RunFacts,
    summarise_outcomes,
)
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.store.batches import BatchShare, batch_share
from jevbias.store.connections import reading
from jevbias.store.hypotheses import FrozenHypotheses, load_hypotheses
from jevbias.store.runs import run_catalogue
from jevbias.store.tables import ANSWER, FINISHED_STATUSES, PERSON, PROBE, Run


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

    Entries are positions: `person` in the people of the dataset, `scenario`, `condition` and `model` (-1
    unknown or not answered) in its tuples, `variant` in `VARIANTS`. `favourability` is (probes, questions), a
    column being a question's place within its scenario, NaN where there is no usable answer. `finished`
    probes have been answered or have ended without; `sent_at` is in seconds since the epoch, NaN unknown.
    """

    person: IntArray
    scenario: IntArray
    variant: IntArray
    condition: IntArray
    replicate: IntArray
    answered: BoolArray
    favourability: FloatArray
    finished: BoolArray
    sent_at: FloatArray
    model: IntArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """A run. `questions` holds the question keys per scenario, both in the catalogue's order.

    `base`, `is_anchor` and `swap` are columns over people; `base` is -1 for none, `swap` the position in
    `swaps`, -1 for those who are no swap; `levels` maps every person's attributes to their levels. `models`
    are the names that models answered under, sorted; `batches` says how they were asked, None: one by one.
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
    levels: tuple[Mapping[str, str], ...]
    probes: Probes
    outcomes: Outcomes
    models: tuple[str, ...]
    hypotheses: FrozenHypotheses | None = None
    batches: BatchShare | None = None


def load_dataset(engine: Engine, run: Run) -> Dataset:
    """Read a stored run. Raises DatabaseError when the database cannot be read."""
    with reading(engine) as connection:
        facts = (PERSON.c.id, PERSON.c.attributes.label("levels"), *(PERSON.c[k] for k in _PERSON_FACTS))
        people = connection.execute(select(*facts).where(PERSON.c.run_id == run.id)).all()
        idx = {person.id: person.idx for person in people}
        names = ("id", *_PROBE_KEYS, *OutcomeColumns._fields)
        own = select(func.min(PROBE.c.id), func.max(PROBE.c.id)).where(PROBE.c.run_id == run.id)
        first, last = connection.execute(own).one()
        # A run's ids lie together: reading by id is faster by half than leaping about by an index on the run,
        # which the sum keeps the database from, or by a join.
        planned = select(*(PROBE.c[name] for name in names)).where(
            PROBE.c.id.between(first, last), PROBE.c.run_id + 0 == run.id
        )
        rows = [row for block in fetch_rows(connection, planned) for row in block]
        ids, person, scenario, variant, condition, replicate, *outcome = as_columns(rows, len(names))
        probes = ProbeColumns(
            [idx[key] for key in person], scenario, variant, condition, replicate, OutcomeColumns(*outcome)
        )
        answers = fetch_rows(
            connection,
            select(ANSWER.c.probe_id, ANSWER.c.question, ANSWER.c.favourability).where(
                ANSWER.c.probe_id.between(first, last)
            ),
        )
        blocks = answer_blocks(answers, np.array(ids, dtype=np.int64))
        dataset = _assemble(RunFacts.of_run(run), run_catalogue(run), people, probes, blocks)
        share = batch_share(connection, run.id or 0)
    return replace(dataset, hypotheses=load_hypotheses(engine, run), batches=share)


def build_dataset(
    facts: RunFacts, catalogue: Catalogue, people: Iterable[PersonFacts], probes: Iterable[ProbeRecord]
) -> Dataset:
    """A dataset from records in memory, in any order."""
    records = list(probes)
    outcomes = as_columns([record.outcome for record in records], len(OutcomeColumns._fields))
    columns = ProbeColumns(
        person=[record.person for record in records],
        scenario=[record.scenario for record in records],
        variant=[record.variant for record in records],
        condition=[record.condition for record in records],
        replicate=[record.replicate for record in records],
        outcome=OutcomeColumns(*outcomes),
    )
    answers = [
        (row, question, value)
        for row, record in enumerate(records)
        for question, value in record.favourability.items()
    ]
    blocks = answer_blocks([answers], np.arange(len(records)))
    return _assemble(facts, catalogue, list(people), columns, blocks)


_PERSON_FACTS = ("idx", "base", "is_anchor", "swapped_attribute", "swapped_level")
_PROBE_KEYS = ("person_id", "scenario", "variant", "condition", "replicate")


def _assemble(
    facts: RunFacts,
    catalogue: Catalogue,
    people: Sequence[PersonFacts],
    columns: ProbeColumns,
    answers: Iterable[AnswerBlock],
) -> Dataset:
    people = sorted(people, key=attrgetter("idx"))
    asked, used = set(columns.scenario), set(columns.condition)
    scenarios = tuple(key for key in catalogue.scenarios if key in asked)
    conditions = tuple(condition for condition in CONDITIONS if condition in used)
    questions = tuple(tuple(catalogue.scenarios[key].questions) for key in scenarios)
    present = {(p.swapped_attribute, p.swapped_level) for p in people}
    swaps = tuple(
        Swap(key, level)
        for key, attribute in catalogue.attributes.items()
        for level in attribute.levels
        if (key, level) in present
    )
    place_of_swap: Mapping[object, int] = {swap: place for place, swap in enumerate(swaps)}
    swap_of = [place_of_swap.get((p.swapped_attribute, p.swapped_level), -1) for p in people]
    outcomes = summarise_outcomes(columns.outcome)
    codes = np.stack(
        [
            places(columns.person, [p.idx for p in people]),
            places(columns.scenario, scenarios),
            places(columns.variant, VARIANTS),
            places(columns.condition, conditions),
            np.array(columns.replicate, dtype=np.int64),
        ]
    )
    return Dataset(
        facts=facts,
        catalogue=catalogue,
        scenarios=scenarios,
        conditions=conditions,
        questions=questions,
        swaps=swaps,
        base=np.array([-1 if p.base is None else p.base for p in people], dtype=np.int64),
        is_anchor=np.array([p.is_anchor for p in people], dtype=bool),
        swap=np.array(swap_of, dtype=np.int64),
        levels=tuple(p.levels for p in people),
        probes=_probes(codes, columns.outcome, favourability_matrix(codes[1], questions, answers), outcomes),
        outcomes=outcomes,
        models=outcomes.models_answered,
    )


def _probes(
    codes: IntArray, columns: OutcomeColumns, favourability: FloatArray, outcomes: Outcomes
) -> Probes:
    """Everything in canonical order; `codes` are (keys, probes)."""
    order = np.lexsort(codes[::-1])
    person, scenario, variant, condition, replicate = codes[:, order]
    answered = np.array([status == "answered" for status in columns.status], dtype=bool)[order]
    finished = np.array([status in FINISHED_STATUSES for status in columns.status], dtype=bool)[order]
    answered_at = np.array(columns.answered_at, dtype=np.float64)[order]
    latency_ms = np.array(columns.latency_ms, dtype=np.float64)[order]
    model_of: dict[str | None, int] = {name: place for place, name in enumerate(outcomes.models_answered)}
    model = np.array([model_of.get(name, -1) for name in columns.model_answered], dtype=np.int64)[order]
    return Probes(
        person=person,
        scenario=scenario,
        variant=variant,
        condition=condition,
        replicate=replicate,
        answered=answered,
        favourability=np.where(answered[:, None], favourability[order], np.nan),
        finished=finished,
        sent_at=answered_at - latency_ms / 1000.0,
        model=np.where(answered, model, -1),
    )
