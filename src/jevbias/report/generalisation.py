"""What a run generalises over, and what its bases can and cannot show."""

from __future__ import annotations

from jevbias.report.base import ReportModel, Share


class FamilyReach(ReportModel):
    """What sign flips can show in one family of `tests` visible comparisons.

    `lone_q` is the q of a single discovery at the floor of p; `bases_needed` the number of bases from which
    one discovery alone can reach alpha; `discoveries_needed` how many must stand together at the floor for
    any of them to reach it with the run's own bases. None without tests, or where no number suffices.
    """

    tests: int
    lone_q: Share | None
    bases_needed: int | None
    discoveries_needed: int | None


class Generalisation(ReportModel):
    """What claims (b) and (c) of this run generalise over, and what its bases can and cannot show."""

    bases: int
    scenarios: int
    drawn: list[str]
    """Attributes whose level differs between anchors."""
    over_people: str
    """What varied between bases, such as `other names and case mixes, same background`."""
    p_floor: Share | None
    pooled: FamilyReach
    per_question: FamilyReach
