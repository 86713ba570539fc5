"""The tables that a run can be exported as."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine

from jevbias.analysis.export.answers import answer_table
from jevbias.analysis.export.comparisons import comparison_table
from jevbias.analysis.export.people import people_table
from jevbias.analysis.export.probes import probe_table
from jevbias.analysis.export.table import Table
from jevbias.errors import UsageError
from jevbias.store.connections import reading
from jevbias.store.tables import Run

TABLES = ("people", "probes", "answers", "comparisons")


def check_table(what: str, *, raw: bool) -> None:
    """Raises UsageError for a name that is none of the `TABLES`, and for `raw` of another than probes."""
    if what not in TABLES:
        shown = "".join(sign if sign.isprintable() else "?" for sign in what[:40])
        raise UsageError(f"--what: '{shown}' is not one of {', '.join(TABLES)}")
    if raw and what != "probes":
        raise UsageError("--raw: replies belong to probes; add --what probes")


@contextmanager
def exported(engine: Engine, run: Run, what: str, *, raw: bool = False) -> Iterator[Table]:
    """One of the `TABLES` of a run; its rows are read from one state of the database as they are asked for,
    some hundred at a time. With `raw` probes carry the replies as they came.

    Raises UsageError as `check_table` does, and for comparisons of another kind of run than a bias run;
    DatabaseError when the database cannot be read.
    """
    check_table(what, raw=raw)
    if what == "comparisons":
        yield comparison_table(engine, run)
        return
    with reading(engine) as connection:
        if what == "people":
            yield people_table(connection, run)
        elif what == "probes":
            yield probe_table(connection, run, raw=raw)
        else:
            yield answer_table(connection, run)
