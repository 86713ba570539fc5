"""A chat completion as clients ask for one, and the case that its prompt is about."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError

from jevbias.mock.refusal import RefusedRequest
from jevbias.mock.request import SystemOneRequest


class TextPart(BaseModel):
    """One part of a message; a mark for a cache may stand beside it."""

    type: Literal["text"]
    text: str


class Message(BaseModel):
    """One message, as plain text or in parts."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart]

    @property
    def text(self) -> str:
        """All it says."""
        return self.content if isinstance(self.content, str) else "".join(p.text for p in self.content)


class JsonSchemaFormat(BaseModel):
    """The named schema of a response format."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    strict: bool | None = None
    schema_: dict[str, JsonValue] = Field(alias="schema")


class ResponseFormat(BaseModel):
    """How the answer is to be written."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchemaFormat | None = None


class ProviderChoice(BaseModel):
    """Which of OpenRouter's providers may answer."""

    require_parameters: bool = False


class Reasoning(BaseModel):
    """How long to think, as OpenRouter takes it."""

    effort: str | None = None


class ChatRequest(BaseModel):
    """`POST …/chat/completions`; keys that the mock does not know are ignored."""

    model: str = Field(min_length=1)
    messages: list[Message] = Field(min_length=1)
    response_format: ResponseFormat | None = None
    max_tokens: int | None = Field(None, gt=0)
    max_completion_tokens: int | None = Field(None, gt=0)
    stream: bool | None = None
    provider: ProviderChoice | None = None
    reasoning: Reasoning | None = None
    reasoning_effort: str | None = None

    @property
    def strict_schema(self) -> dict[str, Any] | None:
        """The schema that the answer has to satisfy, where one is asked for strictly."""
        asked = self.response_format
        named = asked.json_schema if asked is not None and asked.type == "json_schema" else None
        return named.schema_ if named is not None and named.strict else None

    @property
    def token_limit(self) -> int | None:
        """How many tokens the answer may have."""
        return self.max_completion_tokens or self.max_tokens

    def prompt_text(self, *, instructions: bool) -> str:
        """What the messages say: the instructions, which lead, or everything else."""
        return "".join(
            message.text
            for message in self.messages
            if (message.role in ("system", "developer")) == instructions
        )


_REQUEST = TypeAdapter(ChatRequest)


def read_chat(content: bytes | dict[str, JsonValue]) -> ChatRequest:
    """Read a request, from its bytes or from JSON already read. Raises RefusedRequest (400)."""
    try:
        request = (
            _REQUEST.validate_json(content)
            if isinstance(content, bytes)
            else _REQUEST.validate_python(content)
        )
    except ValidationError as invalid:
        fault = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"])
        raise RefusedRequest(400, f"{where}: {fault['msg']}" if where else fault["msg"]) from None
    if request.stream:
        raise RefusedRequest(400, "stream: the mock answers whole")
    return request


_CASE = re.compile(r"<case>\s*\n([^\n]*)\n\s*</case>\s*\n\s*<questions>\s*\n([^\n]*)\n\s*</questions>")


@dataclass(frozen=True)
class _Prompt:
    facts: dict[str, Any]
    questions: dict[str, Any]
    person: dict[str, Any]


def case_of(request: ChatRequest) -> SystemOneRequest | None:
    """The questions of a prompt as System One would put them: the case and the questions stand in the
    instructions between `<case>` and `<questions>`, the person is the whole of the user's message. None where
    the instructions hold no case. Raises RefusedRequest where what they hold cannot be read.
    """
    found = _CASE.search(request.prompt_text(instructions=True))
    if found is None:
        return None
    prompt = _Prompt(
        _object(found[1], "the text in <case>"),
        _object(found[2], "the text in <questions>"),
        _object(request.prompt_text(instructions=False), "the user's message"),
    )
    try:
        return SystemOneRequest.model_validate(
            {
                "model": request.model,
                "state": {**prompt.facts, **prompt.person},
                "questions": prompt.questions,
            }
        )
    except ValidationError as invalid:
        fault = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"])
        raise RefusedRequest(400, f"the prompt's {where}: {fault['msg']}") from None


def _object(text: str, what: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedRequest(400, f"{what} is not JSON") from None
    if not isinstance(content, dict):
        raise RefusedRequest(400, f"{what} is no JSON object")
    return content
