"""The command line, run in this process and in an empty folder, with no settings but those a test gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jevbias.catalogue import load
from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.main import run_app
from jevbias.drain.batches.watching import FIRST_INTERVAL, wait_for_batches
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.cli import shipped


@dataclass(frozen=True)
class Result:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Stdout, read as JSON."""
        return json.loads(self.out)


Jevbias = Callable[..., Result]
SETTINGS = ("TYPESAFE_", "OPENROUTER_", "OPENAI_", "JEVBIAS_")


@pytest.fixture(scope="package", autouse=True)
def _the_shipped_catalogue_is_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "read_files", shipped.read_files)
        yield


@pytest.fixture(scope="package", autouse=True)
def _batches_are_looked_at_often() -> Iterator[None]:
    """`batch status --wait` sleeps for seconds between two looks, the mock needs none."""
    defaults = wait_for_batches.__kwdefaults__
    assert defaults is not None
    assert defaults["first"] == FIRST_INTERVAL
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(defaults, "first", 0.05)
        yield


@pytest.fixture(scope="module")
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    """A mock with all its faces."""
    with running_mock(MockModel(catalogue)) as running:
        yield running


@pytest.fixture
def jevbias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Jevbias:
    """Run `jevbias` with these arguments (and settings as keywords) in an empty folder."""
    import os

    for variable in list(os.environ):
        if variable.startswith(SETTINGS):
            monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: object, **settings: str) -> Result:
        with monkeypatch.context() as context:
            for variable, value in settings.items():
                context.setenv(variable, value)
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                run_app([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, captured.out, captured.err)

    return invoke
