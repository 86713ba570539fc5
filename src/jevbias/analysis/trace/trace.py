"""The evidence behind one figure of a report, found by its id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Engine

from jevbias.analysis.trace.comparisons import trace_comparison
from jevbias.analysis.trace.conditions import trace_condition
from jevbias.analysis.trace.evidence import OpenedCell, Trace
from jevbias.analysis.trace.factorial import trace_cell_mean, trace_contrast, trace_interaction
from jevbias.analysis.trace.failures import trace_failures
from jevbias.analysis.trace.hypotheses import trace_hypothesis
from jevbias.analysis.trace.ids import unknown_figure
from jevbias.analysis.trace.moved import trace_drift, trace_model
from jevbias.analysis.trace.noise import trace_noise
from jevbias.analysis.trace.opened import open_cell, open_pair, probe_cell_of
from jevbias.analysis.trace.pair_choice import choose_pair
from jevbias.analysis.trace.placebos import trace_placebo_range
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.validity import trace_validity
from jevbias.errors import UsageError
from jevbias.store.collector import collector_paused
from jevbias.store.runs import find_run

_TRACERS: dict[str, Callable[[TracedRun, str], Trace | None]] = {
    "noise/drift": trace_drift,
    "noise/model/": trace_model,
    "noise/": trace_noise,
    "validity/": trace_validity,
    "conditions/": trace_condition,
    "failures/": trace_failures,
    "placebos/": trace_placebo_range,
    "hypotheses/": trace_hypothesis,
}
"""By how an id begins, the first that fits; every other id is a comparison's or a contrast's."""
_FACTORIAL: dict[str, Callable[[TracedRun, str], Trace | None]] = {
    "cells/": trace_cell_mean,
    "interactions/": trace_interaction,
}


def trace(
    engine: Engine, name: str | None, identifier: str, *, pair: str | None = None, raw: bool = False
) -> Trace | OpenedCell:
    """The evidence behind the figure with this id, of the run of this name or of the newest one.

    A comparison opens one of its pairs too: the strongest, or the one that `pair` names as
    `BASE/SCENARIO[/VARIANT]`. `probe/NUMBER` opens the cell of one probe. With `raw`, what was opened holds
    the replies as they came. The run may be half done. Raises UsageError where there is no such run, figure
    or pair, and where the run is of another kind than a bias run; DatabaseError where the database cannot be
    read.
    """
    run = find_run(engine, name, "bias")
    with collector_paused():
        return trace_with(TracedRun.load(engine, run), identifier, pair=pair, raw=raw)


def trace_with(
    run: TracedRun, identifier: str, *, pair: str | None = None, raw: bool = False
) -> Trace | OpenedCell:
    """The same of a run that was read already."""
    if identifier.startswith("probe/"):
        if pair is not None:
            raise UsageError(f"--pair: {_shown(identifier)} is one probe; pairs are a comparison's")
        return open_cell(run, probe_cell_of(run, identifier), raw=raw)
    found = _tracer(run, identifier)(run, identifier)
    if found is None:
        raise unknown_figure(run, identifier)
    if not found.pairs:
        if pair is not None:
            raise UsageError(f"--pair: {_shown(identifier)} has no pairs; pairs are a comparison's")
        return found
    return replace(found, opened=open_pair(run, *choose_pair(found, pair), raw=raw))


def _tracer(run: TracedRun, identifier: str) -> Callable[[TracedRun, str], Trace | None]:
    factorial = run.dataset.facts.design == "factorial"
    for beginning, tracer in {**_TRACERS, **(_FACTORIAL if factorial else {})}.items():
        if identifier.startswith(beginning):
            return tracer
    return trace_contrast if factorial else trace_comparison


def _shown(identifier: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in identifier[:120])
