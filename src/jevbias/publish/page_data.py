"""What the page's script works on: every comparison as columns, in a form that no markup can be hidden in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from markupsafe import Markup

from jevbias.publish.findings import Reading
from jevbias.publish.found import anchor
from jevbias.publish.matrix import question_order, scenario_of
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import Comparison

Json = dict[str, "Json"] | Sequence["Json"] | str | float | bool | None

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def page_data(reading: Reading) -> Json:
    """The two tables of the page, column by column; texts that repeat are kept once and referred to by index.

    The id of a comparison is `condition/attribute=level`, with `/scenario.question` behind it where it is
    about one question; here it is cut into the parts that repeat.
    """
    comparisons = (*reading.pooled, *reading.per_question)
    conditions = list(dict.fromkeys(row.condition for row in comparisons))
    swaps = list({(row.attribute, row.level): row for row in comparisons}.values())
    questions = question_order(reading)
    places = (
        {name: place for place, name in enumerate(conditions)},
        {(row.attribute, row.level): place for place, row in enumerate(swaps)},
        {name: place for place, name in enumerate(questions)},
    )
    return {
        "conditions": [{"name": printable(name), "anchor": anchor(name)} for name in conditions],
        "swaps": [
            {
                "attribute": printable(row.attribute_label),
                "key": printable(row.attribute),
                "level": printable(row.level),
                "phrase": printable(row.level_phrase or ""),
                "reference": printable(row.reference),
                "protected": row.protected,
                "anchor": anchor(f"{row.attribute}={row.level}"),
            }
            for row in swaps
        ],
        "questions": [
            {"name": printable(name), "scenario": printable(scenario_of(name)), "anchor": anchor(name)}
            for name in questions
        ],
        "outcomes": [{"class": name, "text": text} for name, text in reading.outcome_texts.items()],
        "pooled": {
            **_columns(reading, reading.pooled, places),
            "scenariosDown": [row.scenarios_down for row in reading.pooled],
            "scenariosUp": [row.scenarios_up for row in reading.pooled],
            "all": [row.delta_all_questions for row in reading.pooled],
        },
        "perQuestion": _columns(reading, reading.per_question, places),
    }


def script_json(data: Json) -> Markup:
    """`data` for a `<script type="application/json">`: ASCII, and without a sign that HTML reads.

    Raises ValueError for NaN and infinities, which no browser would read.
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return Markup(text)  # noqa: S704 - ASCII, and every sign that HTML reads is escaped above


def _columns(
    reading: Reading,
    rows: Sequence[Comparison],
    places: tuple[dict[str, int], dict[tuple[str, str], int], dict[str, int]],
) -> dict[str, Json]:
    condition, swap, question = places
    figures: dict[str, Callable[[Comparison], float | None]] = {
        "delta": lambda row: row.delta,
        "low": lambda row: row.ci_noise and row.ci_noise[0],
        "high": lambda row: row.ci_noise and row.ci_noise[1],
        "p": lambda row: row.p_noise,
        "q": lambda row: row.q,
        "n": lambda row: row.effective_n,
    }
    codes = list(reading.outcome_texts)
    outcomes = [reading.outcome(row) for row in rows]
    return {
        "condition": [condition[row.condition] for row in rows],
        "swap": [swap[row.attribute, row.level] for row in rows],
        "question": [None if row.question is None else question[row.question] for row in rows],
        "visible": [int(row.visible) for row in rows],
        "moved": [int(outcome in {"down", "up"}) for outcome in outcomes],
        "outcome": [codes.index(outcome) for outcome in outcomes],
        "verdict": [row.verdict for row in rows] if reading.has_verdicts else None,
        **{name: [figure(row) for row in rows] for name, figure in figures.items()},
        "pairs": [row.pairs for row in rows],
        "down": [row.bases_down for row in rows],
        "up": [row.bases_up for row in rows],
    }
