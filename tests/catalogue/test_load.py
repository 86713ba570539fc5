"""Where a catalogue is looked for, what its folder must hold, and what a snapshot keeps of it."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

import jevbias
from jevbias.catalogue import load
from jevbias.catalogue.catalogue import Catalogue, catalogue_hash, from_snapshot
from jevbias.catalogue.load import catalogue_root, load_catalogue, validate_catalogue, validate_file
from jevbias.catalogue.models import Prices
from jevbias.errors import CatalogueError
from tests.catalogue.small import FILES, line_of, write_catalogue
from tests.conftest import CHECKOUT


def test_the_catalogue_of_the_checkout_is_found_and_the_flag_wins(tmp_path: Path) -> None:
    assert catalogue_root(None) == CHECKOUT
    assert catalogue_root(tmp_path) == tmp_path


def test_an_installed_package_has_its_own_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lib" / "site-packages" / "jevbias"
    data = write_catalogue(package / "data")
    monkeypatch.setattr(load, "__file__", str(package / "catalogue" / "load.py"))
    assert catalogue_root(None) == data
    assert list(load_catalogue().scenarios) == ["lend_book"]
    assert jevbias.__file__ is not None


@pytest.mark.parametrize("name", ["absent", "file"])
def test_a_root_that_is_no_folder_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(
        CatalogueError, match=r"(no such|is not a) folder; a catalogue holds scenarios/\*\.yaml"
    ):
        load_catalogue(tmp_path / name)
    assert len(validate_catalogue(tmp_path / name)) == 1


def test_a_folder_that_holds_no_catalogue_is_said_to_lack_each_part(tmp_path: Path) -> None:
    assert [str(error).removeprefix(f"{tmp_path}/") for error in validate_catalogue(tmp_path)] == [
        "scenarios: no such folder",
        "profiles: no such folder",
        "scenarios/people/attributes.yaml: no such file",
        "scenarios/people/names.yaml: no such file",
    ]


def test_a_catalogue_needs_no_prices_and_then_has_none(tmp_path: Path) -> None:
    write_catalogue(tmp_path, prices=None)
    assert load_catalogue(tmp_path).prices == Prices(prices=[])
    shutil.rmtree(tmp_path / "profiles" / "prices")
    assert validate_catalogue(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scenarios/second.yml", "a scenario file must end in .yaml"),
        ("scenarios/Second.yaml", "the file's name is no name for a scenario"),
        ("profiles/my profile.yaml", "the file's name is no name for a profile"),
        ("profiles/second.YAML", "a profile file must end in .yaml"),
    ],
)
def test_a_file_that_would_be_overlooked_is_an_error(tmp_path: Path, name: str, message: str) -> None:
    write_catalogue(tmp_path)
    (tmp_path / name).write_text("title: x\n")
    assert [str(error) for error in validate_catalogue(tmp_path)] == [f"{tmp_path / name}: {message}"]


def test_other_files_beside_a_catalogue_are_left_alone(tmp_path: Path) -> None:
    write_catalogue(tmp_path)
    for name in ("scenarios/README.md", "scenarios/.hidden.yaml", "profiles/notes.txt"):
        (tmp_path / name).write_text("x")
    assert validate_catalogue(tmp_path) == []


def test_a_folder_without_a_scenario_is_an_error(tmp_path: Path) -> None:
    write_catalogue(tmp_path, lend_book=None)
    errors = [str(error).removeprefix(f"{tmp_path}/") for error in validate_catalogue(tmp_path)]
    assert errors[0] == "scenarios: holds no scenario (a .yaml file)"


def test_a_scenario_that_is_added_as_a_file_is_there(tmp_path: Path) -> None:
    write_catalogue(tmp_path)
    text = FILES["scenarios/lend_book.yaml"]
    (tmp_path / "scenarios" / "another.yaml").write_text(text, encoding="utf-8")
    assert list(load_catalogue(tmp_path).scenarios) == ["another", "lend_book"]


def test_profiles_are_listed_from_small_to_large(catalogue: Catalogue) -> None:
    listed = ["smoke", "pilot", "standard", "jev-latest-deep", "confirm", "factorial"]
    assert list(catalogue.profiles) == listed


# One file


def test_a_file_of_a_catalogue_is_checked_against_the_others(tmp_path: Path) -> None:
    text = FILES["profiles/look.yaml"].replace("[lend_book]", "[lend_books]")
    write_catalogue(tmp_path, look=text, crowd="title: 3\n")
    path = tmp_path / "profiles" / "look.yaml"
    (error,) = validate_file(path)
    line = line_of(text, "[lend_books]")
    assert str(error) == f"{path}:{line}: scenarios[0]: unknown scenario 'lend_books'; allowed: lend_book"


def test_a_file_is_named_as_the_user_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_catalogue(tmp_path, look="title: 3\n")
    monkeypatch.chdir(tmp_path / "scenarios")
    errors = validate_file(Path("../profiles/look.yaml"))
    assert str(errors[0]) == "../profiles/look.yaml:1: title: expected text, got the number 3"


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_on_its_own_is_of_the_kind_its_keys_look_like(tmp_path: Path, name: str) -> None:
    alone = tmp_path / "draft.yaml"
    alone.write_text(FILES[name], encoding="utf-8")
    assert validate_file(alone) == []
    alone.write_text(FILES[name] + "surplus: 1\n", encoding="utf-8")
    (error,) = validate_file(alone)
    assert error.key == "surplus"
    assert "unknown key; allowed: " in error.message


def test_a_file_in_a_folder_of_its_kind_is_of_that_kind_whatever_it_says(tmp_path: Path) -> None:
    for name in ("scenarios/a.yaml", "profiles/a.yaml", "people/attributes.yaml", "people/names.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("nothing: 1\n")
        assert any("missing; expected" in error.message for error in validate_file(path))


@pytest.mark.parametrize("text", ["", "- a\n", "surplus: 1\n", "just text\n"])
def test_a_file_of_no_kind_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "draft.yaml"
    path.write_text(text)
    (error,) = validate_file(path)
    assert (
        str(error)
        == f"{path}: is no catalogue file; expected one of scenario, attributes, names, profile, prices"
    )


def test_an_absent_file_and_a_broken_one_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "draft.yaml").write_text("a: [\n")
    (broken,) = validate_file(tmp_path / "draft.yaml")
    assert "not valid YAML" in str(broken)
    (absent,) = validate_file(tmp_path / "absent.yaml")
    assert str(absent) == f"{tmp_path / 'absent.yaml'}: no such file"


def test_a_folder_is_checked_as_a_catalogue(tmp_path: Path) -> None:
    assert validate_file(write_catalogue(tmp_path)) == []
    assert validate_file(tmp_path / "scenarios") != []


# Snapshots


def test_a_snapshot_brings_the_same_catalogue_back(catalogue: Catalogue) -> None:
    snapshot = catalogue.snapshot()
    back = from_snapshot(json.loads(json.dumps(snapshot)))
    assert back.scenarios == catalogue.scenarios
    assert back.attributes == catalogue.attributes
    assert list(back.attributes) == list(catalogue.attributes)
    assert back.incompatible == catalogue.incompatible
    assert back.names == catalogue.names
    assert catalogue_hash(back.snapshot()) == catalogue_hash(snapshot)


def test_a_snapshot_holds_the_scenarios_asked_for_only(catalogue: Catalogue) -> None:
    assert list(catalogue.snapshot(["lending"])["scenarios"]) == ["lending"]


def test_the_hash_follows_the_words_and_their_order(tmp_path: Path) -> None:
    first = catalogue_hash(load_catalogue(write_catalogue(tmp_path)).snapshot())
    assert first == catalogue_hash(load_catalogue(write_catalogue(tmp_path)).snapshot())
    reworded = FILES["scenarios/people/attributes.yaml"].replace("red folder", "red  folder ")
    reordered = (
        FILES["scenarios/people/attributes.yaml"]
        .replace("      sikh: Sikh\n", "")
        .replace("woman: nun}\n", "woman: nun}\n      sikh: Sikh\n")
    )
    same = FILES["scenarios/people/attributes.yaml"].replace("red folder", "'red folder'")
    hashes = [
        catalogue_hash(load_catalogue(write_catalogue(tmp_path, attributes=text)).snapshot())
        for text in (reworded, reordered, same)
    ]
    assert hashes[2] == first
    assert len({first, *hashes}) == 3


def test_the_shipped_catalogue_loads_in_under_a_second_of_cpu() -> None:
    load_catalogue(CHECKOUT)
    times = []
    for _ in range(3):
        start = time.process_time()
        load_catalogue(CHECKOUT)
        times.append(time.process_time() - start)
    assert min(times) < 1
