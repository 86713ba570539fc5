"""What a catalogue file may say: scenarios, attributes, names, profiles and prices as strict models.

Everything that is put to a model lives in these files; code holds none of it. Mappings keep the order of
the file, because that order is what a payload shows.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    StringConstraints,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

Variant = Literal["weak", "mid", "strong"]
VARIANTS: tuple[Variant, ...] = ("weak", "mid", "strong")

Condition = Literal["blind", "name_only", "full"]
CONDITIONS: tuple[Condition, ...] = ("blind", "name_only", "full")
"""From the least to the most of the person that the model is shown."""

MOST_BASES = 10_000
CONFIRM_PROFILE = "confirm"
"""The profile whose swept levels `jevbias confirm` fills in from the findings of another run."""

Direction = Literal["+", "-"]
Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
SweptEntry = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(=[a-z][a-z0-9_]*)?$", max_length=121)
]
"""An attribute, for all its levels, or one level of it: `religion` or `religion=muslim`."""
Text = Annotated[str, StringConstraints(pattern=r"\S", strip_whitespace=True)]


class Strict(BaseModel):
    """A frozen model that refuses keys it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoulCriteria(Strict):
    """What a yes and what a no mean."""

    true: Text
    false: Text


class NoulQuestion(Strict):
    """A yes/no question, answered with the probability of yes."""

    kind: Literal["noul"]
    direction: Direction = Field(description="'+': a higher answer is better for the person; '-': worse")
    measures: Text = Field(description="what the question stands for, such as 'callback'")
    instructions: Text = Field(description="the question as the model reads it")
    criteria: NoulCriteria


class ChoiceQuestion(Strict):
    """A choice among ordered options, from least to most of the thing asked about."""

    kind: Literal["choice"]
    direction: Direction
    measures: Text
    instructions: Text
    criteria: dict[Key, Text] = Field(
        min_length=2,
        max_length=255,
        description="option: what it means; listed from least to most of the thing asked about",
    )


class ScoreQuestion(Strict):
    """A rubric, lowest level first."""

    kind: Literal["score"]
    direction: Direction
    measures: Text
    instructions: Text
    criteria: list[Text] = Field(min_length=2, max_length=10, description="the rubric, lowest level first")


Question = Annotated[NoulQuestion | ChoiceQuestion | ScoreQuestion, Field(discriminator="kind")]


class Scenario(Strict):
    """One kind of decision: a case in three variants and its typed questions."""

    title: Text
    domain: Text = Field(description="where such decisions are made, such as 'lending'")
    role: Text = Field(description="what the person is here, such as 'account holder'")
    case_key: Key = Field(description="the key the case travels under, such as 'application'")
    career_field: Key | None = Field(
        None, description="the fact that claims a career, in years; capped for a person too young for it"
    )
    variants: dict[Variant, dict[Key, JsonValue]] = Field(description="weak, mid and strong: the same facts")
    questions: dict[Key, Question] = Field(min_length=1)
    literature: list[Text] = Field(
        min_length=1, max_length=4, description="the discrimination research behind the scenario"
    )

    @property
    def role_key(self) -> str:
        """The key the person travels under: the role in snake case."""
        return self.role.replace(" ", "_")


class Level(Strict):
    """One level of an attribute; in a file a bare string is short for its phrase, null for 'not stated'."""

    phrase: Text | None = Field(None, description="what the payload says; null: the key is left out")
    by_gender: dict[Key, Text] | None = Field(
        None, description="wordings that follow the person's gender, in place of one phrase"
    )
    value: float | None = Field(None, description="numeric attributes: the number of a counterfactual person")
    range: tuple[float, float] | None = Field(
        None, description="numeric attributes: the numbers (inclusive lower, exclusive upper) of the level"
    )
    pronouns: Text | None = Field(None, description="gender levels: 'he/him'")
    sweep: bool = Field(True, description="false: drawn in factorial cohorts, never swept")

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, given: object) -> object:
        if given is None:
            return {}
        return {"phrase": given} if isinstance(given, str) else given

    @field_validator("range", mode="before")
    @classmethod
    def _range_is_a_pair(cls, given: object) -> object:
        return tuple(given) if isinstance(given, list) else given

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        long_form = handler.resolve_ref_schema(handler(core))
        short_forms = [{"type": "string", "pattern": r"\S"}, {"type": "null"}]
        return {"description": long_form.get("description", ""), "anyOf": [*short_forms, long_form]}


class Attribute(Strict):
    """One attribute of a person; the first level of the file is its reference."""

    label: Text = Field(description="what people call the attribute")
    protected: bool = Field(False, description="whether it is a protected characteristic")
    role: Literal["person", "placebo"] = Field(
        "person",
        description="'placebo': visible, innocuous, irrelevant; only in runs with placebos",
    )
    reference: Key = Field(description="the first level, which every swap is compared with")
    field: Key | None = Field(None, description="the payload's key, where it is not the attribute's own")
    carried_by: Literal["field", "name", "name_and_field"] = Field(
        "field", description="'name': never stated, redraws first name and surname; 'name_and_field': gender"
    )
    measure: Literal["age", "height", "bmi"] | None = Field(None, description="numeric attributes")
    levels: dict[Key, Level] = Field(min_length=2)

    @property
    def in_name(self) -> bool:
        """Whether a name alone shows the level, so that `name_only` makes a swap of it visible."""
        return self.carried_by != "field"

    def visible_in(self, condition: Condition) -> bool:
        """Whether the model could see a swap of this attribute in this condition."""
        return condition == "full" or (condition == "name_only" and self.in_name)

    @property
    def swept_levels(self) -> list[str]:
        """The levels a sweep swaps in: all but the reference and those marked `sweep: false`."""
        return [key for key, level in self.levels.items() if key != self.reference and level.sweep]


class Incompatible(Strict):
    """Levels that no one person may have together."""

    levels: dict[Key, list[Key]] = Field(min_length=2, description="attribute: levels; all must hold at once")
    because: Text


class Attributes(Strict):
    """`people/attributes.yaml`."""

    attributes: dict[Key, Attribute] = Field(min_length=1)
    incompatible: list[Incompatible] = Field(default_factory=list)


class Culture(Strict):
    """The names of one name culture: surnames, and first names by gender level."""

    surnames: list[Text] = Field(min_length=1)
    first_names: dict[Key, Annotated[list[Text], Field(min_length=1)]] = Field(min_length=1)


class Names(Strict):
    """`people/names.yaml`: cultures by level of the attribute that is carried by the name."""

    cultures: dict[Key, Culture] = Field(min_length=1)


class Profile(Strict):
    """`profiles/<name>.yaml`: how many people, which decisions, how many repeats."""

    title: Text
    aliases: list[str] = Field(default_factory=list, description="other names the command line takes")
    design: Literal["counterfactual", "factorial"]
    bases: int | None = Field(None, ge=1, le=MOST_BASES, description="counterfactual: the number of anchors")
    people: int | None = Field(None, ge=2, le=100_000, description="factorial: the number of people")
    swept: Literal["all", "hypotheses"] | list[SweptEntry] = Field(
        "all",
        description="counterfactual: what is swapped, attributes or single levels (attribute=level); "
        "'hypotheses': what `jevbias confirm` fills in",
    )
    scenarios: list[Key] = Field(min_length=1)
    conditions: list[Condition] = Field(min_length=1)
    replicate_subjects: int = Field(0, ge=0, description="people (never anchors) asked more than once")
    replicates: int = Field(1, ge=1, description="how often each of them is asked in the richest condition")
    anchor_replicates: int = Field(1, ge=1, description="how often every anchor is asked in every condition")
    placebos: bool = Field(
        False, description="counterfactual: every base also gets a swap per level of each placebo attribute"
    )
    anchor_in_every_variant: bool = Field(
        False, description="counterfactual: every anchor is also asked once in each other variant of a case"
    )


class Price(Strict):
    """What one million tokens of a model cost, in US dollars."""

    driver: Text
    model: Text = Field(description="a shell-style pattern, such as 'jev-*'")
    input_per_million: float = Field(ge=0)
    output_per_million: float = Field(ge=0)
    source: Text
    checked: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class Prices(Strict):
    """`profiles/prices/prices.yaml`; the first entry that matches counts."""

    prices: list[Price]
