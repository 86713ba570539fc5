"""The command line, run in this process and in an empty folder, with no settings but those a test gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jevbias.cli.main import run_app


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
