"""Schemas under `strict`: what is refused in them, and content that satisfies them."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.mock.serve import RunningMock
from jevbias.mock.strict_schema import check_strict, conforming
from tests.mock.http import post

COMPATIBLE = "/v1/chat/completions"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"properties": {"p": {"type": "number", "minimum": 0}}}, "'minimum' is not permitted"),
        ({"additionalProperties": True}, "additionalProperties"),
        ({"required": []}, "required"),
        ({"type": "array"}, "type 'object'"),
        ({"properties": ["p"]}, "'properties' is malformed"),
        ({"properties": {"p": 3}}, "no schema"),
        ({"properties": {"p": {"$ref": "#/$defs/none"}}}, "there is no"),
    ],
)
def test_a_schema_that_providers_refuse_under_strict_is_refused(
    exact_mock: RunningMock, change: dict[str, Any], said: str
) -> None:
    schema = {
        "type": "object",
        "properties": {"p": {"type": "number"}},
        "required": ["p"],
        "additionalProperties": False,
    }
    strict = {"name": "a", "strict": True, "schema": {**schema, **change}}
    form = {"type": "json_schema", "json_schema": strict}
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "response_format": form}
    reply = post(exact_mock, COMPATIBLE, body)
    assert reply.status == 400
    assert said in reply.content["error"]["message"]


_LEAVES = st.sampled_from(
    [
        {"type": "number"},
        {"type": "integer"},
        {"type": "string"},
        {"type": "boolean"},
        {"enum": ["a", "b"]},
        {"const": 3},
        {"type": ["number", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
    ]
)


def _strict_object(properties: dict[str, Any]) -> dict[str, Any]:
    fixed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **fixed}


_OBJECTS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        _LEAVES,
        lambda inner: st.one_of(
            st.dictionaries(st.text(max_size=5), inner, max_size=3).map(_strict_object),
            inner.map(lambda items: {"type": "array", "items": items}),
        ),
        max_leaves=8,
    ),
    max_size=4,
).map(_strict_object)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(_OBJECTS)
def test_content_satisfies_every_strict_schema(schema: dict[str, Any]) -> None:
    check_strict(schema)
    jsonschema.validate(conforming(schema, None), schema)
