"""FINDINGS-sparrow.md: every number of the text is looked up in the reports, none is typed."""

from __future__ import annotations

from collections.abc import Sequence

from findings.embedded import Embedded, EmbeddedRun
from findings.shipped import Shipped
from findings.writing import text_environment
from jevbias.publish import figures
from jevbias.report.compared import ComparedRow
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import ValidityRow
from jevbias.report.validity_rule import SMALLEST_SPAN

TEXT = "FINDINGS-sparrow.md"
TITLE = "What the shipped runs of the embedded models found"
PAGES = {
    "the general model": "index.html",
    "the robot model": "robot.html",
    "both compared": "comparison.html",
}
LEADING = 3
"""Placebos listed per model."""


def embedded_text(shipped: Shipped) -> str:
    """The Markdown for the root of the project; the same reports give the same bytes."""
    both = Embedded(shipped)
    environment = text_environment()
    environment.filters.update(
        p=figures.p_value, interval=figures.interval, duration=figures.duration, pooled_cells=_pooled_cells
    )
    environment.globals.update(zip=zip, names=_names, means=_means, flag=_flag, beyond=_beyond, swap_of=_swap)
    environment.globals.update(swap_cell=_swap_cell, share=_share, leading=LEADING, limit=SMALLEST_SPAN)
    text = environment.get_template("sparrow.md.j2").render(
        title=TITLE,
        nav=_nav(),
        both=both,
        a=both.first,
        b=both.second,
        p=both.second.placebo_rows[0],
        attributes=both.attributes(),
    )
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip() + "\n"


def _nav() -> str:
    pages = figures.listed([f"[{says}](docs/{name})" for says, name in PAGES.items()])
    return f"As pages: {pages}. What others published about large models: [FINDINGS.md](FINDINGS.md)."


def _names(names: Sequence[str]) -> str:
    return figures.listed([f"`{name}`" for name in names])


def _means(row: ValidityRow) -> str:
    return " | ".join(figures.level(row.means[variant]) for variant in ("weak", "mid", "strong"))


def _flag(row: ValidityRow) -> str:
    return f"{row.flag}, not monotone" if row.non_monotone and row.flag == "ok" else row.flag


def _pooled_cells(row: Comparison) -> str:
    level = f"`{row.level}`" + _where(row.condition)
    return f"{level} | {figures.delta(row.delta)} | {figures.interval(row.ci_people)}"


def _swap(row: Comparison | ComparedRow) -> str:
    return f"{row.attribute}={row.level}"


def _swap_cell(row: Comparison) -> str:
    return f"`{_swap(row)}`" + _where(row.condition)


def _where(condition: str) -> str:
    return "" if condition == "full" else f" ({condition.replace('_', ' ')})"


def _share(some: Sequence[Comparison], of: Sequence[Comparison]) -> str:
    return f"{figures.count(len(some))} ({figures.share(len(some) / len(of))})"


def _beyond(run: EmbeddedRun, row: Comparison) -> str:
    if row.condition != "full":
        return "not asked"
    return "yes" if run.is_beyond(row) else "no"
