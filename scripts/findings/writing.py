"""The findings as Markdown: every number of a text is looked up, none is typed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from findings.published import PublishedRun
from findings.reading import ALPHA, MARGIN, HandlingRepair, Reading, ReadRow, SideBySide, misread_questions
from findings.rerun import CLAUDE, Plans, Rerun
from findings.sections import MARKER, slug
from jevbias.drain.money import money
from jevbias.plan.estimate import TOKEN_MARGIN
from jevbias.publish import figures
from jevbias.stats.power import POWER

TEMPLATES = Path(__file__).parent / "templates"
TITLES = {
    "jev": "What the published Jev run found",
    "claude": "What the published run on Claude Opus 5 found, read against Jev",
}
TEXTS = {"jev": "FINDINGS.md", "claude": "FINDINGS-claude.md"}
PAGES = {"jev": "findings-jev.html", "claude": "findings-claude.html"}
POINTING = {
    "religion": ("religious_dress",),
    "ethnicity": ("name_culture", "accent", "languages", "caste_signal", "immigration_status"),
    "gender": ("trans_status", "caring_load=expecting"),
}
"""Attributes, or single swaps, that can tell a reader of what the attribute of the key would state."""
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


class Findings:
    """Both runs, read once, with what every text and page draws on."""

    def __init__(self, publisher: str, runs: dict[str, PublishedRun], plans: Plans):
        self.publisher = publisher
        self.runs = runs
        self.readings = {key: Reading(run) for key, run in runs.items()}
        self.side = SideBySide(self.readings["jev"], self.readings["claude"])
        self.misread = misread_questions(runs["jev"])
        questions = plans.catalogue.scenarios["credibility"].questions
        self.repair = HandlingRepair(self.readings["jev"], len(questions))
        self.rerun = Rerun(plans, runs)


def text_of(findings: Findings, key: str, *, on_page: bool = False) -> str:
    """The Markdown of one run, for the root of the project or, with other links, for its page."""
    reading = findings.readings[key]
    other_key = "claude" if key == "jev" else "jev"
    names = [read for read in reading.significant if read.row.condition == "name_only"]
    link = PAGES[other_key] if on_page else TEXTS[other_key]
    environment = text_environment()
    environment.globals.update(
        words_of=_words_of,
        runs=findings.runs,
        d=_Again(findings.rerun),
        alpha=ALPHA,
        margin=MARGIN,
        power=POWER,
        table_of=_table,
        listed=_listed,
        top=_top,
        both=_shared,
    )
    text = environment.get_template(f"{key}.md.j2").render(
        title=TITLES[key],
        publisher=findings.publisher,
        run=reading.run,
        p=reading.run.figures,
        r=reading,
        other=findings.readings[other_key],
        jev=findings.runs["jev"].figures,
        jev_questions={question["question"]: question for question in findings.runs["jev"].questions},
        side=findings.side,
        leading=_codes(sorted(findings.side.leading)),
        misread=findings.misread,
        repair=findings.repair,
        pointing={key: _pointing(reading.standing, what) for key, what in POINTING.items()},
        names_found=names,
        names_standing=[read for read in names if read.stands],
        names_largest=max((abs(read.row.delta) for read in names), default=0.0),
        nav="" if on_page else _nav(key, other_key),
        link_other=link,
        published="published/" if on_page else "docs/published/",
    )
    if not on_page:
        text = _charts_as_links(text, key)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip() + "\n"


class _Again:
    """`Rerun` with the few things that only a text needs."""

    def __init__(self, rerun: Rerun):
        self._rerun = rerun
        self.claude_model = CLAUDE[1]
        self.token_margin = TOKEN_MARGIN
        self.jev_limit = math.ceil(max(rerun.jev_cost(rerun.deep)[1], rerun.jev_at_published_tokens))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rerun, name)


def text_environment() -> Environment:
    """Templates of texts, with the filters that write figures."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown; the page escapes what it renders
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
        count=figures.count,
        plain=figures.plain,
        number=_number,
        signed=figures.delta,
        size=figures.spread,
        fine=lambda value: f"{value:.5f}",
        tenth=lambda value: f"{value:.1f}",
        two=lambda value: f"{value:.2f}",
        percent=lambda value, places=1: f"{100 * value:.{places}f}%",
        thousand=lambda value: figures.count(round(value, -3)),
        millions=lambda value: f"{value / 1e6:.1f} million",
        dollars=lambda value, places=2: f"${value:,.{places}f}",
        price=lambda value: f"${value:g}",
        range=lambda bounds: f"{money(bounds[0])} to {money(bounds[1])}",
        day=_day,
        words=lambda text: text.replace("_", " "),
        names=lambda names: figures.listed([f"`{name}`" for name in names], "or"),
    )
    return made


def _day(text: str) -> str:
    return figures.moment(text).partition(",")[0] if date.fromisoformat(text) else text


def _number(value: int) -> str:
    return NUMBERS[value] if 0 <= value < len(NUMBERS) else figures.count(value)


def _name(read: ReadRow) -> str:
    where = " (name only)" if read.row.condition == "name_only" else ""
    return f"`{read.row.swap}`{where}"


def _top(rows: Sequence[ReadRow], most: int) -> str:
    largest = sorted(rows, key=lambda read: -abs(read.row.delta))[:most]
    return figures.listed([f"{_name(read)} {figures.delta(read.row.delta)}" for read in largest])


def _listed(rows: Sequence[ReadRow], without: Sequence[ReadRow] = ()) -> str:
    kept = [read for read in rows if read not in without]
    return ", ".join(f"{_name(read)} {figures.delta(read.row.delta)}" for read in kept) or "none"


def _words_of(rows: Sequence[ReadRow]) -> str:
    return _codes([read.row.swap for read in rows])


def _pointing(rows: Sequence[ReadRow], what: Sequence[str]) -> list[ReadRow]:
    return [read for read in rows if read.row.attribute in what or read.row.swap in what]


def _charts_as_links(text: str, key: str) -> str:
    """A page has charts where its Markdown says where to see them."""
    sections = text.split("\n## ")
    for place, section in enumerate(sections):
        address = f"docs/{PAGES[key]}#{slug(section.partition(chr(10))[0])}"
        sections[place] = MARKER.sub(f"The chart that belongs here is [on the page]({address}).", section)
    return "\n## ".join(sections)


def _shared(first: Sequence[ReadRow], second: Sequence[ReadRow]) -> int:
    return sum(read in second for read in first)


def _codes(names: Sequence[str]) -> str:
    return figures.listed([f"`{name}`" for name in names])


def _table(rows: Sequence[ReadRow]) -> str:
    lines = [
        "| swap | compared with | protected | difference | noise interval, stretched† | q as published |",
        "|---|---|---|---:|---|---:|",
    ]
    for read in rows:
        row = read.row
        lines.append(
            f"| {_name(read)} | {row.reference.replace('_', ' ')} | {'yes' if row.protected else 'no'} "
            f"| {figures.delta(row.delta)} | {figures.interval((read.low, read.high))} "
            f"| {figures.plain(row.q)} |"
        )
    return "\n".join(lines)


def _nav(key: str, other: str) -> str:
    return f"As a page: [docs/{PAGES[key]}](docs/{PAGES[key]}). See also [{TITLES[other]}]({TEXTS[other]})."
