"""Who was asked in each of the runs that stand side by side."""

from __future__ import annotations

import shlex

from jevbias.publish import figures
from jevbias.publish.measured import answering_model
from jevbias.publish.plain_text import ISOLATES, printable
from jevbias.report.compared import ComparedRun, ComparedRuns


def run_facts(compared: ComparedRun) -> dict[str, str]:
    """The facts of one run that differ between runs, term by term, in the same order for every run."""
    run = compared.run
    return {
        "model, as it answered": answering_model(run),
        "driver": printable(run.driver),
        "started": figures.moment(run.started_at),
        "finished": figures.moment(run.finished_at),
        "profile": printable(run.profile),
        "seed": str(run.seed),
        "plan": printable(run.plan_hash)[:12],
        "catalogue": printable(run.catalogue_hash)[:12],
        "people": people(compared),
        "scenarios": figures.count(len(run.scenarios)),
        "calls answered": f"{figures.count(run.answered)} of {figures.count(run.calls)}",
        "usable answers": figures.count(run.answers),
        "margin, alpha": f"{figures.plain(run.margin)}, {figures.plain(run.alpha)}",
        "cost": figures.money(run.cost),
        "jevbias": printable(run.jevbias_version),
    }


def people(compared: ComparedRun) -> str:
    """How many people, and how many bases they come from."""
    run = compared.run
    bases = f", {figures.counted(run.bases, 'base')}" if run.bases else ""
    return f"{figures.count(run.people)}{bases}"


def compare_command(compared: ComparedRuns) -> str:
    """The command that prints this comparison whole, as data."""
    labels = [printable(run.label).translate(ISOLATES) for run in compared.runs]
    return f"jevbias compare {shlex.join(labels)} --json"
