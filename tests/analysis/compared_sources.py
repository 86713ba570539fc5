"""Two models over one small design, to be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from jevbias.analysis.analyse import analyse
from jevbias.analysis.compare import compare_runs
from jevbias.analysis.compare_sources import Source
from jevbias.analysis.dataset import ProbeRecord
from jevbias.analysis.facts import RunFacts
from jevbias.report.compared import ComparedPair, ComparedRow
from tests.analysis.runs import (
    FACTS,
    MERIT,
    Design,
    Someone,
    make_dataset,
    make_probes,
)

DESIGN = Design(bases=6, scenarios={"hiring": 3, "triage": 2, "lending": 2})


def biased(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    """One faith is answered lower in every case."""
    hit = (person.swapped_attribute, person.swapped_level) == ("faith", "l1") and condition == "full"
    return MERIT[variant] - (0.06 if hit else 0.0)


def source(
    label: str,
    probes: Iterable[ProbeRecord],
    *,
    design: Design = DESIGN,
    stored: bool = True,
    **facts: object,
) -> Source:
    """A run of these probes, from a database or, not `stored`, from its report."""
    declared: RunFacts = replace(FACTS, name=label, **facts)  # type: ignore[arg-type]
    dataset = make_dataset(design, list(probes), facts=declared)
    return Source(label, analyse(dataset), dataset if stored else None)


@cache
def fair(stored: bool = True) -> Source:
    return source("fair", make_probes(DESIGN, seed=1), stored=stored)


@cache
def unfair(stored: bool = True) -> Source:
    return source("unfair", make_probes(DESIGN, biased, seed=2), stored=stored)


def pair_of(first: Source, second: Source) -> ComparedPair:
    (pair,) = compare_runs([first, second]).pairs
    return pair


def rows_of(pair: ComparedPair) -> dict[str, ComparedRow]:
    return {row.id: row for row in pair.rows}
