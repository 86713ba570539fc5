"""What a report of the test bench says, part by part, for the page and the terminal alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.publish.testbench_answers import determinism_part, semantics_part
from jevbias.publish.testbench_limits import concurrency_part, context_part, latency_part
from jevbias.publish.testbench_shapes import PartView
from jevbias.report.testbench import TestbenchReport

LIMITS = (
    (
        "One server, once.",
        "Everything here is one address on one day. Another region, another load or the next version may do "
        "otherwise, and a server need not treat this client as it treats others.",
    ),
    (
        "Wall clocks include this machine.",
        "Latencies and bursts hold the client, the network and the server together; only a large difference "
        "says something about the server.",
    ),
    (
        "Intervals of spreads take normal noise for granted.",
        "They are those of chi-squared and F. Rounded probabilities and answers near 0 or 1 are not normal.",
    ),
    (
        "A formula that fits is not proof.",
        "It explains these answers to within their rounding. Several may, and they are all named.",
    ),
    (
        "A fact that is not found may be drowned.",
        "Where one place is read and another is not, the text there is left out or has no effect; only where "
        "the server's own count stops is it known to be left out.",
    ),
)

MOST_MODELS = 4


@dataclass(frozen=True)
class BenchView:
    """A report in words: who was asked, each part, and what to keep in mind."""

    title: str
    measured: str
    facts: tuple[tuple[str, str], ...]
    parts: tuple[PartView, ...]
    notes: tuple[str, ...] = field(default=())


def bench_view(report: TestbenchReport) -> BenchView:
    """The report in words. Texts of others are made printable here; escaping is the template's."""
    parts: list[PartView] = []
    if report.determinism is not None:
        parts.append(determinism_part(report.determinism))
    if report.latency is not None:
        parts.append(latency_part(report.latency))
    if report.context is not None:
        parts.append(context_part(report.context))
    if report.semantics is not None:
        parts.append(semantics_part(report.semantics))
    if report.concurrency is not None:
        parts.append(concurrency_part(report.concurrency))
    return BenchView(
        title=f"{printable(report.run.model)} on the test bench",
        measured=_measured(report),
        facts=_facts(report),
        parts=tuple(parts),
        notes=tuple(printable(note) for note in report.notes),
    )


def _measured(report: TestbenchReport) -> str:
    run = report.run
    answered = _models(report)
    who = f"; {figures.listed(answered)} answered" if answered else ""
    state = "" if run.status == "finished" else f" The run is {run.status}: what is missing is not shown."
    return (
        f"{figures.counted(run.calls, 'call')} to {printable(run.model)} at {printable(run.base_url)}{who}; "
        f"{figures.count(run.failed)} came back without a success.{state}"
    )


def _facts(report: TestbenchReport) -> tuple[tuple[str, str], ...]:
    run = report.run
    sends = figures.count(run.sends)
    if run.possibly_billed:
        sends += f", {figures.count(run.possibly_billed)} of them possibly billed without a known answer"
    return (
        ("Run", printable(run.name)),
        ("Parts", ", ".join(run.parts)),
        ("Driver", printable(run.driver)),
        ("Model", printable(run.model)),
        ("Model that answered", figures.listed(_models(report)) or "n/a"),
        ("Sends", sends),
        ("Input tokens", figures.count(run.input_tokens)),
        ("Output tokens", figures.count(run.output_tokens)),
        ("Cost", figures.money(run.cost)),
        ("Seed", str(run.seed)),
    )


def _models(report: TestbenchReport) -> list[str]:
    """The names of the models that answered, the first few of many."""
    names = [printable(name) for name in report.run.models_answered]
    more = len(names) - MOST_MODELS
    return [*names[:MOST_MODELS], f"{more} more"] if more > 0 else names
