"""Runs side by side in the terminal: who was asked, what can be believed, each run beside the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.compared import (
    controls_text,
    difference_text,
    noise_text,
    outcome_sentence,
    pair_sentence,
    pair_warnings,
    power_sentence,
    side_text,
    sign_text,
    signs_sentence,
    telling,
    verdict_lines,
)
from jevbias.publish.compared_facts import run_facts
from jevbias.publish.plain_text import printable
from jevbias.publish.terminal import Indented, ascii_signs, heading, indented
from jevbias.report.compared import ComparedPair, ComparedRow, ComparedRuns

STYLES = {"differs": "bold", "differs here": "", "differs little": "dim", "alike": "dim", "unclear": "dim"}


def compared_headlines(compared: ComparedRuns, *, top: int = 10) -> RenderableType:
    """The runs in a table, what makes them believable, and per run beside the first the `top` comparisons;
    of a run beside itself only that it is.
    """
    if all(_only_repeats(pair) for pair in compared.pairs):
        return Group(*(Indented(Text(ascii_signs(_repeated(pair))), by=0) for pair in compared.pairs))
    parts: list[RenderableType] = [*heading("Runs"), _runs(compared)]
    parts += [*heading("Can it be believed"), _belief(compared)]
    if verdict_lines(compared):
        parts += [*heading("Verdicts, pooled and visible"), _table(compared, verdict_lines(compared))]
    for pair in compared.pairs:
        parts += _pair(pair, max(top, 0))
    return Group(*parts)


def _only_repeats(pair: ComparedPair) -> bool:
    """Whether a run stands beside itself and differs in nothing: its rows would only be said twice."""
    return pair.same_run and not any(row.difference for row in pair.rows)


def _repeated(pair: ComparedPair) -> str:
    return f"{pair_sentence(pair)} {outcome_sentence(pair) if pair.identical else ''}".rstrip()


def _pair(pair: ComparedPair, top: int) -> list[RenderableType]:
    title = heading(ascii_signs(f"{printable(pair.second)} beside {printable(pair.first)}"))
    if _only_repeats(pair):
        return [*title, indented(_repeated(pair))]
    said = [
        pair_sentence(pair),
        *(f"Careful. {text}" for text in pair_warnings(pair)),
        outcome_sentence(pair),
        power_sentence(pair),
        signs_sentence(pair.signs),
        signs_sentence(pair.question_signs, on_questions=True),
    ]
    parts: list[RenderableType] = [
        *title,
        *(indented(sentence) for sentence in said if sentence),
    ]
    pooled = [row for row in pair.rows if row.question is None and row.visible][:top]
    on_questions = telling([row for row in pair.rows if row.question is not None])
    for rows, name in ((pooled, ""), (on_questions[:top], "On single questions:")):
        if rows and name:
            parts.append(indented(name))
        for row in rows:
            parts += _row(pair, row)
    if len(on_questions) > top:
        more = figures.counted(len(on_questions) - top, "more comparison")
        parts.append(indented(f"{more} on single questions: --json holds them all."))
    return parts


def _row(pair: ComparedPair, row: ComparedRow) -> Iterable[RenderableType]:
    question = f" on {printable(row.question)}" if row.question else ""
    name = f"{printable(row.attribute)}={printable(row.level)}, {printable(row.condition)}{question}"
    outcome = "" if row.outcome == "not compared" else f": {row.outcome}"
    yield indented(f"- {name}{outcome}, {sign_text(row)} sign", STYLES.get(row.outcome, ""))
    for label, text in (
        (printable(pair.first), side_text(row, second=False)),
        (printable(pair.second), side_text(row, second=True)),
        ("", difference_text(row)),
    ):
        if text:
            line = f"{label}: {text}" if label else text
            yield Indented(Text(ascii_signs(line), style="dim"), 6)


def _runs(compared: ComparedRuns) -> RenderableType:
    facts = [run_facts(run) for run in compared.runs]
    lines = [(name, [here[name] for here in facts]) for name in facts[0]]
    return _table(compared, lines)


def _belief(compared: ComparedRuns) -> RenderableType:
    lines = [
        ("noise floor (SD)", [noise_text(run) for run in compared.runs]),
        ("false positives", [controls_text(run) for run in compared.runs]),
    ]
    flags: list[str] = []
    for row in compared.questions:
        flags.extend(flag for flag in row.flags if flag and flag not in flags)
    for flag in flags:
        counts = [
            sum(row.flags[place] == flag for row in compared.questions) for place in range(len(compared.runs))
        ]
        lines.append((f"questions {flag}", [figures.count(number) for number in counts]))
    return _table(compared, lines)


def _table(compared: ComparedRuns, lines: Sequence[tuple[str, Sequence[str]]]) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    for _ in compared.runs:
        table.add_column(overflow="fold")
    table.add_row("", *(Text(ascii_signs(printable(run.label)), style="bold") for run in compared.runs))
    for name, cells in lines:
        table.add_row(Text(name), *(Text(ascii_signs(cell)) for cell in cells))
    return Indented(table)
