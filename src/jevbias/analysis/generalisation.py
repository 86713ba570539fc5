"""What claim (b) of a run generalises over, and what its bases can and cannot show after correction."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jevbias.analysis.comparisons import Block
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.pairs import Pairs
from jevbias.report.generalisation import FamilyReach, Generalisation
from jevbias.stats.sign_flips import smallest_p

OTHER_NAMES = "other names and case mixes, same background"
OTHER_PEOPLE = "other people: names, case mixes and drawn backgrounds"
NOBODY = "nobody else: there is one base"
NOTHING = "nobody: no base was answered"
_MOST_BASES = 64


def generalisation(dataset: Dataset, pairs: Pairs, blocks: Sequence[Block]) -> Generalisation | None:
    """The report's section; None without comparisons."""
    if not blocks or not pairs.comparisons:
        return None
    bases, over = varied(dataset, blocks)
    alpha = dataset.facts.alpha
    return Generalisation(
        bases=bases,
        scenarios=len(dataset.scenarios),
        drawn=drawn_attributes(dataset),
        over_people=over,
        p_floor=smallest_p(bases) if bases else None,
        pooled=family_reach(blocks[0].corrected.family.people, _most_bases(blocks[:1]), alpha),
        per_question=family_reach(
            blocks[1].corrected.family.people if len(blocks) > 1 else 0, _most_bases(blocks[1:]), alpha
        ),
    )


def varied(dataset: Dataset, blocks: Sequence[Block]) -> tuple[int, str]:
    """How many bases any comparison rests on, planned ones that never answered apart, and what varied between
    them.
    """
    bases = _most_bases(blocks)
    if bases <= 1:
        return bases, NOBODY if bases else NOTHING
    return bases, OTHER_PEOPLE if drawn_attributes(dataset) else OTHER_NAMES


def _most_bases(blocks: Sequence[Block]) -> int:
    return max((int(block.people.bases.max(initial=0)) for block in blocks), default=0)


def drawn_attributes(dataset: Dataset) -> list[str]:
    """Attributes whose level differs between anchors, in the catalogue's order."""
    anchors = [dataset.levels[person] for person in range(len(dataset.levels)) if dataset.is_anchor[person]]
    return [
        key
        for key in dataset.catalogue.person_attributes
        if len({levels[key] for levels in anchors if key in levels}) > 1
    ]


def family_reach(tests: int, bases: int, alpha: float) -> FamilyReach:
    """What `bases` can show among `tests` comparisons under Benjamini-Hochberg at `alpha`."""
    if not tests or not bases:
        return FamilyReach(tests=tests, lone_q=None, bases_needed=None, discoveries_needed=None)
    floor = smallest_p(bases)
    together = math.floor(floor * tests / alpha) + 1
    enough = (number for number in range(2, _MOST_BASES) if smallest_p(number) * tests < alpha)
    return FamilyReach(
        tests=tests,
        lone_q=min(floor * tests, 1.0),
        bases_needed=next(enough, None),
        discoveries_needed=together if together <= tests else None,
    )
