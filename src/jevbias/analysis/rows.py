"""The report's comparisons: what a block found becomes rows, each with its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.cells import Cells
from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.decisions import CellDecisions, count_decisions, decision_columns
from jevbias.analysis.noise import Noise
from jevbias.analysis.paired import signs
from jevbias.analysis.pairs import Pairs
from jevbias.analysis.placebos import placebo_ranges
from jevbias.analysis.validity import Validity
from jevbias.analysis.verdicts import Declared, Evidence, Verdict, judge
from jevbias.catalogue.models import Level
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison, Decisions
from jevbias.report.placebos import Placebos
from jevbias.report.rounding import round_figure
from jevbias.report.validity_rule import WITHHELD

FloatArray = NDArray[np.float64]


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
    """One row per comparison of every block; rows without a q or a delta come last.

    Figures are rounded here, column by column, and rows are made without validating them again: validation
    costs more than all estimates, and a test holds that it would change nothing.
    """
    described = _describe(dataset, pairs)
    declared = Declared(dataset.facts.alpha, dataset.facts.margin, noise.exact)
    decisions = count_decisions(dataset, cells)
    real: list[dict[str, Any]] = []
    placebos: list[dict[str, Any]] = []
    for block in blocks:
        withheld = block.question is not None and validity.flag(block.question) in WITHHELD
        verdicts = judge_block(pairs, block, declared, withheld=withheld)
        decided = _decided(decisions, pairs, block, noise)
        suffix = "" if block.question is None else f"/{block.question}"
        for number, own in enumerate(_figures(dataset, pairs, block)):
            row = described[number] | own
            row["id"] += suffix
            row["question"] = block.question
            row["decisions"] = decided[number]
            if pairs.placebo[number]:
                placebos.append(row)
                continue
            row["verdict"], row["missing_claim"] = verdicts[number]
            real.append(row)
    ranges = placebo_ranges(_sorted(placebos), dataset.facts.alpha)
    for row in real:
        if row["visible"]:
            row["within_placebo_range"] = ranges.within(row["condition"], row["question"], row["delta"])
    return Rows(_sorted(real), ranges.section)


def _decided(
    decisions: CellDecisions, pairs: Pairs, block: Block, noise: Noise
) -> Sequence[Decisions | None]:
    if block.place is None:
        return [None] * len(pairs.comparisons)
    scenario, question = block.place
    return decision_columns(decisions, pairs, block.place, noise.grid.steps[scenario][question])


def _sorted(rows: list[dict[str, Any]]) -> list[Comparison]:
    return sorted((Comparison.model_construct(None, **row) for row in rows), key=_reading_order)


def judge_block(pairs: Pairs, block: Block, declared: Declared, *, withheld: bool) -> list[Verdict]:
    """The verdict on every comparison of a block, in order; `withheld`: its question failed validity."""
    delta, people = block.estimates.delta, block.people
    general: list[Interval | None] = [None] * len(delta)
    if block.general is not None:
        general = _intervals(block.general.mean, block.general.half_width(0.99))
    columns = zip(
        pairs.visible.tolist(),
        _or_none(delta),
        _or_none(block.corrected.q),
        _or_none(block.corrected.q_people),
        _intervals(delta, people.half_width),
        _intervals(delta, people.half_width_90),
        general,
        strict=True,
    )
    pooled = block.question is None
    return [judge(Evidence(visible, withheld, pooled, *figures), declared) for visible, *figures in columns]


def _describe(dataset: Dataset, pairs: Pairs) -> list[dict[str, Any]]:
    """What a comparison is about, whatever it found."""
    described: list[dict[str, Any]] = []
    for (condition, swap), visible in zip(pairs.comparisons, pairs.visible.tolist(), strict=True):
        attribute = dataset.catalogue.attributes[swap.attribute]
        described.append(
            {
                "id": f"{condition}/{swap.attribute}={swap.level}",
                "condition": condition,
                "attribute": swap.attribute,
                "attribute_label": attribute.label,
                "level": swap.level,
                "level_phrase": _phrase(attribute.levels[swap.level]),
                "reference": attribute.reference,
                "protected": attribute.protected,
                "visible": visible,
            }
        )
    return described


def _figures(dataset: Dataset, pairs: Pairs, block: Block) -> list[dict[str, Any]]:
    """What a comparison found."""
    estimates, claim, people, corrected = block.estimates, block.claim, block.people, block.corrected
    bases_down, bases_up = signs(estimates.by_base)
    scenarios_down, scenarios_up = signs(estimates.by_scenario)
    columns: dict[str, list[Any]] = {
        "pairs": estimates.pairs.tolist(),
        "bases": people.bases.tolist(),
        "delta": _or_none(estimates.delta),
        "sd": _or_none(estimates.sd),
        "cohens_d": _or_none(estimates.cohens_d),
        "effective_n": _or_none(estimates.effective_n),
        "p_noise": _or_none(claim.p),
        "q": _or_none(corrected.q),
        "significant": (corrected.q < dataset.facts.alpha).tolist(),
        "p_people": _or_none(people.p),
        "p_people_floor": _or_none(people.p_floor),
        "q_people": _or_none(corrected.q_people),
        "p_max_t": _or_none(people.p_max_t),
        "ci_noise": _intervals(estimates.delta, claim.half_width),
        "ci_people": _intervals(estimates.delta, people.half_width),
        "ci_people_90": _intervals(estimates.delta, people.half_width_90),
        "mde_noise": _or_none(corrected.mde_noise),
        "mde_noise_adjusted": _or_none(corrected.mde_noise_adjusted),
        "mde_people": _or_none(corrected.mde_people),
        "mde_people_adjusted": _or_none(corrected.mde_people_adjusted),
        "bases_down": bases_down.tolist(),
        "bases_up": bases_up.tolist(),
        "scenarios_down": scenarios_down.tolist(),
        "scenarios_up": scenarios_up.tolist(),
    }
    if block.general is not None:
        columns["ci_general"] = _intervals(block.general.mean, block.general.half_width(0.95))
        columns["ci_general_99"] = _intervals(block.general.mean, block.general.half_width(0.99))
    if block.delta_all_questions is not None:
        names = [str(base) for base in pairs.bases]
        columns["delta_all_questions"] = _or_none(block.delta_all_questions)
        columns["by_base"] = [_named(names, values) for values in estimates.by_base]
        columns["by_scenario"] = [_named(dataset.scenarios, values) for values in estimates.by_scenario]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _intervals(centre: FloatArray, half_width: FloatArray) -> list[Interval | None]:
    bounds = zip((centre - half_width).tolist(), (centre + half_width).tolist(), strict=True)
    return [None if isnan(lower) else (round_figure(lower), round_figure(upper)) for lower, upper in bounds]


def _or_none(values: FloatArray) -> list[float | None]:
    return [None if isnan(value) else round_figure(value) for value in values.tolist()]


def _named(names: Sequence[str], values: FloatArray) -> dict[str, float]:
    pairs = zip(names, values.tolist(), strict=True)
    return {name: round_figure(value) for name, value in pairs if not isnan(value)}


def _phrase(level: Level) -> str | None:
    """What a payload says of a level, with all wordings of one that follows the person's gender."""
    if level.by_gender:
        return " / ".join(dict.fromkeys(level.by_gender.values()))
    return level.phrase


def _reading_order(row: Comparison) -> tuple[float, float, bool, str]:
    q = 2.0 if row.q is None else row.q
    return q, -abs(row.delta or 0.0), row.delta is None, row.id
