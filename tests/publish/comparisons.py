"""Comparisons of made runs: of one plan, of two drivers, of two plans, of a run with itself, hostile ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from jevbias.analysis.analyse import analyse
from jevbias.analysis.compare import compare_runs
from jevbias.analysis.compare_sources import Source
from jevbias.report.compared import ComparedRuns
from jevbias.report.run_report import RunReport
from tests.analysis.runs import FACTS, MERIT, Design, Someone, make_dataset, make_probes
from tests.publish.conftest import made_report
from tests.publish.reports import HOSTILE

DESIGN = Design(bases=10, swapped={"culture": 2, "faith": 3}, scenarios={"hiring": 3, "triage": 2, "loan": 2})


def _biased(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    hit = (person.swapped_attribute, person.swapped_level) == ("faith", "l1") and condition == "full"
    return MERIT[variant] - (0.08 if hit else 0.0)


def _stored(label: str, noise: int, *, biased: bool = False, **facts: Any) -> Source:
    probes = make_probes(DESIGN, _biased, seed=noise) if biased else make_probes(DESIGN, seed=noise)
    dataset = make_dataset(DESIGN, probes, facts=replace(FACTS, name=label, **facts))
    return Source(label, analyse(dataset), dataset)


def _told(label: str, report: RunReport, **run: Any) -> Source:
    return Source(label, report.model_copy(update={"run": report.run.model_copy(update=run)}))


def _beside_itself() -> list[Source]:
    run = _stored("fair", 1)
    return [run, run]


def _three() -> list[Source]:
    return [_stored("fair", 1), _stored("unfair", 2, biased=True), _stored("other", 3, driver="openrouter")]


def _hostile() -> list[Source]:
    report = made_report("hostile")
    return [_told(f"a{HOSTILE}", report), _told(f"b{HOSTILE}", report, plan_hash="other", seed=2)]


SOURCES: dict[str, Callable[[], list[Source]]] = {
    "same plan": lambda: [_stored("fair", 1), _stored("unfair", 2, biased=True)],
    "drivers": lambda: [_stored("fair", 1), _stored("other", 3, biased=True, driver="openrouter")],
    "plans": lambda: [_stored("fair", 1), _stored("later", 3, plan_hash="o" * 64, seed=9)],
    "itself": _beside_itself,
    "three": _three,
    "reports": lambda: [_told("a.json", made_report("pilot")), _told("b.json", made_report("pilot"), seed=8)],
    "factorial": lambda: [
        _told("a.json", made_report("factorial")),
        _told("b.json", made_report("factorial"), seed=8),
    ],
    "hostile": _hostile,
}


@cache
def made_comparison(name: str) -> ComparedRuns:
    """One of the comparisons; made once, as they are frozen."""
    return compare_runs(SOURCES[name]())
