"""The built wheel works on its own, away from the checkout."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def jevbias(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JEVBIAS_", "TYPESAFE_"))}
    return subprocess.run(
        [sys.executable, "-m", "jevbias", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_wheel_holds_the_catalogue_the_schemas_and_the_page(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("scenarios", "profiles", "schemas", "mock", "pairs", "starter", "seed"):
        for file in (CHECKOUT / folder).rglob("*.*"):
            assert f"jevbias/data/{file.relative_to(CHECKOUT).as_posix()}" in names
    for file in (CHECKOUT / "src" / "jevbias").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            assert file.relative_to(CHECKOUT / "src").as_posix() in names


def test_the_wheel_runs_the_main_job_outside_a_checkout(installed: Path, tmp_path: Path) -> None:
    where = "import jevbias; print(jevbias.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", where],
        env={**os.environ, "PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.startswith(str(installed))
    for arguments in (
        ("run", "--profile", "smoke", "--driver", "local", "--name", "wheel"),
        ("analyse",),
        ("publish", "--out", "page.html"),
    ):
        done = jevbias(installed, tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert (tmp_path / "reports" / "wheel.json").exists()


def test_the_wheel_starts_a_decision_of_ones_own(installed: Path, tmp_path: Path) -> None:
    made = jevbias(installed, tmp_path, "init", "mine")
    assert made.returncode == 0, made.stderr
    one = ("--profile", "first", "--bases", "1", "--driver", "local")
    for arguments in (("validate",), ("run", *one)):
        done = jevbias(installed, tmp_path / "mine", *arguments)
        assert done.returncode == 0, done.stderr
    assert "sparrow-nano-general-v1.1-first" in done.stderr


def test_the_wheel_loads_the_runs_that_ship(installed: Path, tmp_path: Path) -> None:
    """The archive of the pilot alone: the others, here as in the checkout to the byte, take their time."""
    seed = installed / "jevbias" / "data" / "seed"
    archives = sorted(file.name for file in seed.glob("*.jsonl.gz"))
    assert len(archives) == 3
    for file in (CHECKOUT / "seed").iterdir():
        assert (seed / file.name).read_bytes() == file.read_bytes()
    for name in archives[1:]:
        (seed / name).unlink()
    run = archives[0].removesuffix(".jsonl.gz")
    for arguments in (("seed-canonical",), ("analyse", "--run", run)):
        done = jevbias(installed, tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
    report = (tmp_path / "reports" / f"{run}.json").read_bytes()
    assert report == gzip.decompress((seed / f"{run}.report.json.gz").read_bytes())


def test_the_wheel_holds_nothing_of_the_tests_and_says_that_it_is_typed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[0] for name in names} == {"jevbias", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}
    assert not [name for name in names if "/tests/" in name or "test_" in name]
    assert "jevbias/py.typed" in names
