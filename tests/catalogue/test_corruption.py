"""Whatever happens to a file of the catalogue, the answer is a catalogue or one line about that file."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue, validate_catalogue, validate_file
from jevbias.catalogue.yaml12 import read_yaml
from jevbias.errors import CatalogueError
from tests.catalogue.small import FILES, write_catalogue
from tests.conftest import CHECKOUT

SHIPPED = [
    "scenarios/hiring_screen.yaml",
    "scenarios/people/attributes.yaml",
    "profiles/jev-latest-deep.yaml",
    "profiles/prices/prices.yaml",
]
STRANGE: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**15,
    "",
    " ",
    "no",
    "x" * 200,
    "\u202e",
    [],
    [[]],
    {},
    {"a": {"b": 1}},
]
STRANGE_KEYS = [
    "",
    "no",
    "Title",
    "a b",
    "[key]",
    "kind",
    "noul",
    "phrase",
    "literal['all']",
    "x" * 70,
    "titel",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield (*path, key)
            yield from places(value[key], (*path, key))


def corrupt(content: Any, pick: random.Random) -> Any:
    content = copy.deepcopy(content)
    *outer, key = pick.choice(list(places(content)))
    holder = content
    for part in outer:
        holder = holder[part]
    action = pick.choice(["delete", "rename", "replace", "swap"])
    if action == "delete":
        del holder[key]
    elif action == "rename" and isinstance(holder, dict):
        new = pick.choice([*STRANGE_KEYS, str(key)[:-1], *map(str, holder)])
        items = [(new if k == key else k, v) for k, v in holder.items()]
        holder.clear()
        holder.update(items)
    elif action == "swap" and len(holder) > 1:
        other = pick.choice(list(holder if isinstance(holder, dict) else range(len(holder))))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = pick.choice(STRANGE)
    return content


def hold(root: Path, changed: Path) -> None:
    """The rule under test: it loads, or every error is one line that names a file of the catalogue."""
    errors = validate_catalogue(root)
    for error in errors:
        line = str(error)
        assert line.splitlines() == [line]
        assert line.isprintable()
        assert Path(error.path).is_relative_to(root)
    alone = [str(error) for error in validate_file(changed)]
    assert set(alone) == {str(error) for error in errors if Path(error.path) == changed}
    if not errors:
        assert isinstance(load_catalogue(root), Catalogue)
        return
    with pytest.raises(CatalogueError) as raised:
        load_catalogue(root)
    assert str(raised.value) == str(errors[0])


@pytest.fixture(scope="module")
def small_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("catalogue")


@settings(max_examples=50, deadline=None, derandomize=True)
@given(name=st.sampled_from(list(FILES)), seed=st.integers(0, 2**32), times=st.integers(1, 3))
def test_a_key_deleted_renamed_or_of_another_type(small_root: Path, name: str, seed: int, times: int) -> None:
    root, pick = write_catalogue(small_root), random.Random(seed)
    content: Any = read_yaml(root / name).data
    for _ in range(times):
        content = corrupt(content, pick) if list(places(content)) else content
    (root / name).write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    hold(root, root / name)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(list(FILES)),
    place=st.floats(0, 1),
    length=st.integers(0, 30),
    patch=st.binary(max_size=12) | st.text("-:[]{}'\"|>&*!#%@ \n\t,?~", max_size=6).map(str.encode),
)
def test_random_bytes_anywhere(small_root: Path, name: str, place: float, length: int, patch: bytes) -> None:
    root = write_catalogue(small_root)
    raw = (root / name).read_bytes()
    start = int(place * len(raw))
    (root / name).write_bytes(raw[:start] + patch + raw[start + length :])
    hold(root, root / name)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(name=st.sampled_from(SHIPPED), seed=st.integers(0, 2**32))
def test_a_shipped_file_that_is_corrupted_is_refused_or_read(small_root: Path, name: str, seed: int) -> None:
    shipped = read_yaml(CHECKOUT / name)
    path = small_root / "draft.yaml"
    text = yaml.safe_dump(corrupt(shipped.data, random.Random(seed)), allow_unicode=True, sort_keys=False)
    path.write_text(text, encoding="utf-8")
    for error in validate_file(path):
        assert str(error).splitlines() == [str(error)]
        assert str(error).startswith(str(path))
