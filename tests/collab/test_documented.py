"""What docs/collab.md shows runs as it stands there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Jevbias
from tests.conftest import CHECKOUT


def test_the_task_and_the_llm_of_the_documentation_run_from_the_folder_that_they_lie_in(
    jevbias: Jevbias, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (CHECKOUT / "docs" / "collab.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        [name] = re.findall(r"^class (\w+)", block, re.MULTILINE)
        module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        (tmp_path / f"{module}.py").write_text(block, encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
    [command] = re.findall(
        r"^jevbias (collab run --task my_task:MyTask --driver local.*?)  ", text, re.MULTILINE
    )
    for llm in ((), ("--llm", "my_llm:MyLlm")):
        played = jevbias(*command.split(), *llm, "--episodes", 2, "--json")
        assert played.code == 0
        assert played.json["run"]["played"] == 2 * 2 * 3
    [low, high] = played.json["levels"]
    assert low["random_share"] > high["random_share"]
