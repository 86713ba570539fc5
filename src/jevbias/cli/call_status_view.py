"""How the progress of a run without a plan looks in a terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict

from rich.text import Text
from sqlalchemy import Engine

from jevbias.cli.console import print_json, stdout_console
from jevbias.drain.summary import shown_cost, shown_tokens
from jevbias.store.call_progress import CallProgress, call_progress
from jevbias.store.next_commands import NextCommands


def show_call_progress(engine: Engine, name: str, flags: str, *, as_json: bool) -> CallProgress:
    """Print one look at a run, and return it."""
    progress = call_progress(engine, name)
    if as_json:
        print_json(asdict(progress))
    else:
        stdout_console().print(call_progress_text(progress, flags), soft_wrap=True)
    return progress


def call_progress_text(progress: CallProgress, flags: str = "") -> Text:
    """The progress in a few lines; `flags` is what a command that goes on needs besides the run's name."""
    commands = NextCommands(progress.name, flags, progress.kind)
    status = f"{progress.status}, but no live process works on it" if progress.deserted else progress.status
    lines = [f"run       {progress.name} ({progress.kind}, {status})"]
    if progress.stop_reason:
        lines.append(f"stopped   {progress.stop_reason}")
    calls = f"{progress.done:,} done, {progress.failed:,} of them without a success"
    if progress.open:
        calls += f", {progress.open:,} sent without an answer"
    sends = f"{progress.sends:,}"
    if progress.possibly_billed:
        sends += f", {progress.possibly_billed:,} possibly billed without a known answer"
    lines += [
        f"calls     {calls}",
        f"sends     {sends}",
        f"tokens    {shown_tokens(progress.input_tokens, None, progress.output_tokens)}",
        f"cost      {shown_cost(progress.cost, progress.costed)}",
    ]
    if progress.failures:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in progress.failures.items())
        lines.append(f"failures  {kinds}")
    if progress.at_rest and progress.status != "finished":
        lines.append(f"go on     {commands.resume}")
    if progress.done:
        lines.append(f"report    {commands.analyse}")
    return Text("\n".join(lines))
