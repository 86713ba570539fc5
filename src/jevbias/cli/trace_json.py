"""A trace as JSON."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any


def trace_json(part: Any) -> Any:
    """JSON-ready data, named as `analysis.trace.evidence` names it; times are seconds since the epoch."""
    if is_dataclass(part):
        return {field.name: trace_json(getattr(part, field.name)) for field in fields(part) if field.repr}
    if isinstance(part, list | tuple):
        return [trace_json(value) for value in part]
    if isinstance(part, dict):
        return {key: trace_json(value) for key, value in part.items()}
    return part
