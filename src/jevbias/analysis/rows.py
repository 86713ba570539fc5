"""The report's comparisons: what a block found becomes rows, each with its verdict.

A deep run has some 8,000 rows of 40 figures. They are rounded and put together column by column and validated
all at once, which costs a third of doing the same row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from jevbias.analysis.cells import Cells
from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.decisions import CellDecisions, count_decisions, decision_columns
from jevbias.analysis.figures import figures, intervals
from jevbias.analysis.generalisation import drawn_attributes
from jevbias.analysis.noise import Noise
from jevbias.analysis.paired import signs
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.placebos import PlaceboRanges, placebo_ranges
from jevbias.analysis.validity import Validity
from jevbias.analysis.verdicts import Declared, Evidence, Verdict, judge
from jevbias.catalogue.models import Level
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison
from jevbias.report.placebos import Placebos
from jevbias.report.validity_rule import WITHHELD
from jevbias.stats.arrays import FloatArray

Columns = dict[str, Sequence[Any]]
"""A field of `Comparison`: its values over the comparisons of one block."""


@dataclass(frozen=True)
class Rows:
    """Rows of the report: real comparisons, sorted by q, then |delta|, and the section on placebos, which get
    no verdict; None for a run without them.
    """

    comparisons: list[Comparison]
    placebos: Placebos | None


def comparison_rows(
    dataset: Dataset, cells: Cells, pairs: Pairs, validity: Validity, *, noise: Noise, blocks: Sequence[Block]
) -> Rows:
    """One row per comparison of every block; rows without a q or a delta come last."""
    described = _describe(dataset, pairs)
    beyond = "other people" if drawn_attributes(dataset) else "other names and case mixes"
    declared = Declared(dataset.facts.alpha, dataset.facts.margin, noise.exact, beyond)
    decisions = count_decisions(dataset, cells)
    tables = []
    for block in blocks:
        withheld = block.question is not None and validity.flag(block.question) in WITHHELD
        verdicts = judge_block(pairs, block, declared, withheld=withheld)
        tables.append(
            described
            | _figures(dataset, pairs, block)
            | _identity(described["id"], block.question)
            | {
                "verdict": [verdict.name for verdict in verdicts],
                "missing_claim": [verdict.missing for verdict in verdicts],
                "decisions": _decided(decisions, pairs, block, noise),
                "within_placebo_range": [None] * len(verdicts),
            }
        )
    unjudged = {"verdict": [None] * len(pairs.comparisons), "missing_claim": [None] * len(pairs.comparisons)}
    placebos = _rows((table | unjudged for table in tables), pairs.placebo.tolist())
    ranges = placebo_ranges(placebos, dataset.facts.alpha)
    real = _rows((_beside_placebos(table, ranges) for table in tables), (~pairs.placebo).tolist())
    return Rows(real, ranges.section)


def judge_block(pairs: Pairs, block: Block, declared: Declared, *, withheld: bool) -> list[Verdict]:
    """The verdict on every comparison of a block, in order; `withheld`: its question failed validity."""
    delta, people = block.estimates.delta, block.people
    general: list[Interval | None] = [None] * len(delta)
    q_general: list[float | None] = [None] * len(delta)
    if block.corrected.q_general is not None:
        q_general = figures(block.corrected.q_general)
    if block.general is not None:
        general = intervals(block.general.mean, block.general.half_width(0.99))
    columns = zip(
        pairs.visible.tolist(),
        figures(delta),
        figures(block.corrected.q),
        figures(block.corrected.q_people),
        q_general,
        intervals(delta, people.half_width),
        intervals(delta, people.half_width_90),
        general,
        strict=True,
    )
    pooled = block.question is None
    return [judge(Evidence(visible, withheld, pooled, *evidence), declared) for visible, *evidence in columns]


def _describe(dataset: Dataset, pairs: Pairs) -> Columns:
    """What comparisons are about, whatever they found."""
    attributes = [dataset.catalogue.attributes[swap.attribute] for _, swap in pairs.comparisons]
    swaps = [swap for _, swap in pairs.comparisons]
    return {
        "id": list(pairs.ids),
        "condition": [condition for condition, _ in pairs.comparisons],
        "attribute": [swap.attribute for swap in swaps],
        "attribute_label": [attribute.label for attribute in attributes],
        "level": [swap.level for swap in swaps],
        "level_phrase": [
            _phrase(attribute.levels[swap.level]) for attribute, swap in zip(attributes, swaps, strict=True)
        ],
        "reference": [attribute.reference for attribute in attributes],
        "protected": [attribute.protected for attribute in attributes],
        "visible": pairs.visible.tolist(),
    }


def _identity(ids: Sequence[str], question: str | None) -> Columns:
    suffix = "" if question is None else f"/{question}"
    return {"id": [f"{name}{suffix}" for name in ids], "question": [question] * len(ids)}


def _figures(dataset: Dataset, pairs: Pairs, block: Block) -> Columns:
    """What comparisons found."""
    estimates, claim, people, corrected = block.estimates, block.claim, block.people, block.corrected
    bases_down, bases_up = signs(estimates.by_base)
    scenarios_down, scenarios_up = signs(estimates.by_scenario)
    q = figures(corrected.q)
    columns: Columns = {
        "pairs": estimates.pairs.tolist(),
        "bases": people.bases.tolist(),
        "delta": figures(estimates.delta),
        "sd": figures(estimates.sd),
        "cohens_d": figures(estimates.cohens_d),
        "effective_n": figures(estimates.effective_n),
        "p_noise": figures(claim.p),
        "q": q,
        "significant": [value is not None and value < dataset.facts.alpha for value in q],
        "p_people": figures(people.p),
        "p_people_floor": figures(people.p_floor),
        "q_people": figures(corrected.q_people),
        "p_max_t": figures(people.p_max_t),
        "ci_noise": intervals(estimates.delta, claim.half_width),
        "ci_people": intervals(estimates.delta, people.half_width),
        "ci_people_90": intervals(estimates.delta, people.half_width_90),
        "mde_noise": figures(corrected.mde_noise),
        "mde_noise_adjusted": figures(corrected.mde_noise_adjusted),
        "mde_people": figures(corrected.mde_people),
        "mde_people_adjusted": figures(corrected.mde_people_adjusted),
        "bases_down": bases_down.tolist(),
        "bases_up": bases_up.tolist(),
        "scenarios_down": scenarios_down.tolist(),
        "scenarios_up": scenarios_up.tolist(),
    }
    if corrected.q_general is not None:
        columns["q_general"] = figures(corrected.q_general)
    if block.general is not None:
        columns["p_general"] = figures(block.general.p_zero)
        columns["ci_general"] = intervals(block.general.mean, block.general.half_width(0.95))
        columns["ci_general_99"] = intervals(block.general.mean, block.general.half_width(0.99))
    if block.delta_all_questions is not None:
        names = [str(base) for base in pairs.bases]
        columns["delta_all_questions"] = figures(block.delta_all_questions)
        columns["by_base"] = _named(names, estimates.by_base)
        columns["by_scenario"] = _named(dataset.scenarios, estimates.by_scenario)
    return columns


def _named(names: Sequence[str], values: FloatArray) -> list[dict[str, float]]:
    rows = [figures(column) for column in values]
    return [
        {name: value for name, value in zip(names, row, strict=True) if value is not None} for row in rows
    ]


def _decided(decisions: CellDecisions, pairs: Pairs, block: Block, noise: Noise) -> Sequence[Any]:
    if block.place is None:
        return [None] * len(pairs.comparisons)
    scenario, question = block.place
    return decision_columns(decisions, pairs, block.place, noise.grid.steps[scenario][question])


def _beside_placebos(table: Columns, ranges: PlaceboRanges) -> Columns:
    """The table, saying of each visible row whether placebos move as far."""
    if ranges.section is None:
        return table
    columns = (table[name] for name in ("visible", "condition", "question", "delta"))
    within = [
        ranges.within(condition, question, delta) if visible else None
        for visible, condition, question, delta in zip(*columns, strict=True)
    ]
    return table | {"within_placebo_range": within}


def _rows(tables: Iterable[Columns], chosen: Sequence[bool]) -> list[Comparison]:
    rows = [
        dict(zip(table, row, strict=True))
        for table in tables
        for row, wanted in zip(zip(*table.values(), strict=True), chosen, strict=True)
        if wanted
    ]
    return sorted(_validator().validate_python(rows), key=_reading_order)


@cache
def _validator() -> TypeAdapter[list[Comparison]]:
    return TypeAdapter(list[Comparison])


def _phrase(level: Level) -> str | None:
    """What a payload says of a level, with all wordings of one that follows the person's gender."""
    if level.by_gender:
        return " / ".join(dict.fromkeys(level.by_gender.values()))
    return level.phrase


def _reading_order(row: Comparison) -> tuple[float, float, bool, str]:
    q = 2.0 if row.q is None else row.q
    return q, -abs(row.delta or 0.0), row.delta is None, row.id
