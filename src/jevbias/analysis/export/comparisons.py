"""A report's comparisons as a flat table; of a factorial run its contrasts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Engine

from jevbias.analysis.analyse import analyse_run
from jevbias.analysis.export.table import Row, Table, Value
from jevbias.report.comparison import Comparison, Decisions
from jevbias.report.factorial import Contrast
from jevbias.report.run_report import RunReport
from jevbias.store.tables import Run

_INTERVAL_NAMES = ("ci_", "interval")


def comparison_table(engine: Engine, run: Run) -> Table:
    """The rows of the run's report, placebos after the others, under the report's names.

    An interval becomes two columns (`ci_noise_low`, `ci_noise_high`), `decisions` and the deltas by base and
    by scenario become one each (`flip_rate`, `by_base_0`, `by_scenario_hiring_screen`).
    """
    report = analyse_run(engine, run.name)
    columns = _columns(Contrast if report.factorial else Comparison, report)
    return Table(columns, _rows(columns, report))


def _columns(model: type[BaseModel], report: RunReport) -> tuple[str, ...]:
    columns: list[str] = []
    for name in model.model_fields:
        if name.startswith(_INTERVAL_NAMES):
            columns += [f"{name}_low", f"{name}_high"]
        elif name == "decisions":
            columns += Decisions.model_fields
        elif name == "by_base":
            columns += [f"by_base_{base}" for base in range(report.run.bases or 0)]
        elif name == "by_scenario":
            columns += [f"by_scenario_{scenario}" for scenario in report.run.scenarios]
        else:
            columns.append(name)
    return (*columns, "placebo")


def _rows(columns: Iterable[str], report: RunReport) -> Iterator[Row]:
    if report.factorial is not None:
        tables: list[tuple[bool, Iterable[BaseModel]]] = [(False, report.factorial.contrasts)]
    else:
        placebos = report.placebos.comparisons if report.placebos else []
        tables = [(False, report.comparisons), (True, placebos)]
    for placebo, rows in tables:
        for row in rows:
            flat = _flat(row.model_dump()) | {"placebo": placebo}
            yield tuple(flat.get(name) for name in columns)


def _flat(row: Mapping[str, Any]) -> dict[str, Value]:
    flat: dict[str, Value] = {}
    for name, value in row.items():
        if isinstance(value, tuple):
            flat[f"{name}_low"], flat[f"{name}_high"] = value
        elif name == "decisions" and value is not None:
            flat.update(value)
        elif isinstance(value, dict):
            flat.update({f"{name}_{key}": number for key, number in value.items()})
        elif name != "decisions":
            flat[name] = value
    return flat
