"""Whether a report that was read from a file can be one: what its types leave open.

Shares lie on [0, 1] and differences on [-1, 1], counts are not negative, the ends of an interval are in
order, no two rows of a section have one id. What a field can be stands in its type (`report.base`). It is
held here alone: no analysis pays for it, and none of a run that was paid for can fail by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple, get_args

from jevbias.report.base import ReportModel, Spelled, Within

Path = tuple[str | int, ...]

_COUNT = Within(0, 2**53, "0 or more and at most 2^53")
_FIGURE = Within(-1e20, 1e20, "between -1e20 and 1e20")


class _Rules(NamedTuple):
    """What the numbers and the texts of a field have to be."""

    numbers: Within | None = None
    texts: Spelled | None = None


def find_fault(report: ReportModel) -> str | None:
    """Where a report says what cannot be, and what may stand there: `comparisons.0.q: not between 0 and 1`.

    None for a sound one, as every report is that an analysis makes.
    """
    fault = next(_in_model(report, ()), None)
    if fault is None:
        return None
    path, says = fault
    return f"{place(path)}: {says}"


def place(path: Sequence[str | int]) -> str:
    """Where something stands in a report, in one line whatever its keys are: `comparisons.0.q`."""
    where = ".".join(str(part) for part in path)
    return where if where.isprintable() else where.encode("unicode_escape").decode("ascii")


def _in_model(model: ReportModel, path: Path) -> Iterator[tuple[Path, str]]:
    values = model.__dict__
    for name, rules in _rules(type(model)):
        value = values[name]
        kind = value.__class__
        if value is None or kind is bool:
            continue
        if kind is float or kind is int:
            rule = rules.numbers or (_COUNT if kind is int else _FIGURE)
            if not rule.least <= value <= rule.most:
                yield (*path, name), f"not {rule.says}"
        elif kind is not str or rules.texts:
            yield from _in_value(value, rules, (*path, name))


def _in_value(value: Any, rules: _Rules, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, ReportModel):
        yield from _in_model(value, path)
    elif isinstance(value, str):
        if rules.texts and not _SPELLED[rules.texts.form](value):
            yield path, f"not {_SAID[rules.texts.form]}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _in_value(key, rules, (*path, key))
            yield from _in_value(inner, rules, (*path, key))
    elif isinstance(value, list | tuple):
        yield from _repeated(value, path)
        for number, inner in enumerate(value):
            yield from _in_value(inner, rules, (*path, number))
        if isinstance(value, tuple) and value[0] > value[1]:
            yield path, "its ends are not in order"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        rule = rules.numbers or (_COUNT if isinstance(value, int) else _FIGURE)
        if not rule.least <= value <= rule.most:
            yield path, f"not {rule.says}"


def _repeated(rows: Sequence[Any], path: Path) -> Iterator[tuple[Path, str]]:
    """Rows without an id of their own."""
    seen: set[str] = set()
    for number, row in enumerate(rows):
        name = getattr(row, "id", None)
        if name is None:
            continue
        if not name.strip():
            yield (*path, number, "id"), "is empty"
        if name in seen:
            yield (*path, number, "id"), "another row has it too"
        seen.add(name)


@cache
def _rules(model: type[ReportModel]) -> tuple[tuple[str, _Rules], ...]:
    found = []
    for name, field in model.model_fields.items():
        marks = [*field.metadata, *_marks(field.annotation)]
        found.append(
            (
                name,
                _Rules(
                    next((mark for mark in marks if isinstance(mark, Within)), None),
                    next((mark for mark in marks if isinstance(mark, Spelled)), None),
                ),
            )
        )
    return tuple(found)


def _marks(annotation: Any) -> Iterator[Any]:
    """Whatever stands in an annotation at any depth, the marks of `Annotated` among it."""
    for part in get_args(annotation):
        yield part
        yield from _marks(part)


def _is_question(text: str) -> bool:
    scenario, _, question = text.partition(".")
    return bool(scenario.strip() and question.strip())


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True


_SPELLED = {"question": _is_question, "time": _is_time}
_SAID = {"question": "a question's name, scenario.question", "time": "a time in ISO 8601"}
