"""The JSON Schemas that editors use: up to date, and of one mind with the loader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from jevbias.catalogue.schemas import SCHEMA_MODELS, schema_texts, stale_schemas, write_schemas
from jevbias.catalogue.yaml12 import read_yaml
from tests.catalogue.broken import SHAPE
from tests.catalogue.small import FILES, TEXTS
from tests.conftest import CHECKOUT

SHIPPED = sorted([*(CHECKOUT / "scenarios").rglob("*.yaml"), *(CHECKOUT / "profiles").rglob("*.yaml")])
KINDS = {"people/attributes": "attributes", "people/names": "names", "prices/prices": "prices"}


def kind_of(path: Path) -> str:
    folder_and_stem = f"{path.parent.name}/{path.stem}"
    return KINDS.get(folder_and_stem, "scenario" if path.parent.name == "scenarios" else "profile")


def validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((CHECKOUT / "schemas" / f"{kind}.schema.json").read_text("utf-8")))


def complaints(kind: str, content: Any) -> list[str]:
    return [error.message for error in validator(kind).iter_errors(content)]


def test_the_schemas_are_those_of_the_models() -> None:
    assert stale_schemas(CHECKOUT / "schemas") == [], "run python -m jevbias.catalogue.schemas"


def test_a_missing_an_outdated_and_a_stray_schema_are_stale(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert stale_schemas(tmp_path) == []
    (tmp_path / "names.schema.json").unlink()
    (tmp_path / "prices.schema.json").write_text("{}")
    (tmp_path / "stray.schema.json").write_text("{}")
    assert stale_schemas(tmp_path) == ["names.schema.json", "prices.schema.json", "stray.schema.json"]


@pytest.mark.parametrize("kind", list(SCHEMA_MODELS))
def test_a_schema_is_a_valid_schema(kind: str) -> None:
    Draft202012Validator.check_schema(json.loads(schema_texts()[f"{kind}.schema.json"]))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_file_names_its_schema_first_and_keeps_it(path: Path) -> None:
    kind = kind_of(path)
    first = path.read_text(encoding="utf-8").splitlines()[0]
    prefix = "# yaml-language-server: $schema="
    assert first.startswith(prefix)
    assert (
        path.parent / first.removeprefix(prefix)
    ).resolve() == CHECKOUT / "schemas" / f"{kind}.schema.json"
    assert complaints(kind, read_yaml(path).data) == []


def test_every_kind_of_file_ships() -> None:
    assert {kind_of(path) for path in SHIPPED} == set(SCHEMA_MODELS)


@pytest.mark.parametrize(("stem", "old", "new"), [case[:3] for case in SHAPE])
def test_what_the_loader_refuses_for_its_shape_the_schema_refuses_too(
    tmp_path: Path, stem: str, old: str, new: str
) -> None:
    name, text = TEXTS[stem]
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text.replace(old, new), encoding="utf-8")
    read = read_yaml(path)
    assert read.errors or complaints(kind_of(path), read.data)


@pytest.mark.parametrize("name", list(FILES))
def test_short_forms_and_all_else_that_loads_keeps_the_schema(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(FILES[name], encoding="utf-8")
    assert complaints(kind_of(path), read_yaml(path).data) == []


def test_a_schema_explains_the_keys_that_need_it() -> None:
    schema = json.loads(schema_texts()["attributes.schema.json"])
    level = schema["$defs"]["Level"]
    assert {"type": "null"} in level["anyOf"]
    long_form = level["anyOf"][-1]
    assert all("description" in part for part in long_form["properties"].values())
