"""JSON Schemas of the catalogue's five kinds of file, for editors.

`python -m jevbias.catalogue.schemas` writes them; with `--check` it fails where they are not up to date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from jevbias.catalogue.models import VARIANTS, Attributes, Names, Prices, Profile, Scenario, Strict

SCHEMA_MODELS: Mapping[str, type[Strict]] = {
    "scenario": Scenario,
    "attributes": Attributes,
    "names": Names,
    "profile": Profile,
    "prices": Prices,
}
"""The kinds of file; the schema of each is `schemas/<kind>.schema.json`."""


@cache
def json_schema(model: type[Strict]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a model as a file may spell it, short forms included."""
    schema = model.model_json_schema()
    for part in _subschemas(schema):
        part.pop("title", None)
        if "patternProperties" in part:
            part["additionalProperties"] = False
        if part.get("propertyNames", {}).get("enum") == list(VARIANTS):
            part["required"] = list(VARIANTS)
    return schema


def schema_texts() -> dict[str, str]:
    """File name → content of the schemas as the models have them now."""
    texts = {}
    for kind, model in SCHEMA_MODELS.items():
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"jevbias {kind}"}
        texts[f"{kind}.schema.json"] = (
            json.dumps(schema | json_schema(model), indent=2, ensure_ascii=False) + "\n"
        )
    return texts


def stale_schemas(folder: Path) -> list[str]:
    """The names of the schema files that are missing, outdated or not ours."""
    wanted = schema_texts()
    present = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    return sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))


def write_schemas(folder: Path) -> None:
    """Write the five schemas into a folder that exists."""
    for name, text in schema_texts().items():
        (folder / name).write_text(text, encoding="utf-8")


def _subschemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema and every schema inside it; the names of properties are not mistaken for keywords."""
    yield schema
    for keyword in ("$defs", "properties", "patternProperties"):
        for part in schema.get(keyword, {}).values():
            yield from _subschemas(part)
    for keyword in ("anyOf", "oneOf", "prefixItems"):
        for part in schema.get(keyword, []):
            yield from _subschemas(part)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from _subschemas(cast("dict[str, Any]", schema[keyword]))


if __name__ == "__main__":
    from jevbias.catalogue.load import catalogue_root

    destination = catalogue_root(None) / "schemas"
    if "--check" not in sys.argv[1:]:
        write_schemas(destination)
    stale = stale_schemas(destination)
    sys.exit(f"not what the models say: {', '.join(stale)}" if stale else 0)
