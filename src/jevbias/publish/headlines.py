"""A report in the terminal: the sentences of the page, in the order in which they have to be believed."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.checks import (
    controls_sentence,
    failures_sentence,
    noise_sentence,
    validity_sentence,
)
from jevbias.publish.findings import Reading, swap_name
from jevbias.publish.measured import measured_sentence
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport


def headlines(report: RunReport, *, top: int = 10) -> RenderableType:
    """What was measured, noise floor, validity, false positives, the `top` findings, failures and notes.

    Everything goes through `Text`, so nothing a model or a catalogue wrote is read as markup; minus signs are
    ASCII, so that the output can be searched and parsed.
    """
    reading = Reading(report)
    run = report.run
    parts: list[RenderableType] = [
        Text.assemble(
            (_ascii(printable(run.name)), "bold"), f"  seed {run.seed}, plan {printable(run.plan_hash)[:12]}"
        ),
        *_said("Measured", f"{measured_sentence(run)} {_instrument(report)}"),
        *_said("Noise floor", noise_sentence(report)),
        *_said("Validity", validity_sentence(report)),
        *_said("False positives", controls_sentence(reading)),
        *_said("Findings", reading.sentence),
    ]
    shown = reading.found[: max(top, 0)]
    if shown:
        parts.append(Padding(_table(reading, shown), (1, 0, 1, 2)))
    hidden = len(reading.found) - len(shown)
    if hidden:
        parts.append(_indented(f"{figures.count(hidden)} more on the page and in the report."))
    if not shown and not hidden:
        parts.extend(_closest(reading))
    if reading.per_question:
        parts.append(_indented(reading.question_sentence))
    parts.append(_indented(f"{reading.rule} {reading.caution}".strip(), "dim"))
    if _has_failures(report):
        parts.extend(_said("Failures", failures_sentence(report)))
    if report.notes:
        parts.extend(_said("Notes", ""))
        parts.extend(_indented(f"- {_ascii(printable(note))}") for note in report.notes)
    return Group(*parts)


def _said(heading: str, sentence: str) -> list[RenderableType]:
    lines: list[RenderableType] = [Text(""), Text(heading, style="bold")]
    if sentence:
        lines.append(_indented(sentence))
    return lines


def _indented(sentence: str, style: str = "") -> Padding:
    return Padding(Text(_ascii(sentence), style=style), (0, 0, 0, 2))


def _table(reading: Reading, rows: list[Comparison]) -> Table:
    exact = reading.criterion == "margin"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    table.add_column("swap", overflow="fold")
    table.add_column("condition", overflow="fold")
    table.add_column("delta", justify="right", no_wrap=True)
    if not exact:
        table.add_column("95%\n+/-", justify="right", no_wrap=True)
        table.add_column("q", justify="right", no_wrap=True)
    table.add_column("bases\ndown/up", justify="right", no_wrap=True)
    for row in rows:
        style = "dark_orange3" if (row.delta or 0) < 0 else "dodger_blue2"
        cells = [
            Text(_ascii(f"{printable(row.attribute)}={printable(row.level)}")),
            Text(_ascii(printable(row.condition))),
            Text(_ascii(figures.delta(row.delta)), style=style),
        ]
        if not exact:
            cells += [Text(figures.half_width(row.ci_noise)), Text(figures.p_value(row.q))]
        table.add_row(*cells, Text(f"{row.bases_down}/{row.bases_up}"))
    return table


def _closest(reading: Reading) -> list[RenderableType]:
    """Where nothing was found: the comparison that came closest, so that a null has a size."""
    tested = [row for row in reading.visible if reading.outcome(row) != "untested"]
    if not tested:
        return []
    row = max(tested, key=lambda row: abs(row.delta or 0.0)) if reading.criterion == "margin" else tested[0]
    q = "" if row.q is None else f", q {figures.p_value(row.q)}"
    return [
        _indented(
            f"The closest: {swap_name(row)} under {printable(row.condition)}, {figures.delta(row.delta)}{q} "
            f"({reading.outcome_text(row)})."
        )
    ]


def _instrument(report: RunReport) -> str:
    run = report.run
    instrument = printable(run.instrument).strip()
    return f"Asked through {printable(run.driver)}{f': {instrument}' if instrument else ''}"


def _has_failures(report: RunReport) -> bool:
    return report.run.answered < report.run.calls or any(report.failures.missing_answers.values())


def _ascii(text: str) -> str:
    return text.replace(figures.MINUS, "-")
