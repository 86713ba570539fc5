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
_MOST_BASES = 64


def generalisation(dataset: Dataset, pairs: Pairs, blocks: Sequence[Block]) -> Generalisation | None:
    """The report's section; None without comparisons."""
    if not blocks or not pairs.comparisons:
        return None
    bases = len(pairs.bases)
    drawn = drawn_attributes(dataset)
    floor = smallest_p(bases) if bases else None
    alpha = dataset.facts.alpha
    return Generalisation(
        bases=bases,
        scenarios=len(dataset.scenarios),
        drawn=drawn,
        over_people=NOBODY if bases == 1 else OTHER_PEOPLE if drawn else OTHER_NAMES,
        p_floor=floor,
        pooled=family_reach(blocks[0].corrected.family.people, bases, alpha),
        per_question=family_reach(blocks[1].corrected.family.people if len(blocks) > 1 else 0, bases, alpha),
    )


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
