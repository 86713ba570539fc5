"""The test bench's own case: as much speaks for each answer as against it; its state can be of any size."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle, islice
from typing import Literal

from jevbias.catalogue.models import ChoiceQuestion, NoulCriteria, NoulQuestion, Question, ScoreQuestion
from jevbias.plan.model import Ask, Frame

Place = Literal["start", "middle", "end"]
PLACES: tuple[Place, ...] = ("end", "start", "middle")

RELEASE = NoulQuestion(
    kind="noul",
    direction="+",
    measures="release",
    instructions="You run this workshop. On these notes, should the repaired machine go out today?",
    criteria=NoulCriteria(true="Send it out today", false="Keep it for another day of testing"),
)
ROUTE = ChoiceQuestion(
    kind="choice",
    direction="+",
    measures="route",
    instructions="Which way should the machine travel?",
    criteria={
        "collect": "The owner collects it",
        "courier": "A courier takes it, unattended",
        "van": "Our own van takes it, with a fitter",
    },
)
CONDITION = ScoreQuestion(
    kind="score",
    direction="+",
    measures="condition",
    instructions="What condition is the machine in?",
    criteria=[
        "Unsafe to run",
        "Runs, but may stop within a week",
        "Runs well, with signs of wear",
        "As good as new",
    ],
)
HOOK = NoulQuestion(
    kind="noul",
    direction="+",
    measures="fact",
    instructions="According to the notes, does the spare key of cabinet C hang on hook nine?",
    criteria=NoulCriteria(true="On hook nine", false="Somewhere else, or the notes do not say"),
)
FACT = "The spare key of cabinet C hangs on hook nine. Look on hook nine for the key of cabinet C."
COUNTERFACT = "The spare key of cabinet C was lost in May. Nobody can tell where the key of cabinet C is."

_FOR_AND_AGAINST = {
    "machine": "Band saw, eleven years old",
    "repair": "New bearing and belt fitted; the motor was not opened",
    "test_run": "Ran four hours without a fault; the fifth hour showed a slight vibration that went away",
    "owner": "Asks for it today, and says that a day more would do as well",
    "fitter": "Would send it out, and would not mind another day of testing",
}
_FILLER = """
the shelf by the window was dusted on monday and the labels were checked against the list
a parcel of washers came in and was put on the second rack beside the spare belts
nothing else was noted that day except that rain kept the yard door shut until noon
the clock in the hall was four minutes slow and has been set right by the porter
two boxes of paper went upstairs while an empty one came down for the recycling
"""


@dataclass(frozen=True)
class Planted:
    """A fact, or what says the contrary, and where in the notes it stands."""

    place: Place
    is_true: bool


def ambiguous_ask() -> Ask:
    """One question of each kind about a case that could be decided either way."""
    questions: dict[str, Question] = {"release": RELEASE, "route": ROUTE, "condition": CONDITION}
    return _ask(dict(_FOR_AND_AGAINST), questions, "The machine")


def sized_ask(words: int, planted: Planted | None = None) -> Ask:
    """One yes/no question about notes of so many words (at least 12), with a fact planted in them or not."""
    if planted is None:
        return _ask({"notes": filler(words)}, {"release": RELEASE}, "The machine")
    return _ask({"notes": _with_fact(words, planted)}, {"hook": HOOK}, "The workshop")


def filler(words: int) -> str:
    """So many words that say nothing of interest, in numbered entries so that no two are alike."""
    parts: list[str] = []
    source = cycle(_FILLER.split())
    entry = 0
    while words > 0:
        entry += 1
        taken = list(islice(source, min(words - 1, 18))) if words > 1 else []
        parts.append(" ".join([f"{entry}:", *taken]) + ".")
        words -= 1 + len(taken)
    return " ".join(parts)


def _with_fact(words: int, planted: Planted) -> str:
    fact = FACT if planted.is_true else COUNTERFACT
    left = max(0, words - len(fact.split()))
    before = {"start": 0, "middle": left // 2, "end": left}[planted.place]
    return " ".join(part for part in (filler(before), fact, filler(left - before)) if part)


def _ask(case: dict[str, str], questions: dict[str, Question], reference: str) -> Ask:
    frame = Frame(
        scenario="testbench",
        variant="mid",
        title="Releasing a repaired machine",
        role="subject",
        case_key="file",
        case=dict(case),
        questions=questions,
    )
    return Ask(frame, {"reference": reference})
