"""What was measured: who was asked, how often, about whom, when and at what cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import RunInfo, RunReport

NOBODY = "nobody answered yet"


@dataclass(frozen=True)
class Fact:
    """One line of the fact sheet; `note` says how to read it or why it is not available."""

    term: str
    value: str
    note: str | None = None
    is_code: bool = False


@dataclass(frozen=True)
class Measured:
    """What the template of this section shows."""

    sentence: str
    warning: str | None
    unanswered: bool
    """Whether the warning is that nobody answered; it then stands above everything else."""
    facts: tuple[Fact, ...]


def measured(report: RunReport) -> Measured:
    """The fact sheet of a run."""
    run = report.run
    return Measured(measured_sentence(run), answers_warning(run), not run.answered, tuple(_facts(run)))


def measured_sentence(run: RunInfo) -> str:
    """What was measured, in one sentence."""
    bases = (
        f", {figures.counted(run.bases, 'base')} (anchors: the people that swaps are compared with) and "
        "their swaps,"
        if run.bases
        else ""
    )
    if not run.answered:
        return (
            f"Nobody answered yet: none of the {figures.counted(run.calls, 'call')} to "
            f"{printable(run.model)} about {figures.counted(run.people, 'person', 'people')}{bases} in "
            f"{figures.counted(len(run.scenarios), 'kind')} of decision brought an answer."
        )
    return (
        f"{answering_model(run)} answered {figures.count(run.answered)} of "
        f"{figures.counted(run.calls, 'call')} about "
        f"{figures.counted(run.people, 'person', 'people')}{bases} in "
        f"{figures.counted(len(run.scenarios), 'kind')} of decision: "
        f"{figures.counted(run.answers, 'answer')}."
    )


def answers_warning(run: RunInfo) -> str | None:
    """A warning where nobody answered, and where more than one model did."""
    if not run.answered:
        return (
            "This run has no answers. Nothing below speaks of any model or of anybody: no figure was "
            "measured, and nothing was tested."
        )
    if len(run.models_answered) < 2:
        return None
    answered = figures.counted(len(run.models_answered), "model")
    return (
        f"{answered} answered under one name: the model moved while it was being measured, and a difference "
        "between two answers may be a difference between two models. Pin a build and run again."
    )


def answering_model(run: RunInfo) -> str:
    """The model as it named itself in its answers, else as it was asked; or that nobody answered."""
    if not run.answered:
        return NOBODY
    return figures.listed([printable(name) for name in run.models_answered]) or printable(run.model)


def duration(run: RunInfo) -> str | None:
    """How long the run took, or None where a time stamp is missing or cannot be read."""
    try:
        started, finished = (
            datetime.fromisoformat(stamp or "") for stamp in (run.started_at, run.finished_at)
        )
        seconds = (finished - started).total_seconds()
    except (ValueError, TypeError):
        return None
    return None if seconds < 0 else figures.duration(seconds)


def _facts(run: RunInfo) -> list[Fact]:
    priced = run.cost is not None
    tokens = run.input_tokens is not None or run.output_tokens is not None
    return [
        _model(run),
        Fact("Instrument", printable(run.driver), printable(run.instrument)),
        Fact("Endpoint", printable(run.base_url), is_code=True),
        Fact("Started", figures.moment(run.started_at)),
        Fact("Finished", figures.moment(run.finished_at), _took(run)),
        Fact(
            "Calls answered",
            f"{figures.count(run.answered)} of {figures.count(run.calls)}",
            f"{figures.counted(run.answers, 'usable answer')}",
        ),
        Fact("People", figures.count(run.people), _people_note(run)),
        Fact(
            "Decisions",
            figures.count(len(run.scenarios)),
            ", ".join(printable(scenario) for scenario in run.scenarios),
        ),
        Fact("Shown to the model", ", ".join(printable(condition) for condition in run.conditions)),
        *_swapped(run),
        Fact(
            "Cost",
            figures.money(run.cost),
            None if priced else "neither reported by the model nor in the price table",
        ),
        Fact(
            "Tokens",
            f"{figures.count(run.input_tokens)} in, {figures.count(run.output_tokens)} out"
            if tokens
            else figures.NOT_AVAILABLE,
            None if tokens else "not reported by the model",
        ),
        Fact("Mean latency", figures.milliseconds(run.mean_latency_ms)),
        Fact(
            "Declared before the run",
            f"margin {figures.plain(run.margin)}, alpha {figures.plain(run.alpha)}, threshold "
            f"{figures.plain(run.threshold)}",
            "the margin is the smallest difference that is held to matter, the threshold the favourability "
            "from which a yes/no question counts as decided for the person",
        ),
        Fact("Run", printable(run.name), f"profile {printable(run.profile)}, {printable(run.design)} design"),
        Fact("Seed", str(run.seed), is_code=True),
        Fact(
            "Plan hash",
            printable(run.plan_hash),
            "two runs with one plan hash were asked the same",
            is_code=True,
        ),
        Fact("Catalogue hash", printable(run.catalogue_hash), is_code=True),
        Fact("jevbias", printable(run.jevbias_version)),
    ]


def _model(run: RunInfo) -> Fact:
    asked = f"asked for as {printable(run.model)}"
    if run.answered and not run.models_answered:
        return Fact("Model, as it answered", "it did not name itself", asked)
    return Fact("Model, as it answered", answering_model(run), asked)


def _swapped(run: RunInfo) -> list[Fact]:
    """Nothing is swapped in a factorial run."""
    if run.design == "factorial":
        return []
    return [Fact("Attributes swapped", figures.count(len(run.swept)), _some(run.swept))]


def _some(names: list[str], most: int = 8) -> str | None:
    if len(names) > most:
        return "each of them is in the table of findings"
    return ", ".join(map(printable, names)) or None


def _took(run: RunInfo) -> str | None:
    took = duration(run)
    return f"after {took}" if took else None


def _people_note(run: RunInfo) -> str | None:
    if run.bases is None:
        return None
    return f"{figures.counted(run.bases, 'base')}, and copies that differ from one of them in one attribute"
