"""JSON Schema as providers take it under `strict`, and content that satisfies it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from jevbias.mock.refusal import RefusedRequest

Wanted: TypeAlias = "float | Mapping[str, Wanted]"
"""What the answer has to say: a number, or something for every key."""

_KEYWORDS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"),
        *("$ref", "$defs", "title", "description"),
    }
)
_SHAPES: Mapping[str, type] = {
    "properties": dict,
    "$defs": dict,
    "required": list,
    "anyOf": list,
    "enum": list,
}
_DEEPEST = 20
_NEUTRAL: Mapping[str, object] = {"number": 0.5, "integer": 0, "string": "", "boolean": False, "array": []}


def check_strict(schema: Mapping[str, Any]) -> None:
    """Refuse (400) what providers refuse under `strict`: an object that does not require all its properties
    and forbid others, and any keyword beside the few that all of them know, such as `minimum`.
    """
    if schema.get("type") != "object":
        raise RefusedRequest(400, "response_format: the schema must be of type 'object'")
    _check(schema, "schema", 0)


def conforming(schema: Mapping[str, Any], wanted: Wanted | None) -> object:
    """Content that satisfies a checked schema and says what is wanted; without anything wanted (None), or
    where the schema leaves no room for it, something neutral. Raises RefusedRequest (400) where the schema
    asks for a key that nothing is wanted for, or for another type.
    """
    return _fill(schema, schema, wanted, "schema", 0)


def _check(schema: object, where: str, depth: int) -> None:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        raise RefusedRequest(400, f"response_format: {where} is no schema, or is nested too deeply")
    for keyword, kind in _SHAPES.items():
        if not isinstance(schema.get(keyword, kind()), kind):
            raise RefusedRequest(400, f"response_format: {where}: '{keyword}' is malformed")
    if unknown := sorted(schema.keys() - _KEYWORDS):
        raise RefusedRequest(400, f"response_format: {where}: '{unknown[0]}' is not permitted under strict")
    properties = schema.get("properties", {})
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise RefusedRequest(400, f"response_format: {where}: additionalProperties must be false")
        if sorted(map(str, schema.get("required", []))) != sorted(properties):
            raise RefusedRequest(400, f"response_format: {where}: required must name every property")
    for keyword in ("properties", "$defs"):
        for key, part in schema.get(keyword, {}).items():
            _check(part, f"{where}.{key}", depth + 1)
    for part in schema.get("anyOf", []):
        _check(part, where, depth + 1)
    if "items" in schema:
        _check(schema["items"], f"{where}[]", depth + 1)


def _fill(
    root: Mapping[str, Any], schema: Mapping[str, Any], wanted: Wanted | None, where: str, depth: int
) -> object:
    if depth > _DEEPEST:
        raise RefusedRequest(400, f"response_format: {where} is nested too deeply")
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        found = root.get("$defs", {}).get(name)
        if found is None:
            raise RefusedRequest(400, f"response_format: {where}: there is no {schema['$ref']}")
        return _fill(root, found, wanted, where, depth + 1)
    if schema.get("anyOf"):
        return _fill(root, schema["anyOf"][0], wanted, where, depth + 1)
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        return _fill_object(root, schema, wanted, where, depth)
    if wanted is None:
        return _NEUTRAL.get(str(kind))
    if isinstance(wanted, Mapping) or kind not in ("number", "integer"):
        raise RefusedRequest(400, f"response_format: {where}: the answer is no {kind}")
    return round(wanted) if kind == "integer" else wanted


def _fill_object(
    root: Mapping[str, Any], schema: Mapping[str, Any], wanted: Wanted | None, where: str, depth: int
) -> dict[str, object]:
    if wanted is not None and not isinstance(wanted, Mapping):
        raise RefusedRequest(400, f"response_format: {where}: the answer is no object")
    content = {}
    for key, part in schema.get("properties", {}).items():
        if wanted is not None and key not in wanted:
            raise RefusedRequest(400, f"response_format: {where}.{key}: nothing of that name is asked")
        content[key] = _fill(root, part, None if wanted is None else wanted[key], f"{where}.{key}", depth + 1)
    return content
