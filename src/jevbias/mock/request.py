"""The request as the real API takes it, and what it answers to one that is not right (422)."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from pydantic import BaseModel, Field, JsonValue, ValidationError

Text = str | dict[str, JsonValue] | list[JsonValue] | None


class Detail(TypedDict):
    """One fault of a request: where, what, and a code for machines."""

    loc: list[str | int]
    msg: str
    type: str


class UnprocessableRequest(ValueError):
    """A request that gets status 422; `detail` is the list of its faults."""

    def __init__(self, detail: list[Detail]) -> None:
        super().__init__("; ".join(fault["msg"] for fault in detail))
        self.detail = detail

    @classmethod
    def at(cls, location: list[str | int], message: str, code: str) -> UnprocessableRequest:
        """A request with one fault."""
        return cls([Detail(loc=["body", *location], msg=message, type=code)])


class NoulCriteria(BaseModel):
    """What a yes and a no mean."""

    true: Text = None
    false: Text = None


class NoulQuestion(BaseModel):
    """A yes/no question."""

    type: Literal["noul"]
    instructions: Text = None
    criteria: NoulCriteria | None = None


class ChoiceQuestion(BaseModel):
    """A choice among options."""

    type: Literal["choice"]
    instructions: Text = None
    criteria: dict[str, Text]


class ScoreQuestion(BaseModel):
    """A rubric, lowest level first."""

    type: Literal["score"]
    instructions: Text = None
    criteria: list[str | dict[str, JsonValue] | list[JsonValue]] = Field(min_length=1)


AskedQuestion = Annotated[NoulQuestion | ChoiceQuestion | ScoreQuestion, Field(discriminator="type")]


class SystemOneRequest(BaseModel):
    """`POST /v1/systemone`; keys that the API does not know are ignored, as it does."""

    model: str
    state: str | dict[str, JsonValue] | list[JsonValue]
    questions: dict[str, AskedQuestion] = Field(min_length=1)


def read_request(body: bytes) -> SystemOneRequest:
    """Read a body. Raises UnprocessableRequest."""
    try:
        return SystemOneRequest.model_validate_json(body)
    except ValidationError as invalid:
        faults = invalid.errors(include_url=False, include_context=False, include_input=False)
        raise UnprocessableRequest(
            [Detail(loc=["body", *fault["loc"]], msg=fault["msg"], type=fault["type"]) for fault in faults]
        ) from None
