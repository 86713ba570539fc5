"""What else a mock can be given to be found out: a context window, facts, and quirks of its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from jevbias.catalogue.models import Strict
from jevbias.catalogue.shape import read_shape
from jevbias.catalogue.yaml12 import read_yaml

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=400)]
ConfidenceFormula = Literal["top", "rescaled_top", "margin", "entropy", "spread", "arbitrary"]


class Context(Strict):
    """How much of a request the model reads. A token is four bytes of the body."""

    tokens: int = Field(ge=1, description="what the model can take")
    beyond: Literal["refuse", "truncate"] = Field(
        "refuse", description="refuse: status 400; truncate: read a part of the state and say nothing"
    )
    keeps: Literal["start", "end", "ends"] = Field(
        "start", description="which part of the state is read where it is truncated"
    )
    counts: Literal["sent", "read", "nothing"] = Field(
        "sent", description="the input tokens that it reports: those sent, those read, or 0"
    )


class Fact(Strict):
    """Text that changes every answer by `size` where the model reads it in the state."""

    contains: Phrase
    size: float = Field(ge=-1, le=1)


class KnownProperties(Strict):
    """A file such as `mock/properties/example.yaml`. Without anything the mock is as without the file, except
    that it answers cases that are not of its catalogue too, near the middle.
    """

    context: Context | None = None
    facts: list[Fact] = Field([], description="each that is read counts")
    first_option: float = Field(
        0, ge=0, le=1, description="how much probability the option that stands first takes from all"
    )
    company: float = Field(0, ge=-1, le=1, description="added where other questions are asked with one")
    key_order: float = Field(
        0, ge=-1, le=1, description="added where the state's first key is not the first in the alphabet"
    )
    negation_gap: float = Field(
        0,
        ge=-1,
        le=1,
        description="by how much P(q) and P(not q) together miss 1; yes and no swapped is not q",
    )
    confidence: ConfidenceFormula = Field("top", description="what `confidence` is computed by")
    score: Literal["expectation", "mode"] = Field("expectation", description="what `score` is")
    mass: float = Field(1, gt=0, le=2, description="what the probabilities of a choice or score add up to")
    choice: Literal["top", "second"] = Field("top", description="which option it names as its choice")


def load_properties(path: Path) -> KnownProperties:
    """Read a file of properties. Raises CatalogueError with file, line and key."""
    reading = read_shape(read_yaml(path), KnownProperties)
    if reading.errors or reading.content is None:
        raise reading.errors[0]
    return reading.content
