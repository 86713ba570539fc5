"""A report in the terminal: the sentences of the page, in the order in which they have to be believed."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.cautions import caution
from jevbias.publish.decisions import decided, decision_line, decision_rule, flips
from jevbias.publish.factorial import factorial_headlines
from jevbias.publish.failures import by_level, failures_sentence, level_line, levels_sentence
from jevbias.publish.false_positives import controls_sentence, placebo_sentence
from jevbias.publish.finding_sentences import (
    findings_sentence,
    question_sentence,
    rule,
    smallest_effects,
)
from jevbias.publish.findings import Reading, swap_name
from jevbias.publish.findings_table import findings_table
from jevbias.publish.hypotheses import (
    broken_seal,
    hypotheses_sentence,
    hypothesis_line,
    judged_rows,
)
from jevbias.publish.measured import answers_warning, measured_sentence
from jevbias.publish.noise_checks import noise_checks, noise_sentence
from jevbias.publish.plain_text import printable
from jevbias.publish.reach import reach_sentences
from jevbias.publish.terminal import INDENT, ascii_signs, heading, indented
from jevbias.publish.validity import composition_sentence, validity_sentence
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport

MOST_DECISIONS = 5
COLUMNS = (
    "delta: swap minus anchor, below 0 is worse; +/-: half of its 95% noise interval; claims: those shown; "
    "bases down/up: how many bases were answered lower and higher."
)


def headlines(report: RunReport, *, top: int = 10) -> RenderableType:
    """What was measured, what makes it believable, the `top` findings by verdict, failures and notes.

    A section that has nothing to say is left out. Everything goes through `Text`, so nothing a model or a
    catalogue wrote is read as markup; minus signs are ASCII, so that the output can be searched and parsed.
    """
    reading = Reading(report)
    run = report.run
    title = ascii_signs(printable(run.name))
    parts: list[RenderableType] = [
        Text.assemble((title, "bold"), f"  seed {run.seed}, plan {printable(run.plan_hash)[:12]}"),
        *_said("Measured", f"{measured_sentence(run)} {_instrument(report)}", answers_warning(run) or ""),
        *_said("Noise floor", noise_sentence(report), *noise_checks(report)),
        *_said("Validity", validity_sentence(report), composition_sentence(report)),
    ]
    if report.factorial is None:
        parts += [
            *_said("False positives", controls_sentence(reading)),
            *_said("Placebos", placebo_sentence(reading)),
            *_hypotheses(report),
            *_findings(reading, max(top, 0)),
            *_decisions(reading, min(max(top, 0), MOST_DECISIONS)),
        ]
    else:
        parts.append(factorial_headlines(report, max(top, 0)))
    if _has_failures(report):
        found = [level_line(row) for row in by_level(report) if row.significant]
        parts += _said("Failures", failures_sentence(report), levels_sentence(report), *found[:top])
    if report.notes:
        parts += _said("Notes", *(f"- {printable(note)}" for note in report.notes))
    return Group(*parts)


def _said(title: str, *sentences: str) -> list[RenderableType]:
    """A section; nothing where no sentence says anything."""
    lines = [indented(sentence) for sentence in sentences if sentence]
    return [*heading(title), *lines] if lines else []


def _hypotheses(report: RunReport) -> list[RenderableType]:
    hypotheses = report.hypotheses
    if hypotheses is None:
        return []
    rows = [f"- {hypothesis_line(row)}" for row in judged_rows(hypotheses)]
    return _said("Hypotheses", hypotheses_sentence(hypotheses), broken_seal(hypotheses), *rows)


def _findings(reading: Reading, top: int) -> list[RenderableType]:
    parts = _said("Findings", findings_sentence(reading))
    if reading.nothing_pooled:
        parts.append(indented(question_sentence(reading)))
        listed = reading.found_on_questions
    else:
        listed = reading.found
    shown = listed[:top]
    parts += [indented(text, "dim") for text in (rule(reading), COLUMNS if shown else "") if text]
    if shown:
        parts.append(Padding(findings_table(reading, shown), (1, 0, 1, INDENT)))
    hidden = len(listed) - len(shown)
    if hidden:
        parts.append(indented(f"{figures.count(hidden)} more on the page and in the report."))
    if not listed:
        parts.extend(_closest(reading))
    if reading.per_question and reading.has_verdicts and not reading.nothing_pooled:
        parts.append(indented(question_sentence(reading)))
    effects = smallest_effects(reading)
    if effects:
        parts.append(indented(effects))
    if reading.report.comparisons:
        explained = (reach_sentences(reading.report), caution(reading))
        parts.extend(indented(text, "dim") for text in explained if text)
    return parts


def _closest(reading: Reading) -> list[RenderableType]:
    """Where nothing is listed: the comparison that came closest, so that a null has a size."""
    rows = reading.visible_on_questions if reading.nothing_pooled else reading.visible
    tested = [row for row in rows if row.delta is not None and row.verdict != "withheld"]
    if not tested or reading.criterion == "none" or not reading.has_verdicts:
        return []
    row = min(tested, key=lambda row: (row.q is None, row.q or 0.0, -abs(row.delta or 0.0)))
    q = "" if row.q is None else f", q {figures.p_value(row.q)}"
    return [
        indented(
            f"The closest: {swap_name(row)} under {printable(row.condition)}, {figures.delta(row.delta)}{q} "
            f"({reading.outcome_text(row)}{_would_have_seen(row)})."
        )
    ]


def _would_have_seen(row: Comparison) -> str:
    effect = row.mde_noise_adjusted
    return "" if effect is None else f"; would have shown an effect of {figures.spread(effect)} beyond noise"


def _decisions(reading: Reading, most: int) -> list[RenderableType]:
    rows = decided(reading)
    if not rows or not most:
        return []
    flipping = [row for row in rows if flips(row)]
    threshold = decision_rule(reading.report.run.threshold)
    if not flipping:
        findings = figures.counted(len(rows), "finding")
        return _said("Decisions", f"{threshold} None of the {findings} on yes/no questions flips one.")
    lines = [f"- {decision_line(row)}" for row in flipping[:most]]
    cut = len(flipping) - len(lines)
    more = f"{figures.count(cut)} more on the page and in the report." if cut else ""
    return _said("Decisions", threshold, *lines, more)


def _instrument(report: RunReport) -> str:
    run = report.run
    instrument = printable(run.instrument).strip()
    return f"Asked through {printable(run.driver)}{f': {instrument}' if instrument else ''}"


def _has_failures(report: RunReport) -> bool:
    failures = report.failures
    return (
        report.run.answered < report.run.calls
        or any(failures.missing_answers.values())
        or bool(failures.by_level)
    )
