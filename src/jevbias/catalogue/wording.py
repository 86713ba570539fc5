"""What a schema allows at a place of a file, and what a file has there, in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, TypeAlias

from jevbias.catalogue.keypath import KeyPath, YamlValue, child, one_line

Schema: TypeAlias = dict[str, Any]

_PATTERNS = {
    r"^[a-z][a-z0-9_]*(=[a-z][a-z0-9_]*)?$": "an attribute or attribute=level, such as religion=muslim",
    r"^[a-z][a-z0-9_]*$": "a key (lower-case letters, digits and _, a letter first)",
    r"^\d{4}-\d{2}-\d{2}$": "a date such as 2026-09-20",
}


class Allowed:
    """What may stand at one place: a schema within its root, followed down with the data beside it."""

    def __init__(self, root: Schema, schema: Schema | None = None) -> None:
        self.root = root
        self.alternatives = list(self._flat(root if schema is None else schema))

    def at(self, path: KeyPath, data: YamlValue) -> Allowed:
        """The place at `path` below this one, where the file has `data` here."""
        if not path:
            return self
        return self.inner(path[0], data).at(path[1:], child(data, path[0]))

    def inner(self, part: str | int, data: YamlValue) -> Allowed:
        """The place of one key or item; anything may stand where no schema says otherwise."""
        for schema in self._fitting(data):
            if isinstance(part, int):
                items = schema.get("prefixItems", [])
                found = items[part] if part < len(items) else schema.get("items")
            else:
                found = schema.get("properties", {}).get(part)
                found = found or next(iter(schema.get("patternProperties", {}).values()), None)
                found = found or schema.get("additionalProperties")
            if isinstance(found, dict):
                return Allowed(self.root, found)
        return Allowed(self.root, {})

    def keys(self, data: YamlValue) -> list[str]:
        """The names a key may have here; none where any well-formed key will do."""
        names: dict[str, None] = {}
        for schema in self._fitting(data):
            names |= dict.fromkeys(schema.get("properties", schema.get("propertyNames", {}).get("enum", [])))
        return list(names)

    def constants(self, key: str) -> str:
        """What the key that tells the alternatives apart may be."""
        return _one_of([schema["properties"][key]["const"] for schema in self.alternatives])

    def key_rule(self, data: YamlValue) -> str:
        """How a key must be spelt here."""
        rules = [p for schema in self._fitting(data) for p in schema.get("patternProperties", {})]
        return _PATTERNS.get(rules[0], "a key") + " of at most 60 characters" if rules else "a key"

    def describe(self) -> str:
        """What is expected here, such as `a whole number from 1 to 10000`."""
        longest_last = sorted(self.alternatives, key=lambda schema: schema.get("type") == "object")
        return " or ".join(dict.fromkeys(_describe(schema) for schema in longest_last))

    def _flat(self, schema: Schema) -> Iterable[Schema]:
        while "$ref" in schema:
            schema = self.root["$defs"][schema["$ref"].rpartition("/")[2]]
        inner = schema.get("anyOf") or schema.get("oneOf")
        if not inner:
            yield schema
        for alternative in inner or []:
            yield from self._flat(alternative)

    def _fitting(self, data: YamlValue) -> list[Schema]:
        """Among alternatives told apart by a constant (`kind: noul`), the one the data declares."""
        declared = [
            schema
            for schema in self.alternatives
            if isinstance(data, dict)
            and any(
                "const" in value and data.get(key) == value["const"]
                for key, value in schema.get("properties", {}).items()
            )
        ]
        return declared or self.alternatives


def unknown_key(key: str, allowed: list[str]) -> str:
    """The message for a key that is not one of those allowed."""
    near = closest_key(key, allowed)
    guess = f" (did you mean '{near}'?)" if near else ""
    return f"unknown key{guess}; allowed: {', '.join(allowed)}"


def closest_key(key: str, allowed: list[str]) -> str | None:
    """The allowed key that an unknown one looks like."""
    return next(iter(get_close_matches(key, allowed, n=1, cutoff=0.6)), None)


def say(value: YamlValue) -> str:
    """A value as a message shows it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text '{one_line(value)}'" if value.strip() else "an empty text"
    if isinstance(value, list):
        return f"a list of {_counted(len(value), 'item')}" if value else "an empty list"
    return f"a mapping with {_keys(list(value))}" if value else "an empty mapping"


def _describe(schema: Schema) -> str:
    if "const" in schema:
        return f"'{schema['const']}'"
    if "enum" in schema:
        return _one_of(schema["enum"])
    number = _span(schema, "minimum", "maximum")
    words = {
        "string": _PATTERNS.get(schema.get("pattern", ""), "text"),
        "null": "null",
        "boolean": "true or false",
        "integer": f"a whole number{number}",
        "number": f"a number{number}",
        "array": "a list" + _span(schema, "minItems", "maxItems", "item"),
        "object": _describe_mapping(schema),
    }
    return words.get(schema.get("type", ""), "something else")


def _describe_mapping(schema: Schema) -> str:
    required = schema.get("required", [])
    if required:
        return f"a mapping with {_keys(required)}"
    if "properties" in schema:
        return f"a mapping with any of {_keys(list(schema['properties']))}"
    return "a mapping" + _span(schema, "minProperties", "maxProperties", "key")


def _span(schema: Schema, low: str, high: str, unit: str = "") -> str:
    """The bounds of a number or, with a unit, of a count."""
    least, most = schema.get(low), schema.get(high)
    if least is None:
        return ""
    if most is None or least == most:
        bound = "" if most is not None else "at least "
        return f" of {bound}{_counted(least, unit)}"
    return f" of {least} to {_counted(most, unit)}" if unit else f" from {least} to {most}"


def _counted(number: float, unit: str) -> str:
    return f"{number} {unit}{'s' if number != 1 else ''}" if unit else f"{number}"


def _one_of(values: list[str]) -> str:
    return "one of " + ", ".join(f"'{value}'" for value in values)


def _keys(names: list[str]) -> str:
    shown = ", ".join(one_line(name) for name in names[:12]) + (", …" if len(names) > 12 else "")
    return f"the key{'s' if len(names) > 1 else ''} {shown}"
