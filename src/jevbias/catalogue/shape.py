"""Whether a file has the shape of its kind: a document against its model, faults in plain words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from jevbias.catalogue.keypath import KeyPath, YamlValue, child
from jevbias.catalogue.models import Strict
from jevbias.catalogue.schemas import json_schema
from jevbias.catalogue.wording import Allowed, closest_key, say, unknown_key
from jevbias.catalogue.yaml12 import YamlDocument
from jevbias.errors import CatalogueError

ModelT = TypeVar("ModelT", bound=Strict)


@dataclass(frozen=True)
class Reading(Generic[ModelT]):
    """A file, what it says where it has the right shape, and what is wrong with it."""

    document: YamlDocument
    content: ModelT | None
    errors: tuple[CatalogueError, ...]


def read_shape(document: YamlDocument, model: type[ModelT]) -> Reading[ModelT]:
    """Hold a document against a model; a value of the wrong type is refused, never converted."""
    if document.data is None:
        empty = document.error((), f"is empty; expected {Allowed(json_schema(model)).describe()}")
        return Reading(document, None, document.errors or (empty,))
    try:
        content = model.model_validate_json(json.dumps(document.data), strict=True)
    except ValidationError as invalid:
        reported = {error.key for error in document.errors}
        faults = _errors(document, Allowed(json_schema(model)), invalid.errors(include_url=False))
        found = [error for error in faults if error.key not in reported]
        return Reading(document, None, (*document.errors, *found))
    return Reading(document, content, document.errors)


@dataclass(frozen=True)
class _Fault:
    path: KeyPath
    message: str
    about_key: bool = False


def _errors(document: YamlDocument, top: Allowed, details: list[ErrorDetails]) -> list[CatalogueError]:
    """One error per place, without what follows from another: a union reports each alternative it tried (the
    one that came furthest counts), and a misspelt key is also a missing one.
    """
    faults: dict[KeyPath, _Fault] = {}
    for detail in details:
        fault = _fault(document.data, top, detail)
        if fault.path not in faults or fault.about_key:
            faults[fault.path] = fault
    every = list(faults.values())
    return [document.error(fault.path, fault.message) for fault in every if not _follows(fault, every)]


def _follows(fault: _Fault, every: list[_Fault]) -> bool:
    path, depth = fault.path, len(fault.path)
    if fault.about_key:
        return False
    if any(len(other.path) > depth and other.path[:depth] == path for other in every):
        return True
    siblings = [other for other in every if other.about_key and other.path[:-1] == path[:-1]]
    return any(f"did you mean '{path[-1]}'" in other.message for other in siblings if path)


def _fault(data: YamlValue, top: Allowed, detail: ErrorDetails) -> _Fault:
    kind, location = detail["type"], detail["loc"]
    path = _path_in(data, location)
    here, value = top.at(path, data), _value_at(data, path)
    if kind == "missing" and isinstance(name := location[-1], str):
        return _Fault((*path, name), f"missing; expected {here.inner(name, value).describe()}")
    if kind in ("union_tag_not_found", "union_tag_invalid") and isinstance(value, dict):
        tag = str(detail["ctx"]["discriminator"]).strip("'")
        if misspelt := _misspelt(tag, here.keys(value), value):
            return _Fault((*path, misspelt), unknown_key(misspelt, here.keys(value)), about_key=True)
        got = f", got {say(value[tag])}" if tag in value else ""
        return _Fault((*path, tag), f"{'' if got else 'missing; '}expected {here.constants(tag)}{got}")
    if kind == "extra_forbidden" or location[-1:] == ("[key]",):
        around, siblings = top.at(path[:-1], data), _value_at(data, path[:-1])
        names = around.keys(siblings)
        rule = unknown_key(str(path[-1]), names) if names else f"expected {around.key_rule(siblings)}"
        return _Fault(path, rule, about_key=True)
    return _Fault(path, f"expected {here.describe()}, got {say(value)}")


def _misspelt(key: str, allowed: list[str], data: dict[str, YamlValue]) -> str | None:
    """The unknown key of a mapping that looks as if it should have been `key`, where `key` is missing."""
    unknown = [name for name in data if name not in allowed and key not in data]
    return next((name for name in unknown if closest_key(name, allowed) == key), None)


def _path_in(data: YamlValue, location: tuple[str | int, ...]) -> KeyPath:
    """Where in the data a fault is: pydantic's location also names the alternative of a union that it tried
    (`noul`, `literal['all']`, the `phrase` of a short form), which is no key of the file.
    """
    path: KeyPath = ()
    alternative: KeyPath | None = None
    for part in location:
        if isinstance(data, dict) and data.get("kind") == part and alternative != path:
            alternative = path
        elif (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and part < len(data)
        ):
            path, data = (*path, part), child(data, part)
    return path


def _value_at(data: YamlValue, path: KeyPath) -> YamlValue:
    for part in path:
        data = child(data, part)
    return data
