"""`export --archive`, `import` and `seed-canonical`, as a user meets them."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.cli.conftest import Jevbias

KEY = "sk-archive-0123456789-abcdefghijkl"


@pytest.fixture(scope="module")
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=3)) as running:
        yield running


@pytest.fixture
def archive(jevbias: Jevbias, tmp_path: Path, mock: RunningMock) -> Path:
    """A finished run, exported; its database is the default one."""
    ran = jevbias(
        "run", "--driver", "jev", "--name", "mine", TYPESAFE_BASE_URL=mock.base_url, TYPESAFE_API_KEY=KEY
    )
    assert ran.code == 0, ran.err
    exported = jevbias("export", "--archive", "out/mine.jsonl.gz")
    assert exported.code == 0, exported.err
    assert exported.err.startswith("wrote out/mine.jsonl.gz: run mine with 15 probes and ")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.jsonl.gz"]
    return tmp_path / "out" / "mine.jsonl.gz"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_imported_run_has_the_same_report_and_the_same_archive(
    jevbias: Jevbias, archive: Path, tmp_path: Path
) -> None:
    assert jevbias("analyse", "--out", "before.json").code == 0
    imported = jevbias("import", archive, "--db", "other.db")
    assert imported.code == 0
    assert imported.err.startswith("imported mine: 15 probes and ")
    assert "`jevbias analyse --run mine --db other.db`" in imported.err
    assert jevbias("analyse", "--db", "other.db", "--out", "after.json").code == 0
    assert (tmp_path / "after.json").read_bytes() == (tmp_path / "before.json").read_bytes()
    assert jevbias("export", "--archive", "again.gz", "--run", "mine", "--db", "other.db").code == 0
    assert digest(tmp_path / "again.gz") == digest(archive)


def test_importing_again_says_so_and_changes_nothing(jevbias: Jevbias, archive: Path, tmp_path: Path) -> None:
    before = digest(tmp_path / "jevbias.db")
    again = jevbias("import", archive)
    assert (again.code, again.err) == (0, "mine is there already, the same in all it holds\n")
    assert digest(tmp_path / "jevbias.db") == before


def test_another_run_of_that_name_stays_and_the_way_out_is_named(
    jevbias: Jevbias, archive: Path, mock: RunningMock
) -> None:
    planned = jevbias(
        "run", "--driver", "jev", "--name", "mine", "--plan-only", "--seed", 2, "--db", "new.db"
    )
    assert planned.code == 2  # A key is needed away from loopback.
    settings = {"TYPESAFE_BASE_URL": mock.base_url}
    new = ("--driver", "jev", "--name", "mine", "--plan-only", "--seed", 2, "--db", "new.db")
    assert jevbias("run", *new, **settings).code == 0
    refused = jevbias("import", archive, "--db", "new.db")
    assert refused.code == 2
    assert "run mine exists and is not the one in" in refused.err
    assert "--name OTHER" in refused.err
    assert jevbias("import", archive, "--db", "new.db", "--name", "theirs").code == 0
    assert [run["name"] for run in jevbias("runs", "--json", "--db", "new.db").json] == ["mine", "theirs"], (
        "as old as they are"
    )


def test_a_bad_name_is_refused_before_anything_is_made(
    jevbias: Jevbias, archive: Path, tmp_path: Path
) -> None:
    refused = jevbias("import", archive, "--name", "../mine", "--db", "new.db")
    assert refused.code == 2
    assert "run name '../mine' is not allowed" in refused.err
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_archive_is_one_line_and_makes_no_database(
    jevbias: Jevbias, archive: Path, tmp_path: Path
) -> None:
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 1
    archive.write_bytes(content)
    refused = jevbias("import", archive, "--db", "new.db")
    assert refused.code == 2
    (line,) = refused.err.splitlines()
    assert line.startswith(f"jevbias: {archive}:")
    assert not (tmp_path / "new.db").exists()


def test_the_key_is_not_in_an_archive(archive: Path) -> None:
    assert KEY.encode() not in gzip.decompress(archive.read_bytes())


def test_an_unsent_run_goes_on_where_it_was_imported(
    jevbias: Jevbias, mock: RunningMock, tmp_path: Path
) -> None:
    settings = {"TYPESAFE_BASE_URL": mock.base_url}
    assert jevbias("run", "--driver", "jev", "--name", "plan", "--plan-only", **settings).code == 0
    assert jevbias("export", "--archive", "plan.jsonl.gz").code == 0
    assert jevbias("import", "plan.jsonl.gz", "--db", "other.db").code == 0
    assert jevbias("run", "--resume", "plan", "--db", "other.db", **settings).code == 0
    assert "15 of 15 done: answered 15" in jevbias("status", "--db", "other.db").out


@pytest.mark.parametrize("where", ["-", "folder"])
def test_what_is_no_file_to_write_to(jevbias: Jevbias, archive: Path, tmp_path: Path, where: str) -> None:
    (tmp_path / "folder").mkdir()
    refused = jevbias("export", "--archive", where)
    assert refused.code == 2
    expected = "/dev/stdout" if where == "-" else "folder/mine.jsonl.gz"
    assert expected in refused.err


def test_a_run_that_is_not_there_leaves_no_file(jevbias: Jevbias, archive: Path, tmp_path: Path) -> None:
    refused = jevbias("export", "--archive", "deep/down/x.gz", "--run", "theirs")
    assert refused.code == 2
    assert "there is no run 'theirs'" in refused.err
    assert not (tmp_path / "deep").exists()


def test_where_no_run_ships_it_says_so(
    jevbias: Jevbias, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.catalogue.load.catalogue_root", lambda _: tmp_path)
    seeded = jevbias("seed-canonical")
    assert (seeded.code, seeded.err) == (0, "no finished run ships with this jevbias\n")
    assert not (tmp_path / "jevbias.db").exists()


def test_every_run_that_ships_is_taken_in_once(
    jevbias: Jevbias, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert jevbias("import", archive, "--name", "second").code == 0
    (tmp_path / "seed").mkdir()
    for name in ("mine", "second"):
        assert jevbias("export", "--run", name, "--archive", f"seed/{name}.jsonl.gz").code == 0
    monkeypatch.setattr("jevbias.catalogue.load.catalogue_root", lambda _: tmp_path)
    first = jevbias("seed-canonical", "--db", "new.db")
    assert first.code == 0
    assert [line.split(":")[0] for line in first.err.splitlines()] == ["imported mine", "imported second"]
    again = jevbias("seed-canonical", "--db", "new.db")
    assert again.code == 0
    assert again.err.count("is there already") == 2
    (tmp_path / "seed" / "mine.jsonl.gz").write_bytes(
        (tmp_path / "seed" / "second.jsonl.gz").read_bytes()[:-9]
    )
    refused = jevbias("seed-canonical", "--db", "newer.db")
    assert refused.code == 2
    assert "seed/mine.jsonl.gz: is cut short" in refused.err
    assert not (tmp_path / "newer.db").exists()
