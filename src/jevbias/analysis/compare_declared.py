"""In what two runs were declared or made differently, in words."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.analysis.wording import listed
from jevbias.report.compared import DeclaredDifference
from jevbias.report.run_report import RunReport


def declared_differences(first: RunReport, second: RunReport) -> list[DeclaredDifference]:
    """What differs between two runs apart from what they answered: the plan first, then who was asked."""
    one, two = _declared(first), _declared(second)
    return [
        DeclaredDifference(what=what, first=one[what], second=two[what])
        for what in one
        if one[what] != two[what]
    ]


def _declared(report: RunReport) -> dict[str, str]:
    run, reach = report.run, report.generalisation
    return {
        "profile": run.profile,
        "seed": str(run.seed),
        "bases": str(run.bases or "none"),
        "people": f"{run.people:,}",
        "backgrounds": "drawn" if reach and reach.drawn else "the same for everybody",
        "scenarios": _some(run.scenarios),
        "conditions": _some(run.conditions),
        "swept attributes": _some(run.swept),
        "calls": f"{run.calls:,}",
        "catalogue": run.catalogue_hash[:12],
        "margin": f"{run.margin:g}",
        "alpha": f"{run.alpha:g}",
        "threshold": f"{run.threshold:g}",
        "driver": run.driver,
        "model": run.model,
        "models that answered": _some(run.models_answered),
        "endpoint": run.base_url,
        "jevbias": run.jevbias_version,
    }


def _some(names: Sequence[str]) -> str:
    return listed(names, most=max(len(names), 1)) or "none"
