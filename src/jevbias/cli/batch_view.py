"""How batches look in a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from jevbias.drain.batches.collection import Collected, CollectionSummary
from jevbias.drain.batches.watching import SeenBatch
from jevbias.drivers.provider_batch import COMPLETED
from jevbias.store.next_commands import NextCommands


def batch_lines(seen: Sequence[SeenBatch]) -> list[str]:
    """A line for each batch, and one more for what is wrong with it."""
    lines = []
    for one in seen:
        batch = one.batch
        parts = [f"batch {batch.id}", one.status, _counted(batch.requests, "request")]
        if batch.status == "collected":
            if batch.provider_status != COMPLETED:
                parts[1] = f"collected ({batch.provider_status})"
            parts.append(f"{batch.answered:,} answered")
            if batch.cost is not None:
                parts.append(f"${batch.cost:.4f}")
        elif one.theirs is not None:
            parts += [
                f"{count:,} {word}"
                for count, word in ((one.theirs.completed, "completed"), (one.theirs.failed, "failed"))
                if count is not None
            ]
        if batch.provider_id is not None:
            parts.append(batch.provider_id)
        lines.append(", ".join(parts))
        problem = one.problem or batch.error
        if problem:
            lines.append(f"  {problem}")
        if one.candidates:
            lines.append(
                f"  it may be {', '.join(one.candidates)}, which will show its requests when it ends"
            )
    return lines


def next_step(seen: Sequence[SeenBatch], commands: NextCommands) -> str | None:
    """What to do about batches; None where there is nothing to do."""
    ready = sum(one.is_ready for one in seen)
    if ready:
        return f"{_counted(ready, 'batch')} ended: {commands.collect} stores the answers"
    if any(one.is_open and not one.hopeless for one in seen):
        return f"{commands.await_batches} waits for them"
    if any(one.is_open for one in seen):
        return (
            f"what is not known to have arrived is sent once more by {commands.submit_again} and may be "
            "billed twice; `jevbias batch adopt ID` takes a batch at the provider for it"
        )
    return None


def batches_json(seen: Sequence[SeenBatch]) -> list[dict[str, Any]]:
    """The same as JSON-ready data; times are seconds since the epoch, costs US dollars."""
    return [_json(one) for one in seen]


def _json(one: SeenBatch) -> dict[str, Any]:
    theirs = one.theirs
    return {
        **asdict(one.batch),
        "provider_status": theirs.status if theirs is not None else one.batch.provider_status,
        "completed": theirs.completed if theirs is not None else None,
        "failed": theirs.failed if theirs is not None else None,
        "problem": one.problem,
        "candidates": list(one.candidates),
        "open": one.is_open,
        "ready": one.is_ready,
    }


def collection_lines(summary: CollectionSummary) -> list[str]:
    """What a collection did, a line for each batch."""
    lines = [_collected(one) for one in summary.collected]
    lines += [f"batch {batch.id}: {status}, not collected yet" for batch, status in summary.waiting]
    lines += [f"batch {batch.id}: {error}" for batch, error in summary.unseen]
    return lines


def _collected(one: Collected) -> str:
    words = ("answered", "refused", "malformed", "failed")
    counts = [f"{number:,} {word}" for word in words if (number := getattr(one, word))]
    if one.retried:
        counts.append(f"{one.retried:,} pending again")
    if one.missing:
        counts.append(f"{one.missing:,} without a result pending again")
    if one.strangers:
        counts.append(f"{one.strangers:,} of others ignored")
    if one.repeated:
        counts.append(f"{one.repeated:,} repeated results ignored")
    line = f"batch {one.batch.id} ({one.status}): {', '.join(counts) or 'nothing new'}"
    return f"{line}; first error: {one.first_error}" if one.first_error else line


def _counted(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{number:,} {what if number == 1 else plural}"
