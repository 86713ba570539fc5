"""What a battery was planned from, as its archive holds it: the pairs, the question, and who was scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from jevbias.battery.pairs import SIDES, Control, PairSet
from jevbias.battery.plan import pair_frame, reply_person
from jevbias.battery.scores import SETTING
from jevbias.catalogue.models import Key, NoulQuestion, ScoreQuestion, Strict, Text
from jevbias.people.person import Person
from jevbias.plan.model import Frame
from jevbias.store.archive.faults import Fault, described
from jevbias.store.archive.records import PersonLine, RunFields


class _StoredPair(Strict):
    axis: Key
    family: Text
    number: int = Field(ge=1)
    prompt: Text
    with_feature: Text = Field(alias="with")
    without_feature: Text = Field(alias="without")
    keep: list[Text]


class _StoredPairs(Strict):
    controls: dict[Key, Control]
    about: dict[Key, Text]
    pairs: list[_StoredPair] = Field(min_length=1)


class _StoredBattery(Strict):
    battery: _StoredPairs
    question: Annotated[NoulQuestion | ScoreQuestion, Field(discriminator="kind")]


class _StoredSetting(Strict):
    pairs: str
    scorer: str
    kind: Literal["question", "python", "file"]
    asked: bool
    path: str | None = None
    scores_hash: str | None = None
    repeats_lost: int = Field(0, ge=0)
    unusable: dict[str, str] = Field(default_factory=dict)


class PairsSnapshot:
    """The pairs and the question of a battery."""

    def __init__(self, run: RunFields, snapshot: Mapping[str, Any]):
        try:
            self._question = _StoredBattery.model_validate(snapshot).question
            setting = _StoredSetting.model_validate(run.settings.get(SETTING))
        except ValidationError as error:
            raise Fault(f"the battery is none that this jevbias can read: {described(error)}") from None
        self._pairs = PairSet.from_content(snapshot["battery"], setting.pairs)
        self._by_id = {pair.id: pair for pair in self._pairs.pairs}
        if len(self._by_id) < len(self._pairs.pairs):
            raise Fault("the battery has a pair twice")
        self.places: Mapping[str, int] = {axis: place for place, axis in enumerate(self._pairs.by_axis)}

    def check_person(self, person: PersonLine) -> None:
        """Raises Fault for what is no reply of the pairs in its place."""
        number, place = divmod(person.idx, len(SIDES))
        if number >= len(self._pairs.pairs):
            raise Fault("there are more replies than the battery's pairs have")
        said = Person(
            idx=person.idx,
            base=person.base,
            is_anchor=person.is_anchor,
            swapped_attribute=person.swapped_attribute,
            swapped_level=person.swapped_level,
            full_name=person.full_name,
            levels=person.attributes,
            age=person.age,
            height_cm=person.height_cm,
            weight_kg=person.weight_kg,
        )
        if said != reply_person(person.idx, number, self._pairs.pairs[number], SIDES[place]):
            raise Fault("the reply is not the one that the battery has in its place")

    def check_frame(self, frame: Frame) -> None:
        """Raises Fault for what the battery does not ask."""
        pair = self._by_id.get(frame.title)
        if pair is None or frame.content != pair_frame(pair, self._question).content:
            raise Fault("the frame's prompt and question are not those of the battery")
