"""What the page's script works on: every comparison as columns, packed so that no markup can hide in them."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Callable, Sequence

from jevbias.publish.findings import Reading
from jevbias.publish.found import element_id
from jevbias.publish.matrix import question_order, scenario_of
from jevbias.publish.packed_columns import packed
from jevbias.publish.plain_text import printable
from jevbias.publish.verdicts import STATES, state_key
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison, Decisions

Json = dict[str, "Json"] | Sequence["Json"] | str | float | bool | None


def page_data(reading: Reading) -> Json:
    """The two tables of the page, column by column; texts that repeat are kept once and referred to by index.

    The id of a comparison is `condition/attribute=level`, with `/scenario.question` behind it where it is
    about one question; here it is cut into the parts that repeat. A column that holds nothing is left out.
    """
    pooled = [] if reading.nothing_pooled else reading.pooled
    comparisons = (*pooled, *reading.per_question)
    conditions = list(dict.fromkeys(row.condition for row in comparisons))
    swaps = list({(row.attribute, row.level): row for row in comparisons}.values())
    questions = question_order(reading)
    places = (
        {name: place for place, name in enumerate(conditions)},
        {(row.attribute, row.level): place for place, row in enumerate(swaps)},
        {name: place for place, name in enumerate(questions)},
    )
    return {
        "run": printable(reading.report.run.name),
        "conditions": [{"name": printable(name), "id": element_id(name)} for name in conditions],
        "swaps": [
            {
                "attribute": printable(row.attribute_label),
                "key": printable(row.attribute),
                "level": printable(row.level),
                "phrase": printable(row.level_phrase or ""),
                "reference": printable(row.reference),
                "protected": row.protected,
                "id": element_id(f"{row.attribute}={row.level}"),
            }
            for row in swaps
        ],
        "questions": [
            {"name": printable(name), "scenario": printable(scenario_of(name)), "id": element_id(name)}
            for name in questions
        ],
        "states": [
            {
                "verdict": state.verdict or state.text,
                "text": state.text,
                "onQuestion": state.on_question,
                "css": state.css,
                "rank": state.rank,
                "moved": state.moved,
            }
            for state in STATES.values()
        ],
        "pooled": _columns(reading, pooled, places),
        "perQuestion": _columns(reading, reading.per_question, places),
    }


def packed_data(data: Json) -> str:
    """`data` as the page carries it: JSON, gzipped, in base64, which browsers undo by themselves.

    Raises ValueError for NaN and infinities, which no browser would read.
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")


def _low(interval: Interval | None) -> float | None:
    return None if interval is None else interval[0]


def _high(interval: Interval | None) -> float | None:
    return None if interval is None else interval[1]


def _decided(pick: Callable[[Decisions], float | None]) -> Callable[[Comparison], float | None]:
    return lambda row: None if row.decisions is None else pick(row.decisions)


FIGURES: dict[str, Callable[[Comparison], float | None]] = {
    "delta": lambda row: row.delta,
    "noiseLow": lambda row: _low(row.ci_noise),
    "noiseHigh": lambda row: _high(row.ci_noise),
    "p": lambda row: row.p_noise,
    "q": lambda row: row.q,
    "mde": lambda row: row.mde_noise,
    "mdeAlone": lambda row: row.mde_noise_adjusted,
    "peopleLow": lambda row: _low(row.ci_people),
    "peopleHigh": lambda row: _high(row.ci_people),
    "people90Low": lambda row: _low(row.ci_people_90),
    "people90High": lambda row: _high(row.ci_people_90),
    "pPeople": lambda row: row.p_people,
    "pFloor": lambda row: row.p_people_floor,
    "qPeople": lambda row: row.q_people,
    "pMaxT": lambda row: row.p_max_t,
    "mdePeople": lambda row: row.mde_people,
    "mdePeopleAlone": lambda row: row.mde_people_adjusted,
    "generalLow": lambda row: _low(row.ci_general),
    "generalHigh": lambda row: _high(row.ci_general),
    "general99Low": lambda row: _low(row.ci_general_99),
    "pGeneral": lambda row: row.p_general,
    "qGeneral": lambda row: row.q_general,
    "general99High": lambda row: _high(row.ci_general_99),
    "pairs": lambda row: row.pairs,
    "n": lambda row: row.effective_n,
    "down": lambda row: row.bases_down,
    "up": lambda row: row.bases_up,
    "scenariosDown": lambda row: row.scenarios_down,
    "scenariosUp": lambda row: row.scenarios_up,
    "bases": lambda row: row.bases,
    "sd": lambda row: row.sd,
    "d": lambda row: row.cohens_d,
    "all": lambda row: row.delta_all_questions,
    "within": lambda row: None if row.within_placebo_range is None else int(row.within_placebo_range),
    "flips": _decided(lambda decisions: decisions.flip_rate),
    "repeatFlips": _decided(lambda decisions: decisions.repeat_flip_rate),
    "excessFlips": _decided(lambda decisions: decisions.excess_flips),
    "favourable": _decided(lambda decisions: decisions.favourable_swap),
    "anchorFavourable": _decided(lambda decisions: decisions.favourable_anchor),
    "fourFifths": _decided(lambda decisions: decisions.four_fifths),
    "logOdds": _decided(lambda decisions: decisions.log_odds),
}
"""Figures of a comparison by their name in the page's script, as they stand in the report."""


def _columns(
    reading: Reading,
    rows: Sequence[Comparison],
    places: tuple[dict[str, int], dict[tuple[str, str], int], dict[str, int]],
) -> dict[str, Json]:
    condition, swap, question = places
    codes = {key: place for place, key in enumerate(STATES)}
    every = {name: [figure(row) for row in rows] for name, figure in FIGURES.items()}
    figures = {name: values for name, values in every.items() if any(value is not None for value in values)}
    follow = packed(figures)
    return {
        "condition": [condition[row.condition] for row in rows],
        "swap": [swap[row.attribute, row.level] for row in rows],
        "question": [None if row.question is None else question[row.question] for row in rows],
        "visible": [int(row.visible) for row in rows],
        "state": [codes[state_key(row, exact=reading.exact)] for row in rows],
        "claims": [reading.claims(row).mask for row in rows],
        "notSignificant": [
            place for place, row in enumerate(rows) if reading.claims(row).noise and not row.significant
        ],
        "missing": [printable(row.missing_claim) if row.missing_claim else None for row in rows],
        **{name: values for name, values in figures.items() if name not in follow},
        "packed": {name: {"share": column.share, "rest": column.rest} for name, column in follow.items()},
    }
