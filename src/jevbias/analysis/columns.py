"""Probes and answers field by field, on their way from rows or records to arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Select

from jevbias.analysis.facts import OutcomeColumns
from jevbias.stats.arrays import FloatArray, IntArray

_BLOCK = 50_000


class ProbeColumns(NamedTuple):
    """Probes in any order, field by field; `person` holds their people's `idx`."""

    person: Sequence[int]
    scenario: Sequence[str]
    variant: Sequence[str]
    condition: Sequence[str]
    replicate: Sequence[int]
    outcome: OutcomeColumns


class AnswerBlock(NamedTuple):
    """Answers of the probes in the given rows of `ProbeColumns`."""

    rows: IntArray
    questions: Sequence[str]
    favourability: FloatArray


def fetch_rows(connection: Connection, statement: Select[Any]) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a statement, block by block, as the database's driver gives them.

    SQLAlchemy's own rows take twice the time; numbers and text need no conversion from either driver.
    """
    with connection.execute(statement) as result:
        while result.cursor is not None and (rows := result.cursor.fetchmany(_BLOCK)):
            yield list(rows)


def as_columns(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any]]:
    """The fields of rows of this width. Not `zip(*rows)`: making an iterator per row keeps the garbage
    collector busy for longer than the reading takes.
    """
    return [list(map(itemgetter(place), rows)) for place in range(width)]


def answer_blocks(blocks: Iterable[Sequence[tuple[Any, ...]]], ids: IntArray) -> Iterator[AnswerBlock]:
    """Blocks of (probe id, question, favourability), of probes whose ids in row order are `ids`.

    Answers of other probes are left out.
    """
    if not ids.size:
        return
    order = np.argsort(ids)
    for block in blocks:
        columns = as_columns(block, 3)
        probe_ids = np.array(columns[0], dtype=np.int64)
        found = np.searchsorted(ids, probe_ids, sorter=order)
        rows = order[np.minimum(found, ids.size - 1)]
        ours = ids[rows] == probe_ids
        questions = columns[1] if ours.all() else list(compress(columns[1], ours))
        yield AnswerBlock(rows[ours], questions, np.array(columns[2], dtype=np.float64)[ours])


def favourability_matrix(
    scenario: IntArray, questions: Sequence[Sequence[str]], answers: Iterable[AnswerBlock]
) -> FloatArray:
    """All answers, (probes, questions), NaN where there is none.

    `scenario` (probes,) is each probe's position in `questions`, and a column an answer's place therein.
    """
    favourability = np.full((scenario.size, max(map(len, questions), default=0)), np.nan)
    names = list(dict.fromkeys(name for asked in questions for name in asked))
    column = np.full((len(questions), len(names)), -1)
    for row, asked in enumerate(questions):
        column[row, places(asked, names)] = np.arange(len(asked))
    for block in answers:
        place = column[scenario[block.rows], places(block.questions, names)]
        favourability[block.rows, place] = block.favourability
    return favourability


def places(values: Sequence[object], known: Sequence[object]) -> IntArray:
    """The position of every value among the known ones."""
    place = {key: position for position, key in enumerate(known)}
    return np.fromiter(map(place.__getitem__, values), np.int64, len(values))
