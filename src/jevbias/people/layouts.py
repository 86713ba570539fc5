"""What the near-orthogonal layout buys: the same people, shuffled and searched."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.people.array import LayoutQuality, balanced_shuffle, layout_quality, near_orthogonal_array

_MOST_PEOPLE = 100_000


@dataclass(frozen=True)
class Layout:
    """A way of laying people out; `seconds` is the CPU time it took."""

    name: str
    quality: LayoutQuality
    seconds: float


def compare_layouts(catalogue: Catalogue, people: int, seed: int) -> tuple[Layout, ...]:
    """Lay `people` people out over the categorical attributes of the catalogue in each way there is.

    Raises UsageError for more people than a profile may have, and for a catalogue without such attributes.
    """
    if not 1 <= people <= _MOST_PEOPLE:
        raise UsageError(f"{people} people cannot be laid out; allowed: 1 to {_MOST_PEOPLE}")
    level_counts = [len(a.levels) for a in catalogue.person_attributes.values() if a.measure is None]
    if not level_counts:
        raise UsageError("attributes.yaml has no attribute without a measure, so there is nothing to lay out")
    layouts = []
    for name, lay_out in (
        ("balanced shuffles", balanced_shuffle),
        ("near-orthogonal", near_orthogonal_array),
    ):
        start = process_time()
        array = lay_out(level_counts, people, seed)
        seconds = process_time() - start
        layouts.append(Layout(name, layout_quality(array, level_counts), seconds))
    return tuple(layouts)
