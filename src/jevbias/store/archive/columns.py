"""Which fields of a line are columns of a table, as they are."""

from __future__ import annotations

from pydantic import BaseModel
from sqlalchemy import Table

from jevbias.store.archive.records import (
    Answered,
    BatchLine,
    HypothesisLine,
    PersonLine,
    ProbeLine,
    RunFields,
    Send,
)
from jevbias.store.tables import ANSWER, ATTEMPT, BATCH, HYPOTHESIS, PERSON, PROBE, RUN

TABLE_OF: dict[type[BaseModel], Table] = {
    RunFields: RUN,
    HypothesisLine: HYPOTHESIS,
    BatchLine: BATCH,
    PersonLine: PERSON,
    ProbeLine: PROBE,
    Send: ATTEMPT,
    Answered: ANSWER,
}
"""Where the fields of a model are stored."""

PACKED = "response"
"""The column that is stored in another form than a line holds it."""

COLUMNS: dict[type[BaseModel], tuple[str, ...]] = {
    model: tuple(name for name in model.model_fields if name in table.c and name != PACKED)
    for model, table in TABLE_OF.items()
}
"""The fields that are stored as they are."""
