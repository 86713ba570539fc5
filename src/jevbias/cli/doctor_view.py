"""How an examination and a list of models look in a terminal and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.text import Text

from jevbias.doctor.examine import Examination
from jevbias.doctor.models import UsableModels
from jevbias.drivers.models_listing import ListedModel

_STYLES = {"ok": "green", "warning": "yellow", "failed": "bold red", "untried": "dim"}
_STATE_WIDTH = 9
_NAME_WIDTH = 20
_NARROWEST = 40


def examination_text(examination: Examination, width: int) -> Text:
    """A line or more for each check: its state, its name, what was found, and below that what to do."""
    text = Text()
    for check in examination.checks:
        text.append(f"{check.state:<{_STATE_WIDTH}}", _STYLES[check.state])
        text.append(f"{check.name:<{_NAME_WIDTH}}", "bold")
        indent = _STATE_WIDTH + _NAME_WIDTH
        text.append(_wrapped(check.found, indent, width) + "\n")
        if check.advice is not None:
            text.append(" " * indent + _wrapped(f"→ {check.advice}", indent, width) + "\n")
    text.rstrip()
    return text


def examination_json(examination: Examination) -> dict[str, Any]:
    """The same as JSON-ready data; `failed` is how many checks failed."""
    return {
        "failed": examination.failed,
        "checks": [asdict(check) for check in examination.checks],
    }


def verdict(examination: Examination) -> str:
    """The last line: whether a run could start."""
    if examination.failed:
        many = "checks" if examination.failed > 1 else "check"
        return f"{examination.failed} {many} failed: a run could not get through"
    warnings = sum(check.state == "warning" for check in examination.checks)
    return f"nothing failed: a run can start{f' (warnings: {warnings})' if warnings else ''}"


def models_text(found: UsableModels, width: int) -> Text:
    """A table with a row for each model, and only the columns of which something is known and that matter to
    the driver. A name too long for its column has a line of its own, whole: it is what `--model` takes.
    """
    models = found.models or ()
    columns = [
        column
        for column in _COLUMNS
        if (found.writes_numbers or not column.of_chat)
        and any(column.value(model) is not None for model in models)
    ]
    cells = [[column.text(model) for column in columns] for model in models]
    widths = [max(len(column.heading), *(len(row[at]) for row in cells)) for at, column in enumerate(columns)]
    room = width - sum(widths) - 2 * len(columns)
    name_width = max(_NARROWEST // 2, min(room, max((len(model.name) for model in models), default=0)))

    def line(name: str, row: Sequence[str]) -> str:
        rest = "".join(f"  {cell:>{size}}" for cell, size in zip(row, widths, strict=True))
        gap = "\n" + " " * name_width if len(name) > name_width and columns else ""
        return f"{name:<{name_width}}{gap}{rest}".rstrip() if columns else name

    text = Text(line("model", [column.heading for column in columns]) + "\n", style="bold")
    lines = [line(model.name, row) for model, row in zip(models, cells, strict=True)]
    return Text.assemble(text, ("\n".join(lines), "not bold"))


def models_json(found: UsableModels) -> list[dict[str, Any]]:
    """The same as JSON-ready data; prices in US dollars a million tokens, None where nobody says."""
    return [
        {
            "model": model.name,
            "context": model.context,
            "input_price": model.input_price,
            "output_price": model.output_price,
            "structured_outputs": model.structured_outputs,
            "batches": model.batches,
        }
        for model in found.models or ()
    ]


def remarks(found: UsableModels) -> list[str]:
    """What is to be said about a list of models."""
    if found.models is None:
        return [f"{found.base_url} lists no models; name one with --model"]
    lines = []
    if not found.models and not found.others:
        lines.append(f"{found.base_url} lists no such model")
    if found.others:
        lacking = "support no structured outputs" if found.writes_numbers else "give no decisions"
        lines.append(f"left out: {found.others:,} that {lacking}")
    return lines


def _wrapped(content: str, indent: int, width: int) -> str:
    lines = textwrap.wrap(
        content, max(width - indent, _NARROWEST), break_long_words=False, break_on_hyphens=False
    )
    return f"\n{' ' * indent}".join(lines)


# Columns


@dataclass(frozen=True)
class _Column:
    heading: str
    value: Callable[[ListedModel], object]
    shown: Callable[[Any], str]
    of_chat: bool = False

    def text(self, model: ListedModel) -> str:
        value = self.value(model)
        return "n/a" if value is None else self.shown(value)


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def _dollars(value: float) -> str:
    return f"{value:,.6g}"


_COLUMNS = (
    _Column("context", lambda model: model.context, lambda tokens: f"{tokens:,}"),
    _Column("$/M in", lambda model: model.input_price, _dollars),
    _Column("$/M out", lambda model: model.output_price, _dollars),
    _Column("schema", lambda model: model.structured_outputs, _yes_or_no, of_chat=True),
    _Column("batch", lambda model: model.batches, _yes_or_no, of_chat=True),
)
