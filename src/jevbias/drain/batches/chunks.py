"""Which requests travel together in a batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from jevbias.people.keyed import keyed_bytes
from jevbias.store.batch_probes import PendingProbe

Chunk = tuple[PendingProbe, ...]


def chunked(probes: Iterable[PendingProbe], size: int, seed: int) -> list[Chunk]:
    """Divide probes into chunks of at most `size`, in the order in which to submit them.

    Two aims meet here. Requests that begin alike stand side by side, because a provider's cache keeps a
    beginning for minutes only: probes are sorted by frame, and a frame is divided only where it is larger
    than a chunk. And the spread of a cell's repeats is the null that findings are tested against, so no two
    of them may share a chunk: each replicate number has chunks of its own. The order of the chunks is a draw
    keyed by the seed.
    """
    if size < 1:
        raise ValueError("a chunk holds at least one request")
    chunks: list[Chunk] = []
    by_replicate = sorted(probes, key=lambda probe: (probe.replicate, *_beginning(probe), probe.position))
    for _, repeats in groupby(by_replicate, key=lambda probe: probe.replicate):
        chunks += _packed([list(frame) for _, frame in groupby(repeats, key=_beginning)], size)
    return sorted(chunks, key=lambda chunk: keyed_bytes(seed, "batches", min(p.position for p in chunk)))


def _beginning(probe: PendingProbe) -> tuple[str, str, int]:
    """What requests with the same beginning have in common."""
    return probe.scenario, probe.variant, probe.frame_id


def _packed(frames: Sequence[list[PendingProbe]], size: int) -> list[Chunk]:
    """Whole frames, as many as fit; one that is larger than a chunk is divided evenly into chunks."""
    chunks: list[list[PendingProbe]] = []
    for frame in frames:
        parts = -(-len(frame) // size)
        bounds = [len(frame) * part // parts for part in range(parts + 1)]
        for start, end in pairwise(bounds):
            part = frame[start:end]
            if parts == 1 and chunks and len(chunks[-1]) + len(part) <= size:
                chunks[-1] += part
            else:
                chunks.append(part)
    return [tuple(chunk) for chunk in chunks]
