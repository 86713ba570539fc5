"""What claim (b) of a run speaks for, and what its bases can and cannot show after correction."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.generalisation import FamilyReach
from jevbias.report.run_report import RunReport


def beyond(report: RunReport) -> str:
    """Whom claim (b) is about, in a few words: other people only where backgrounds were drawn.

    Empty where there is nobody that it could be about, because only one base was answered, or none.
    """
    reach = report.generalisation
    if reach is None:
        return "other names and case mixes"
    if reach.over_people.startswith("nobody"):
        return ""
    return "other people" if reach.drawn else "other names and case mixes"


def reach_sentences(report: RunReport) -> str:
    """What claim (b) generalises over, and whether one discovery alone can reach it; empty without swaps."""
    reach = report.generalisation
    if reach is None:
        return ""
    said = f"Claim (b) generalises over {printable(reach.over_people)}."
    if not beyond(report):
        return said
    families = (("pooled", reach.pooled), ("per-question", reach.per_question))
    barred = [
        _barred(name, family)
        for name, family in families
        if family.lone_q is not None and family.lone_q >= report.run.alpha
    ]
    if reach.p_floor is None or not barred:
        return said
    return (
        f"{said} With {figures.counted(reach.bases, 'base')} no lone discovery of it is possible: the "
        f"smallest p that flipping signs can give, {figures.p_value(reach.p_floor)}, becomes "
        f"{figures.listed(barred)}."
    )


def _barred(name: str, family: FamilyReach) -> str:
    alone = (
        "no number of bases is enough for one alone"
        if family.bases_needed is None
        else f"one alone takes {figures.counted(family.bases_needed, 'base')}"
    )
    together = (
        f"or {figures.count(family.discoveries_needed)} at that p together"
        if family.discoveries_needed is not None
        else "and even all of them together are too few"
    )
    return (
        f"a q of {figures.p_value(family.lone_q)} among "
        f"{figures.counted(family.tests, f'{name} comparison')} ({alone}, {together})"
    )
