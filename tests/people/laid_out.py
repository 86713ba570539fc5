"""The search for a near-orthogonal array, of which a session of tests needs the same few again and again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from jevbias.people.array import near_orthogonal_array
from jevbias.people.pair_counts import Whole

Search = Callable[[Sequence[int], int, int], Whole]


def found_once(folder: Path) -> Search:
    """`near_orthogonal_array`, which keeps what it found in a folder that several processes may share."""

    def find(level_counts: Sequence[int], people: int, seed: int) -> Whole:
        asked = json.dumps([list(level_counts), people, seed])
        kept = folder / f"{hashlib.sha256(asked.encode()).hexdigest()}.npy"
        if kept.exists():
            array: Whole = np.load(kept)
            return array
        array = near_orthogonal_array(level_counts, people, seed)
        draft = kept.with_suffix(f".{os.getpid()}.npy")
        np.save(draft, array)
        draft.rename(kept)
        return array

    return find
