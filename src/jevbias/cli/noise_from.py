"""The spreads that a run has measured, for planning the next one."""

from __future__ import annotations

from pathlib import Path

from jevbias.analysis.analyse import analyse_run
from jevbias.errors import UsageError
from jevbias.report.power import PowerBasis
from jevbias.report.write import read_report
from jevbias.store.engine import open_store_to_read


def measured_basis(named: str, db: str) -> tuple[str, PowerBasis]:
    """The name and the spreads of a run: of the report file where `named` ends in .json, else of the run of
    that name in the database.

    Raises UsageError where there is no such run or report, and where nothing was measured.
    """
    if named.endswith(".json"):
        report = read_report(Path(named))
    else:
        report = analyse_run(open_store_to_read(db), named)
    floor = report.noise_floor
    basis = report.power or PowerBasis(
        answer_sd=floor.answer_sd, probe_sd=floor.probe_sd, base_sd=None, rest_sd=None, rows=0
    )
    if basis.answer_sd is None and basis.base_sd is None:
        raise UsageError(f"--noise-from: run {report.run.name} measured no spread: nothing was asked twice")
    return report.run.name, basis
