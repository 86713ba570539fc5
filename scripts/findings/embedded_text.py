"""FINDINGS-sparrow.md: every number of the text is looked up in the reports, none is typed."""

from __future__ import annotations

from collections.abc import Sequence

from findings.embedded import Embedded, EmbeddedRun
from findings.levels import all_alike, opposites_alike, other_levels, strongest_with_others
from findings.shipped import Shipped
from findings.writing import PAGES as PUBLISHED
from findings.writing import TITLES, text_environment
from jevbias.publish import figures
from jevbias.report.compared import ComparedRow
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import ValidityRow
from jevbias.report.validity_rule import SMALLEST_SPAN

TEXT = "FINDINGS-sparrow.md"
TITLE = "What the shipped runs of the embedded models found"
PAGE = "findings-sparrow.html"
PAGES = {
    "the general model": "index.html",
    "the robot model": "robot.html",
    "both compared": "comparison.html",
}
LEADING = 3
"""Placebos listed per model."""


def embedded_text(shipped: Shipped, *, on_page: bool = False) -> str:
    """The Markdown for the root of the project or, with other links, for its page; the same reports give the
    same bytes.
    """
    both = Embedded(shipped)
    environment = text_environment()
    environment.filters.update(
        p=figures.p_value, interval=figures.interval, duration=figures.duration, pooled_cells=_pooled_cells
    )
    environment.globals.update(zip=zip, names=_names, means=_means, flag=_flag, beyond=_beyond, swap_of=_swap)
    environment.globals.update(swap_cell=_swap_cell, share=_share, leading=LEADING, limit=SMALLEST_SPAN)
    environment.globals.update(all_alike=all_alike, with_others=strongest_with_others, alike=_alike)
    environment.globals.update(opposites=_opposites, questions_of=_questions, leading_pairs=1)
    text = environment.get_template("sparrow.md.j2").render(
        title=TITLE,
        nav=_nav(on_page),
        seed="`seed`" if on_page else "[seed](seed)",
        embedded="`docs/embedded`" if on_page else "[docs/embedded](docs/embedded)",
        both=both,
        a=both.first,
        b=both.second,
        p=both.second.placebo_rows[0],
        attributes=both.attributes(),
    )
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip() + "\n"


def _nav(on_page: bool) -> str:
    folder = "" if on_page else "docs/"
    reports = figures.listed([f"[{says}]({folder}{name})" for says, name in PAGES.items()])
    if on_page:
        others = figures.listed([f"[{TITLES[key]}]({name})" for key, name in PUBLISHED.items()])
        return f"The reports: {reports}. What others published about large models: {others}."
    return (
        f"As a page: [docs/{PAGE}](docs/{PAGE}). The reports: {reports}. "
        "What others published about large models: [FINDINGS.md](FINDINGS.md)."
    )


def _names(names: Sequence[str]) -> str:
    return figures.listed([f"`{name}`" for name in names])


def _questions(rows: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(row.question or "" for row in rows))


def _alike(run: EmbeddedRun, row: Comparison) -> str:
    same, others = other_levels(run, row)
    return f"{len(same)} of {len(others)}" if others else "no others"


def _opposites(run: EmbeddedRun, most: int | None = None) -> str:
    return figures.listed(
        [
            f"`{_swap(pair.first)}` ({figures.delta(pair.first.delta)}) and `{pair.second.level}` "
            f"({figures.delta(pair.second.delta)}) are both `{pair.first.verdict}` on `{pair.first.question}`"
            for pair in opposites_alike(run)[:most]
        ]
    )


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
