"""One YAML file read as YAML 1.2, with the line of everything in it.

The core schema of YAML 1.2.2 (section 10.3) decides what a plain scalar is: `true` and `false` are the only
booleans, so `no`, `yes`, `on` and `off` are text; `010` is ten, `12:30` and `2026-09-20` are text. Stricter
than the schema where a catalogue has no use for more: numbers are decimal and finite, keys are text as
written, a duplicate key is an error, and anchors cannot be referred to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from jevbias.catalogue.core_schema import CORE_SCALARS, TAG, compose
from jevbias.catalogue.keypath import KeyPath, YamlValue, dotted, one_line
from jevbias.errors import CatalogueError

MAX_BYTES = 4_000_000
MAX_DEPTH = 32
MAX_INTEGER = 2**53


@dataclass(frozen=True)
class YamlDocument:
    """What a file says.

    `data` holds plain values, mappings in the order of the file; `lines` the 1-based line of the key (of the
    item, in a list) of every path that exists. `errors` are faults that leave the rest readable, such as
    duplicate keys; where the file is not YAML at all it holds that one error and `data` is None.
    """

    path: Path
    data: YamlValue
    lines: dict[KeyPath, int]
    errors: tuple[CatalogueError, ...]

    def line(self, path: KeyPath) -> int:
        """The line of a path, or of the closest mapping or list around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def error(self, path: KeyPath, message: str) -> CatalogueError:
        """A fault at a path of this file."""
        return CatalogueError(message, path=self.path, line=self.line(path), key=dotted(path) or None)


def read_yaml(path: Path) -> YamlDocument:
    """Read one file; never raises for what the file is or holds, see `YamlDocument.errors`."""
    try:
        text = _read_text(path)
        root = compose(text, path)
    except CatalogueError as error:
        return YamlDocument(path, None, {}, (error,))
    converter = _Converter(path)
    data = converter.value(root, ()) if root is not None else None
    return YamlDocument(path, data, converter.lines, tuple(converter.errors))


_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")


def _read_text(path: Path) -> str:
    try:
        if not path.is_file():
            what = "is a folder, not a file" if path.is_dir() else "no such file"
            raise CatalogueError(what, path=path)
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CatalogueError(f"cannot be read: {reason}", path=path) from None
    if len(raw) > MAX_BYTES:
        raise CatalogueError(f"is larger than {MAX_BYTES // 1_000_000} MB", path=path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise CatalogueError("is not UTF-8 text; save the file as UTF-8", path=path, line=line) from None
    if found := _UNPRINTABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        message = f"holds the control character U+{ord(found[0]):04X}, which YAML does not allow"
        raise CatalogueError(message, path=path, line=line)
    return text


class _Converter:
    """Turns nodes into plain values, noting lines and faults on the way."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[KeyPath, int] = {}
        self.errors: list[CatalogueError] = []
        self._seen: set[int] = set()

    def value(self, node: yaml.Node, path: KeyPath) -> YamlValue:
        line = self.lines.setdefault(path, node.start_mark.line + 1)
        if id(node) in self._seen:
            return self._fault(line, path, "an alias (*name) is not allowed; write the value out again")
        self._seen.add(id(node))
        if len(path) > MAX_DEPTH:
            return self._fault(line, path, f"is nested deeper than {MAX_DEPTH} levels")
        if isinstance(node, yaml.MappingNode) and node.tag == f"{TAG}map":
            return {key: self.value(value, (*path, key)) for key, value in self._entries(node, path)}
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{TAG}seq":
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        return self._fault(line, path, f"the tag {one_line(node.tag)} is not allowed")

    def _entries(self, node: yaml.MappingNode, path: KeyPath) -> Iterator[tuple[str, yaml.Node]]:
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode) or id(key_node) in self._seen:
                self._fault(line, path, "a key must be plain text")
                continue
            self._seen.add(id(key_node))
            key: str = key_node.value
            if _CONTROL.search(key) or "\n" in key:
                self._fault(line, path, f"the key '{one_line(key)}' holds a control character")
                continue
            if key in first:
                message = f"duplicate key; '{one_line(key)}' is already given on line {first[key]}"
                self._fault(line, (*path, key), message)
                continue
            first[key] = line
            self.lines[(*path, key)] = line
            yield key, value_node

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> YamlValue:
        line = node.start_mark.line + 1
        kind = node.tag.removeprefix(TAG)
        text: str = node.value
        if kind == "str":
            if found := _CONTROL.search(text):
                return self._fault(line, path, f"the text holds the control character U+{ord(found[0]):04X}")
            return text
        if kind not in CORE_SCALARS or not re.fullmatch(CORE_SCALARS[kind], text):
            return self._fault(line, path, f"the tag {one_line(node.tag)} is not allowed here")
        if kind == "null":
            return None
        if kind == "bool":
            return text in ("true", "True", "TRUE")
        return self._number(line, path, text, whole=kind == "int")

    def _number(self, line: int, path: KeyPath, text: str, *, whole: bool) -> YamlValue:
        if whole:
            if len(text) <= 20 and abs(int(text)) <= MAX_INTEGER:
                return int(text)
            return self._fault(line, path, "the number is too large; quote it to make it text")
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        return self._fault(line, path, f"{one_line(text)} is not a finite number; quote it to make it text")

    def _fault(self, line: int, path: KeyPath, message: str) -> YamlValue:
        """Note a fault; what stands in the place of the faulty value is None."""
        self.errors.append(CatalogueError(message, path=self.path, line=line, key=dotted(path) or None))
        return None
