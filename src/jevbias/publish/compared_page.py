"""Runs side by side as one self-contained page that runs no script at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.compared import (
    OUTCOMES,
    controls_text,
    noise_text,
    outcome_sentence,
    pair_sentence,
    pair_warnings,
    power_sentence,
    signs_sentence,
    telling,
    verdict_lines,
)
from jevbias.publish.compared_facts import compare_command, run_facts
from jevbias.publish.compared_picture import Picture, picture
from jevbias.publish.compared_rows import RowView, row_view
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.measured import answering_model
from jevbias.publish.nav import nav_links
from jevbias.publish.plain_text import printable
from jevbias.publish.verdicts import MEANINGS
from jevbias.report.compared import ComparedPair, ComparedQuestion, ComparedRuns

STYLES = ("page.css", "tables.css", "compared.css", "small_screens.css", "print.css")
MOST_ON_QUESTIONS = 60


@dataclass(frozen=True)
class PairView:
    """One run beside the first."""

    anchor: str
    first: str
    second: str
    sentence: str
    warnings: tuple[str, ...]
    outcome: str
    more: tuple[str, ...]
    has_differences: bool
    general: bool
    rows: tuple[RowView, ...]
    picture: Picture | None
    on_questions: tuple[RowView, ...]
    questions_left: str
    controls: int
    meanings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Tile:
    """One figure above everything else, with what it says and the section that it comes from."""

    figure: str
    of: str
    name: str
    says: str
    section: str


@dataclass(frozen=True)
class Line:
    """A line of a table with a column for every run."""

    name: str
    cells: tuple[str, ...]
    counts: bool = True


def render_compared(
    compared: ComparedRuns, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()
) -> str:
    """The page of two or more runs, drawn from their comparison alone; the same one gives the same bytes.

    `title` replaces the heading; `nav` holds (label, address) pairs, such as each run's own page. Raises
    UsageError for an address that is neither relative nor https.
    """
    links = nav_links(nav)
    style = styles(STYLES)
    shown = printable(title).strip() if title else ""
    names = {run.label: run.run.name for run in compared.runs}
    pairs = tuple(_pair(number, pair, names) for number, pair in enumerate(compared.pairs, start=1))
    return (
        environment()
        .get_template("compared.html.j2")
        .render(
            title=shown or _heading(compared),
            version=compared.runs[0].run.jevbias_version,
            nav=links,
            labels=tuple(printable(run.label) for run in compared.runs),
            tiles=tuple(
                tile for number, pair in enumerate(compared.pairs, 1) for tile in _tiles(number, pair)
            ),
            measured=measured_sentence(compared),
            facts=_facts(compared),
            belief=_belief(compared),
            questions=tuple(_question(row) for row in compared.questions),
            verdicts=_lines(verdict_lines(compared)),
            question_verdicts=_lines(verdict_lines(compared, on_questions=True)),
            verdict_meanings=tuple(MEANINGS.items()),
            pairs=pairs,
            command=compare_command(compared),
            style=style,
            policy=policy(style),
        )
    )


def measured_sentence(compared: ComparedRuns) -> str:
    """Which models stand side by side."""
    named = [f"{answering_model(run.run)} ({printable(run.label)})" for run in compared.runs]
    return f"{figures.listed(named)}, side by side."


def _heading(compared: ComparedRuns) -> str:
    labels = dict.fromkeys(printable(run.label) for run in compared.runs)
    if len(labels) == 1:
        return f"{figures.listed(list(labels))} beside itself"
    return f"{figures.listed(list(labels))}: what changes when only the person does"


def _tiles(number: int, pair: ComparedPair) -> list[Tile]:
    section = f"pair-{number}"
    who = f"{printable(pair.second)} beside {printable(pair.first)}"
    tiles = [_moved_tile(pair, who, section)]
    rows = [row for row in pair.rows if row.visible and row.question is None]
    if pair.basis == "none":
        says = f"no difference is taken between these runs, and the section says why; {who}"
        tiles.append(Tile(figures.NOT_AVAILABLE, "", "Differences", says, section))
        return tiles
    differ = (
        ("Differ", ("differs",), "swaps on which the runs differ, beyond these people and cases")
        if pair.basis == "pairs"
        else (
            "Differ here",
            ("differs here",),
            "swaps on which the runs differ, beyond these people; the cases as they are",
        )
    )
    within = f"swaps whose difference is shown to lie within {figures.plain(pair.margin)}"
    for name, outcomes, says in (differ, ("Alike", ("alike", "differs little"), within)):
        found = figures.count(sum(row.outcome in outcomes for row in rows))
        tiles.append(Tile(found, figures.count(len(rows)), name, f"{says}; {who}", section))
    return tiles


def _moved_tile(pair: ComparedPair, who: str, section: str) -> Tile:
    """How what moved the answers of both runs agrees: of all other deltas the sign is a matter of chance."""
    for signs, which in ((pair.signs, "swaps"), (pair.question_signs, "comparisons on single questions")):
        if signs.of_moved:
            says = f"{which} that moved the answers of both runs, on the same side of zero in both; {who}"
            agree, of = figures.count(signs.agree_moved), figures.count(signs.of_moved)
            return Tile(agree, of, "Moved to one side", says, section)
    says = f"swaps moved the answers of both runs, pooled or on a single question; {who}"
    return Tile(figures.count(0), "", "Moved in both", says, section)


def _pair(number: int, pair: ComparedPair, names: Mapping[str, str]) -> PairView:
    anchor = f"pair-{number}"
    runs = tuple(dict.fromkeys((names[pair.first], names[pair.second])))
    pooled = [row for row in pair.rows if row.question is None]
    on_questions = telling([row for row in pair.rows if row.question is not None])
    more = (
        power_sentence(pair),
        signs_sentence(pair.signs),
        signs_sentence(pair.question_signs, on_questions=True),
    )
    shown = {row.outcome for row in pooled if row.visible} | {row.outcome for row in on_questions}
    return PairView(
        anchor=anchor,
        first=printable(pair.first),
        second=printable(pair.second),
        sentence=pair_sentence(pair),
        warnings=tuple(pair_warnings(pair)),
        outcome=outcome_sentence(pair),
        more=tuple(text for text in more if text),
        has_differences=pair.basis != "none",
        general=pair.basis == "pairs",
        rows=tuple(row_view(row, anchor, runs) for row in pooled if row.visible),
        picture=picture(pair),
        on_questions=tuple(row_view(row, anchor, runs) for row in on_questions[:MOST_ON_QUESTIONS]),
        questions_left=_left(len(on_questions) - MOST_ON_QUESTIONS),
        controls=sum(not row.visible for row in pooled),
        meanings=tuple((name, text) for name, text in OUTCOMES.items() if name in shown)
        if pair.basis != "none"
        else (),
    )


def _left(more: int) -> str:
    if more <= 0:
        return ""
    return f"{figures.count(more)} more {'is' if more == 1 else 'are'}"


def _facts(compared: ComparedRuns) -> tuple[Line, ...]:
    facts = [run_facts(run) for run in compared.runs]
    return tuple(
        Line(name[0].upper() + name[1:] if name != "jevbias" else name, tuple(here[name] for here in facts))
        for name in facts[0]
    )


def _belief(compared: ComparedRuns) -> tuple[Line, ...]:
    degrees = [figures.count(run.noise_degrees_of_freedom) for run in compared.runs]
    return (
        Line("Noise floor, SD", tuple(noise_text(run) for run in compared.runs)),
        Line("Degrees of freedom behind it", tuple(degrees)),
        Line("Pooled controls that came out", tuple(controls_text(run) for run in compared.runs)),
    )


def _question(row: ComparedQuestion) -> Line:
    cells = []
    for flag, span, noise in zip(row.flags, row.spans, row.noise, strict=True):
        figured = f"span {figures.delta(span, 3)}, noise {figures.spread(noise)}"
        cells.append("not asked" if flag is None else f"{flag}; {figured}")
    return Line(printable(row.question), tuple(cells), all(row.counts))


def _lines(lines: Sequence[tuple[str, Sequence[str]]]) -> tuple[Line, ...]:
    return tuple(Line(name, tuple(cells)) for name, cells in lines)
