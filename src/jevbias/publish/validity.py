"""Do the questions respond to the case: the validity check in sentences, with the rule it goes by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import RunReport, ValidityRow
from jevbias.report.validity_rule import (
    MIDPOINT_REACH,
    SMALLEST_SPAN,
    UNIFORM_NOISE,
    UNIFORM_RANGE,
    WITHHELD,
)

MOST_NAMED = 3


def validity_sentence(report: RunReport) -> str:
    """How many questions respond to the case, and which are withheld."""
    total = len(report.validity)
    if unanswered(report):
        return "No question was answered, so none could be checked."
    if untested(report):
        return (
            f"Whether the {figures.counted(total, 'question')} respond to the strength of the case is "
            "unknown, because answers came back for only one variant of each case; the pooled scores use all "
            "of them."
        )
    ok = responding(report)
    verb = "responds" if ok == 1 else "respond"
    sentence = (
        f"{figures.count(ok)} of {figures.counted(total, 'question')} {verb} to the strength of the case"
        f"{pooled_among(report)}"
    )
    withheld = [row for row in report.validity if row.flag in WITHHELD]
    if withheld:
        sentence += f"; withheld: {_named_or_counted(withheld)}"
    aside = [row for row in report.validity if not row.pooled and row.flag not in WITHHELD]
    if aside:
        sentence += f"; reported but not pooled: {_named_or_counted(aside)}"
    return f"{sentence}."


def composition_sentence(report: RunReport) -> str:
    """What of the spans may be whom each variant was asked about; empty where that is the same people."""
    rows = [row for row in report.validity if row.mixes_bases]
    if not rows:
        return ""
    met = sorted({number for row in rows for number in row.bases.values()})
    each = figures.listed([figures.count(number) for number in met])
    said = (
        f"The variants of a case were met by different mixes of people (each by {each} of "
        f"{figures.counted(report.run.bases or 0, 'base')}), so that the span of a question is a difference "
        "between people too, which no flag allows for."
    )
    told = [row for row in rows if row.base_reach is not None]
    if not told:
        return f"{said} How much of it that is cannot be told: no variant met two bases."
    within = [row for row in told if row.within_bases]
    ok = figures.count(sum(row.flag == "ok" for row in within))
    of = figures.counted(len(told), "question")
    return (
        f"{said} For {figures.count(len(within))} of {of} it is no larger than that alone may make it "
        "(95%, from the SD between bases that met the same variant): for "
        f"{ok} of the {figures.count(responding(report))} that respond."
    )


def responding(report: RunReport) -> int:
    """How many questions respond to the case: favourability rises with it, by more than the noise."""
    return sum(row.flag == "ok" for row in report.validity)


def pooled_among(report: RunReport) -> str:
    """`, 5 of them pooled`: how many of those that respond enter the pooled scores; empty if all do."""
    pooled = [row.pooled for row in report.validity if row.flag == "ok"]
    if all(pooled):
        return ""
    if len(pooled) == 1:
        return ", and is not pooled"
    return f", {figures.count(sum(pooled)) if any(pooled) else 'none'} of them pooled"


def unanswered(report: RunReport) -> bool:
    """Whether no question of the run ever came back."""
    return not any(row.means for row in report.validity)


def untested(report: RunReport) -> bool:
    """Whether no question met two variants of its case."""
    return all(row.flag == "untested" for row in report.validity)


def aside_for(row: ValidityRow) -> str:
    """Why a question is not pooled: its flag, or that it is not monotone in the case."""
    return "non-monotone" if row.flag == "ok" and row.non_monotone else row.flag


def _named_or_counted(rows: Sequence[ValidityRow]) -> str:
    """A few questions by name, each with its flag; more than that flag by flag, as the table names them."""
    if len(rows) <= MOST_NAMED:
        return figures.listed([f"{printable(row.question)} ({aside_for(row)})" for row in rows])
    flags = Counter(map(aside_for, rows)).most_common()
    return figures.listed([f"{figures.count(number)} {flag}" for flag, number in flags])


def validity_rule() -> str:
    """The rule behind the flags, with its numbers."""
    return (
        "Span is the mean favourability of the strongest variant less that of the weakest. The first that "
        f"applies: a span of at least {figures.plain(SMALLEST_SPAN)} and at least twice the noise SD is ok, "
        "the same downwards inverted; every mean within "
        f"{figures.plain(MIDPOINT_REACH)} of one half is midpoint; all means within "
        f"{figures.plain(UNIFORM_RANGE)} of each other, with a noise SD of at most "
        f"{figures.plain(UNIFORM_NOISE)}, is uniform; anything else is flat. Non-monotone: the middle "
        "variant lies outside the other two by more than twice the noise SD."
    )
