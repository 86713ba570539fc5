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
    """What claim (b) generalises over, and what its bases bar from being worse or better, family by family.

    Empty without swaps, and where nothing was answered.
    """
    reach = report.generalisation
    if reach is None or not report.run.answered:
        return ""
    said = f"Claim (b) generalises over {printable(reach.over_people)}."
    if not beyond(report):
        return said
    families = {
        name: (family, _bases(report, pooled))
        for name, family, pooled in (
            ("pooled comparison", reach.pooled, True),
            ("comparison on single questions", reach.per_question, False),
        )
        if family.tests
    }
    barred = {
        name: (family, bases)
        for name, (family, bases) in families.items()
        if family.lone_q is not None and family.lone_q >= report.run.alpha
    }
    hopeless = [bases for family, bases in barred.values() if family.discoveries_needed is None]
    if len(hopeless) == len(families) and len(set(hopeless)) == 1:
        bases = figures.counted(hopeless[0], "base")
        return f"{said} With {bases} nothing can be worse or better, however large."
    return " ".join([said, *(_barred(name, *about) for name, about in barred.items())])


def _bases(report: RunReport, pooled: bool) -> int:
    """How many bases the comparisons of a family rest on at most; a family can rest on fewer than the run."""
    most = max(
        (row.bases for row in report.comparisons if row.visible and (row.question is None) is pooled),
        default=0,
    )
    return most or (report.generalisation.bases if report.generalisation else 0)


def _barred(name: str, family: FamilyReach, bases: int) -> str:
    with_bases = f"With {figures.counted(bases, 'base')}"
    plural = name.replace("comparison", "comparisons")
    whole = f"the {figures.count(family.tests)} {plural}" if family.tests > 1 else f"the only {name}"
    enough = (
        f"it takes {figures.counted(family.bases_needed, 'base')}" if family.bases_needed is not None else ""
    )
    if family.discoveries_needed is None:
        none = f"none of {whole} can" if family.tests > 1 else f"{whole} cannot"
        one = f": for a single one {enough}" if enough else ""
        return f"{with_bases} {none} be worse or better, however large{one}."
    together = f"{figures.count(family.discoveries_needed)} comparisons whose bases all agree"
    takes = f"{enough}, or {together}" if enough else f"it takes {together}"
    return f"{with_bases} a single one of {whole} cannot be worse or better, however large: {takes}."
