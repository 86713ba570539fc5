"""How the progress of a run looks in a terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rich.text import Text

from jevbias.drain.progress import duration
from jevbias.drain.summary import shown_cost, shown_tokens
from jevbias.store.next_commands import NextCommands, unusable
from jevbias.store.progress import RunProgress


def progress_text(progress: RunProgress, flags: str = "") -> Text:
    """The progress in a few lines; what nobody said reads n/a. `flags` is what a command that goes on needs
    besides the run's name, such as ` --db other.db`.
    """
    commands = NextCommands(progress.name, flags, progress.kind)
    counts = ", ".join(f"{status} {count:,}" for status, count in progress.by_status.items() if count)
    sends = f"{progress.sends:,} known"
    if progress.possible_sends:
        sends += f", {progress.possible_sends:,} possible"
    tokens = shown_tokens(progress.input_tokens, progress.cached_tokens, progress.output_tokens)
    cost = shown_cost(progress.cost, progress.costed)
    if progress.cost is not None and progress.uncosted:
        cost += f" without {progress.uncosted:,} replies that named none"
    status = f"{progress.status}, but no live process works on it" if progress.deserted else progress.status
    lines = [f"run       {progress.name} ({status})"]
    if progress.stop_reason:
        lines.append(f"stopped   {progress.stop_reason}")
    lines += [
        f"probes    {progress.finished:,} of {progress.probes:,} done: {counts}",
        f"answers   {progress.answers:,}",
        f"sends     {sends}",
        f"tokens    {tokens}",
        f"cost      {cost}",
    ]
    if progress.failures:
        lines.append(
            "failures  " + ", ".join(f"{kind} {count:,}" for kind, count in progress.failures.items())
        )
    if progress.incomplete:
        lines.append(f"missing   {progress.incomplete:,} answered probes lack an answer to some question")
    if progress.parked and progress.next_at is not None:
        lines.append(f"parked    {progress.parked:,}, the first until {_time(progress.next_at)}")
    if progress.in_batches:
        lines.append(
            f"batches   {progress.in_batches:,} of the running are in batches: {commands.await_batches}"
        )
    if progress.abandoned:
        lines.append(f"abandoned {progress.abandoned:,} held by a process that is gone: {commands.reset}")
    if progress.rate is not None and progress.left:
        eta = "n/a" if progress.eta_seconds is None else duration(progress.eta_seconds)
        lines.append(f"rate      {progress.rate:.1f} a second, {eta} to go")
    if progress.left > progress.in_batches and (
        progress.deserted or progress.status in ("planned", "stopped")
    ):
        lines.append(f"go on     {commands.resume}")
    if again := unusable(progress.by_status["failed"], progress.by_status["malformed"]):
        lines.append(f"again     {again}: {commands.again}")
    return Text("\n".join(lines))


def progress_json(progress: RunProgress) -> dict[str, Any]:
    """The same as JSON-ready data; times are seconds since the epoch."""
    return {**asdict(progress), "finished": progress.finished, "left": progress.left}


def _time(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).astimezone().strftime("%H:%M:%S")
