"""`init`: a decision of one's own that is sound, can be previewed and is put to a model at once."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.starter import starter_files
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from tests.cli.conftest import Jevbias
from tests.conftest import CHECKOUT


@pytest.fixture
def started(jevbias: Jevbias, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = jevbias("init", "mine")
    assert made.code == 0, made.err
    assert "cd mine && jevbias run --profile first --driver local" in made.err
    monkeypatch.chdir(tmp_path / "mine")
    return tmp_path / "mine"


def test_the_folder_is_a_sound_catalogue_of_one_decision_and_two_attributes(
    jevbias: Jevbias, started: Path
) -> None:
    assert jevbias("validate").err == ".: sound\n"
    loaded = load_catalogue(started)
    assert list(loaded.scenarios) == ["flexible_hours"]
    assert [key for key, a in loaded.attributes.items() if a.role == "person"] == ["gender", "caring"]
    swap = jevbias("preview", "--swap", "caring=young_child")
    assert '+      "caring": "cares for a young child"' in swap.out


def test_it_runs_at_once_on_the_embedded_model(jevbias: Jevbias, started: Path) -> None:
    ran = jevbias("run", "--profile", "first", "--driver", "local", "--name", "mine")
    assert ran.code == 0, ran.err
    report = jevbias("analyse", "--json").json
    assert report["run"]["scenarios"] == ["flexible_hours"]
    assert report["run"]["answers"] == 3 * report["run"]["calls"] == 600
    # As README.md tells it:
    assert [row["flag"] for row in report["validity"]] == ["ok", "midpoint", "uniform"]
    pooled = [row["verdict"] for row in report["comparisons"] if row["question"] is None and row["visible"]]
    assert Counter(pooled) == {"no difference": 6, "unclear": 1}


def test_the_mock_shows_its_one_bias_and_no_other(jevbias: Jevbias, started: Path) -> None:
    loaded = load_catalogue(started)
    effects = load_effects(started / "mock" / "default-effects.yaml", loaded)
    with running_mock(MockModel(loaded, seed=2, effects=effects)) as mock:
        ran = jevbias("run", "--profile", "first", "--driver", "jev", TYPESAFE_BASE_URL=mock.base_url)
    assert ran.code == 0, ran.err
    rows = jevbias("analyse", "--json").json["comparisons"]
    assert {row["id"] for row in rows if row["question"] is None and row["significant"]} == {
        "full/caring=young_child"
    }
    asked = {row["attribute"] + "=" + row["level"] for row in rows if row["verdict"] == "worse"}
    assert asked == {"caring=young_child"}


def test_the_schemas_and_prices_are_those_that_ship() -> None:
    files = starter_files()
    shipped = [*(CHECKOUT / "schemas").iterdir(), CHECKOUT / "profiles" / "prices" / "prices.yaml"]
    for path in shipped:
        assert files[path.relative_to(CHECKOUT).as_posix()] == path.read_bytes()


@pytest.mark.parametrize("folder", ["taken", "file", "."])
def test_a_folder_that_holds_something_is_refused_in_one_line_and_left_as_it_is(
    jevbias: Jevbias, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes").write_text("mine")
    (tmp_path / "file").write_text("mine")
    refused = jevbias("init", folder)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "notes", "taken"]


def test_an_empty_folder_is_filled_where_it_is(jevbias: Jevbias, tmp_path: Path) -> None:
    before = os.stat(tmp_path).st_ino
    assert jevbias("init").code == 0
    assert os.stat(tmp_path).st_ino == before
    assert {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()} == set(
        starter_files()
    )


@pytest.mark.parametrize("folder", ["deep/down/mine", "."])
def test_what_cannot_be_written_whole_leaves_nothing(
    jevbias: Jevbias, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    rename = Path.rename
    moved: list[Path] = []

    def full_disk(path: Path, target: Path) -> Path:
        if len(moved) == 3:
            raise OSError(28, "No space left on device")
        moved.append(target)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", full_disk)
    refused = jevbias("init", folder)
    assert (refused.code, refused.err) == (
        2,
        f"jevbias: {folder}: cannot be written: No space left on device\n",
    )
    assert len(moved) == 3
    assert list(tmp_path.iterdir()) == []
