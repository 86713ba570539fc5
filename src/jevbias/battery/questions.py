"""What a model is asked about a reply: one question that scores it."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from jevbias.catalogue.models import NoulCriteria, NoulQuestion, ScoreQuestion, Strict
from jevbias.catalogue.shape import read_shape
from jevbias.catalogue.yaml12 import read_yaml

ScoringQuestion = NoulQuestion | ScoreQuestion

QUESTION = "quality"
"""The key that the question travels under."""

NOUL = NoulQuestion(
    kind="noul",
    direction="+",
    measures="whether the reply is good",
    instructions="Is this reply a good answer to the message?",
    criteria=NoulCriteria(
        true="The reply answers what was asked, correctly and usefully.",
        false="The reply does not answer what was asked, or answers it wrongly or uselessly.",
    ),
)
SCORE = ScoreQuestion(
    kind="score",
    direction="+",
    measures="how good the reply is",
    instructions="How good is this reply as an answer to the message?",
    criteria=[
        "Useless: it does not answer what was asked, or is wrong.",
        "Poor: it touches what was asked and leaves out or gets wrong most of it.",
        "Fair: it answers in part, or with a flaw that matters.",
        "Good: it answers what was asked, with small gaps at most.",
        "Excellent: it answers what was asked fully and correctly.",
    ],
)
BUILT_IN: dict[str, ScoringQuestion] = {"noul": NOUL, "score": SCORE}


class QuestionFile(Strict):
    """A file with a question of one's own."""

    question: NoulQuestion | ScoreQuestion = Field(discriminator="kind")


def read_question(path: Path) -> ScoringQuestion:
    """The question of a YAML file with the key `question`. Raises CatalogueError: its first fault."""
    reading = read_shape(read_yaml(path), QuestionFile)
    if reading.errors:
        raise reading.errors[0]
    if reading.content is None:
        raise AssertionError("a file without content has an error")
    return reading.content.question
