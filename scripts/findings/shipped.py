"""The reports of the embedded models' runs that come with the project."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

from jevbias.report.compared import ComparedPair, ComparedRuns
from jevbias.report.run_report import RunReport

MODELS = ("sparrow-nano-general-v1.1", "sparrow-nano-robot-v1.2")
COMPARED = "docs/embedded/comparison.json.gz"
"""The deep runs side by side; a packed file like the reports."""


@dataclass(frozen=True)
class ShippedRun:
    """One model: the report of its deep run, and that of a run with placebos about the same anchors."""

    report: RunReport
    placebos: RunReport


@dataclass(frozen=True)
class Shipped:
    """Both models, and the second's deep run against the first's, pair by pair."""

    runs: tuple[ShippedRun, ShippedRun]
    compared: ComparedPair


def read_shipped(checkout: Path) -> Shipped:
    """Read the reports; `scripts/shipped_runs.py` and `scripts/embedded_reports.py` make them."""
    first, second = (
        ShippedRun(*(_report(checkout / name) for name in (deep_report(model), placebo_report(model))))
        for model in MODELS
    )
    compared = ComparedRuns.model_validate_json(gzip.decompress((checkout / COMPARED).read_bytes()))
    return Shipped((first, second), compared.pairs[0])


def deep_run(model: str) -> str:
    """The name of a model's deep run."""
    return f"{model}-deep"


def placebo_run(model: str) -> str:
    """The name of its run with placebos."""
    return f"{model}-placebos"


def deep_report(model: str) -> str:
    """Where the report of the deep run lies in the project."""
    return f"seed/{deep_run(model)}.report.json.gz"


def placebo_report(model: str) -> str:
    """Where the report of the run with placebos lies."""
    return f"docs/embedded/{placebo_run(model)}.report.json.gz"


def placebo_archive(model: str) -> str:
    """Where that run itself lies."""
    return f"docs/embedded/{placebo_run(model)}.jsonl.gz"


def _report(file: Path) -> RunReport:
    return RunReport.model_validate_json(gzip.decompress(file.read_bytes()))
