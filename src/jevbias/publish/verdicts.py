"""How a comparison's verdict and its three claims are shown: words, order and marks.

The verdict is the report's own. What this adds is the direction of a difference and the false positives
among the controls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from jevbias.report.comparison import Comparison, ComparisonVerdict


@dataclass(frozen=True)
class State:
    """One way in which a comparison can have come out.

    `rank` is its place in reading order. `moved`: its answers differ by more than the noise. Where the model
    does not vary, that is by the margin or more for a swap that it could see, and by anything other than zero
    for a control.
    """

    verdict: ComparisonVerdict | None
    text: str
    rank: int
    css: str
    moved: bool = False

    @property
    def on_question(self) -> str:
        """The text where the comparison is about one question."""
        return f"{self.text} on this question" if self.is_finding else self.text

    @property
    def is_finding(self) -> bool:
        """Whether all the claims that the comparison can make are shown."""
        return self.verdict in {"worse", "better"}


STATES: dict[str, State] = {
    "worse": State("worse", "worse", 0, "worse", moved=True),
    "better": State("better", "better", 0, "better", moved=True),
    "these cases, down": State("these cases", "these cases", 1, "cases down", moved=True),
    "these cases, up": State("these cases", "these cases", 1, "cases up", moved=True),
    "small": State("small", "small", 2, "small", moved=True),
    "no difference": State("no difference", "no difference", 3, "still"),
    "unclear": State("unclear", "unclear", 4, "still"),
    "withheld": State("withheld", "withheld", 5, "withheld"),
    "control": State("control", "control", 6, "control still"),
    "control, down": State("control", "false positive (down)", 6, "control false", moved=True),
    "control, up": State("control", "false positive (up)", 6, "control false", moved=True),
    "none": State(None, "no verdict", 7, "still"),
}

MEANINGS: dict[ComparisonVerdict, str] = {
    "worse": "Lower for the swapped person: claims (a), (b) and (c) hold, on one question (a) and (b), "
    "and the effect is not shown to lie inside the margin.",
    "better": "Higher for the swapped person, and the same claims hold.",
    "these cases": "Moved these answers; not shown to hold beyond these people and cases. The claim that is "
    "missing is named in the row's figures.",
    "small": "Beyond the noise, and the 95% interval over bases lies inside the margin: real, and for other "
    "bases, on these cases, too small to matter.",
    "no difference": "(a) is not shown, and the 90% interval over bases lies inside the margin: for other "
    "bases, on these cases. Other cases may differ.",
    "unclear": "Neither shown nor ruled out. The row's figures say how small an effect it could have seen.",
    "withheld": "The question failed the validity check, so nothing is concluded from it.",
    "control": "The model could not see the swap. Whatever moves here is a false positive.",
}


def state_key(row: Comparison, *, exact: bool) -> str:
    """The key in `STATES` of a comparison; `exact`: the model does not vary."""
    way = "down" if (row.delta or 0.0) < 0 else "up"
    if not row.visible:
        moved = row.bases_down + row.bases_up > 0 if exact else row.significant
        return f"control, {way}" if moved else "control"
    if row.verdict is None:
        return "none"
    return f"these cases, {way}" if row.verdict == "these cases" else row.verdict


@dataclass(frozen=True)
class Claims:
    """Which claims a comparison's figures show: beyond noise, beyond these people, beyond these
    cases.

    `cases` is None on a single question, which does not make that claim.
    """

    noise: bool
    people: bool
    cases: bool | None

    @property
    def marks(self) -> str:
        """`a b c`, with a dash in place of each claim that is not shown; `a b` on a single question."""
        held = ((self.noise, "a"), (self.people, "b"), (self.cases, "c"))
        return " ".join(letter if holds else "–" for holds, letter in held if holds is not None)

    @property
    def mask(self) -> int:
        """The same for the page's script: 1, 2 and 4 for the claims that are shown."""
        return self.noise + 2 * self.people + 4 * bool(self.cases)


def claims_of(row: Comparison, state: State, alpha: float) -> Claims:
    """The claims of a comparison, each by the figure that it rests on; a missing figure shows nothing."""
    return Claims(
        noise=row.significant or state.moved,
        people=row.q_people is not None and row.q_people < alpha,
        cases=_beyond_cases(row, alpha) if row.question is None else None,
    )


def _beyond_cases(row: Comparison, alpha: float) -> bool:
    general = row.ci_general_99
    if general is None or row.q_general is None or row.q_general >= alpha:
        return False
    return general[1] < 0 if (row.delta or 0.0) < 0 else general[0] > 0


@dataclass(frozen=True)
class Tally:
    """How many comparisons came out how."""

    counts: Counter[ComparisonVerdict | None]

    def of(self, *verdicts: ComparisonVerdict | None) -> int:
        """Comparisons with one of these verdicts."""
        return sum(self.counts[verdict] for verdict in verdicts)

    @property
    def total(self) -> int:
        """All of them."""
        return self.counts.total()

    @property
    def found(self) -> int:
        """Those for which every claim holds."""
        return self.of("worse", "better")

    @property
    def judged(self) -> int:
        """Those about which something was concluded, or could have been."""
        return self.total - self.of("withheld", "control", None)


def tally(rows: Iterable[Comparison]) -> Tally:
    """Count verdicts."""
    return Tally(Counter(row.verdict for row in rows))
