"""A report as bytes, and back."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from jevbias.errors import UsageError
from jevbias.report.run_report import REPORT_VERSION, RunReport
from jevbias.report.soundness import find_fault, place


def report_json(report: RunReport) -> bytes:
    """The report as JSON: keys in declared order, figures as rounded when it was made, one line.

    The same report gives the same bytes. NaN and infinities cannot occur: the models refuse them.
    """
    return report.model_dump_json().encode("utf-8") + b"\n"


def read_report(path: Path) -> RunReport:
    """Read a report file. Raises UsageError in one line when it is not a report of this version, or says what
    no report can (`report.soundness`).
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from None
    try:
        data = from_json(content, allow_inf_nan=False)
    except ValueError:
        raise UsageError(f"{path}: not a report of `jevbias analyse` (it is not JSON)") from None
    if isinstance(data, dict) and data.get("kind") in ("battery", "battery comparison"):
        raise UsageError(
            f"{path}: is about a bias battery: `jevbias battery compare A B` takes files of `jevbias battery "
            "report --out`"
        )
    if not isinstance(data, dict) or "version" not in data or "run" not in data:
        raise UsageError(f"{path}: not a report of `jevbias analyse` (it has no version and run)")
    version = data["version"]
    if not isinstance(version, int) or isinstance(version, bool) or version < REPORT_VERSION:
        raise UsageError(
            f"{path}: written by an older jevbias (format {version!r}, this one reads {REPORT_VERSION}); "
            "analyse the run again"
        )
    if version > REPORT_VERSION:
        raise UsageError(
            f"{path}: written by a newer jevbias (format {version}, this one reads {REPORT_VERSION}); "
            "update jevbias"
        )
    try:
        report = RunReport.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"{path}: not a whole report: {place(first['loc'])}: {first['msg']}") from None
    fault = find_fault(report)
    if fault is not None:
        raise UsageError(f"{path}: not a whole report: {fault}")
    return report
