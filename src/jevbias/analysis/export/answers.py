"""Every answer of a run, one row each, with whom and what it is about."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from jevbias.analysis.export.chunks import SUBJECT, probe_chunks, subject
from jevbias.analysis.export.table import Row, Table, finite
from jevbias.store.runs import run_catalogue
from jevbias.store.tables import ANSWER, PROBE, Run

_STORED = ("id", "position", "scenario", "variant", "condition", "replicate", "model_answered")
_ANSWER = ("question", "kind", "value", "favourability", "confidence", "flags")


def answer_table(connection: Connection, run: Run) -> Table:
    """The answers by the position of their probe, then in the order of the questions. `question` is the bare
    key, `flags` a list with commas.
    """
    return Table(("probe", "position", *SUBJECT, *_ANSWER, "model_answered"), _rows(connection, run))


def _rows(connection: Connection, run: Run) -> Iterator[Row]:
    catalogue = run_catalogue(run)
    place = {
        (scenario, question): number
        for scenario, decision in catalogue.scenarios.items()
        for number, question in enumerate(decision.questions)
    }
    query = select(ANSWER.c.probe_id, *(ANSWER.c[name] for name in _ANSWER))
    for chunk in probe_chunks(connection, run, [PROBE.c[name] for name in _STORED]):
        asked = query.where(ANSWER.c.probe_id.in_([row.id for row in chunk]))
        answers: dict[int, list[tuple[int, str, Row]]] = {}
        scenarios = {row.id: row.scenario for row in chunk}
        # Plain tuples: a million rows taken apart by name would take twice the time.
        for probe, question, kind, value, favourability, confidence, flags in connection.execute(asked):
            given = (question, kind, value, favourability, finite(confidence), flags)
            number = place.get((scenarios[probe], question), len(place))
            answers.setdefault(probe, []).append((number, question, given))
        for row in chunk:
            found = answers.get(row.id)
            if found is not None:
                about = (row.id, row.position, *subject(row, catalogue))
                for _, _, values in sorted(found):
                    yield (*about, *values, row.model_answered)
