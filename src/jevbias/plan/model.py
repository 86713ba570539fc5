"""What a plan is made of: frames, asks and probes. Neutral about who will answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import JsonValue, TypeAdapter

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.models import Condition, Profile, Question, Variant
from jevbias.people.person import Person

_QUESTIONS: TypeAdapter[dict[str, Question]] = TypeAdapter(dict[str, Question])


@dataclass(frozen=True)
class Frame:
    """A scenario's variant with its questions: all that an ask says besides the person.

    One scenario and variant has one frame, except where a factorial person is too young for the career that
    the case claims: the capped case is a frame of its own.
    """

    scenario: str
    variant: Variant
    title: str
    role: str
    case_key: str
    case: Mapping[str, JsonValue]
    questions: Mapping[str, Question]

    @property
    def role_key(self) -> str:
        """The key the person travels under: the role in snake case."""
        return self.role.replace(" ", "_")

    @property
    def content(self) -> dict[str, Any]:
        """The frame as JSON-ready data, in payload order; `Frame.from_content` reads it back."""
        return {
            "scenario": self.scenario,
            "variant": self.variant,
            "title": self.title,
            "role": self.role,
            "case_key": self.case_key,
            "case": dict(self.case),
            "questions": _QUESTIONS.dump_python(dict(self.questions), mode="json"),
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Frame:
        """The frame whose `content` this is."""
        return cls(**{**content, "questions": _QUESTIONS.validate_python(content["questions"])})

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the content, hex."""
        return canonical_hash(self.content)


@dataclass(frozen=True)
class Ask:
    """A frame and one person block: what one probe asks, whoever answers it.

    `person` is the block in payload order; its first key is `reference`.
    """

    frame: Frame
    person: Mapping[str, str]

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the frame's hash and the person block, hex."""
        return canonical_hash({"frame": self.frame.hash, "person": dict(self.person)})

    @property
    def state(self) -> dict[str, Any]:
        """The case under the scenario's key, then the person under their role."""
        return {self.frame.case_key: dict(self.frame.case), self.frame.role_key: dict(self.person)}


class PlannedProbe(NamedTuple):
    """One call to come. `person` is a `Person.idx`; `replicate` counts from 0; `position` is the place in
    the shuffled order, from 0.
    """

    position: int
    person: int
    scenario: str
    variant: Variant
    condition: Condition
    replicate: int
    ask_hash: str


@dataclass(frozen=True)
class Plan:
    """A whole run before anyone answers it.

    `profile` is the profile after narrowing; `snapshot` is `Catalogue.snapshot` of what the run uses;
    `plan_hash` covers profile, seed, catalogue hash and the ordered probes, never a model, driver or name.
    """

    profile_name: str
    profile: Profile
    seed: int
    snapshot: Mapping[str, Any]
    catalogue_hash: str
    people: tuple[Person, ...]
    asks: Mapping[str, Ask]
    probes: Sequence[PlannedProbe]
    plan_hash: str

    @property
    def frames(self) -> dict[str, Frame]:
        """Every frame that is asked, by hash."""
        return {ask.frame.hash: ask.frame for ask in self.asks.values()}
