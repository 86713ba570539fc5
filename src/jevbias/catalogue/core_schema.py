"""What a plain scalar is, by the core schema of YAML 1.2.2 (section 10.3), and the parser that goes by it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import yaml

from jevbias.catalogue.keypath import one_line
from jevbias.errors import CatalogueError

TAG = "tag:yaml.org,2002:"
"""What the tags of the core schema begin with."""

CORE_SCALARS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+",
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    ),
}
"""Type → how a plain scalar of it is written, in full; every other plain scalar is text."""


class _CoreSchema:
    """PyYAML looks patterns up by a scalar's first character, and those under None for every scalar; an
    empty scalar only under the empty one.
    """

    _patterns = tuple((TAG + name, re.compile(rf"(?:{form})\Z")) for name, form in CORE_SCALARS.items())
    yaml_implicit_resolvers: ClassVar = {None: list(_patterns), "": list(_patterns)}


class _PurePythonLoader(_CoreSchema, yaml.SafeLoader):
    pass


_Loader: type[yaml.SafeLoader] | type[yaml.CSafeLoader] = _PurePythonLoader
if yaml.__with_libyaml__:

    class _LibyamlLoader(_CoreSchema, yaml.CSafeLoader):
        pass

    _Loader = _LibyamlLoader


def compose(text: str, path: Path) -> yaml.Node | None:
    """The nodes of one document (None when it is empty); raises CatalogueError where it is not YAML."""
    try:
        loader = _Loader(text)
        try:
            node: yaml.Node | None = loader.get_single_node()
            return node
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else None
        parts = [part for part in (error.context, error.problem) if part]
        message = "not valid YAML: " + one_line(", ".join(parts), 200) + _hint(text, line)
        raise CatalogueError(message, path=path, line=line) from None
    except RecursionError:
        raise CatalogueError("is nested too deeply", path=path) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise CatalogueError(f"not valid YAML: {one_line(str(error), 200)}", path=path) from None


def _hint(text: str, line: int | None) -> str:
    """What usually is the matter with a line that the parser refused."""
    lines = text.splitlines()
    faulty = lines[line - 1] if line is not None and 0 < line <= len(lines) else ""
    if re.search(r":\s+-\s*(#.*)?$", faulty):
        return "; a lone - must be quoted: '-'"
    if "\t" in faulty[: len(faulty) - len(faulty.lstrip())]:
        return "; indent with spaces, not tabs"
    if re.search(r"^[^'\"#]*:\s+[^'\"|>\s{\[].*:\s", faulty):
        return "; quote a text that contains ': '"
    return ""
