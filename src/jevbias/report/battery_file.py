"""Reading a report of `jevbias battery report --out` back."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from jevbias.errors import UsageError
from jevbias.report.battery import BATTERY_REPORT_VERSION, BatteryReport

_WANTED = "not a report of `jevbias battery report`"


def read_battery_report(path: Path) -> BatteryReport:
    """Read a report file. Raises UsageError in one line when it is not a report of this version."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror or error})") from None
    try:
        data = from_json(content, allow_inf_nan=False)
    except ValueError:
        raise UsageError(f"{path}: {_WANTED} (it is not JSON)") from None
    if not isinstance(data, dict) or data.get("kind") != "battery" or "per_axis" not in data:
        raise UsageError(f"{path}: {_WANTED} (it has no per_axis)")
    version = data.get("version")
    if version != BATTERY_REPORT_VERSION:
        known = f"format {version!r}, this one reads {BATTERY_REPORT_VERSION}"
        raise UsageError(f"{path}: written by another jevbias ({known}); report the battery again")
    try:
        return BatteryReport.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: not a whole report: {where}: {first['msg']}") from None
