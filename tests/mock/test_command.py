"""`jevbias mock --faults`: one line for a plan that is wrong, its faults for one that is right."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from jevbias.cli.main import run_app
from tests.mock.http import NO_CERTIFICATES


def test_a_plan_that_is_wrong_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("faults:\n  - when: {face: chats}\n    reply: {status: 500}\n")
    with pytest.raises(SystemExit) as caught:
        run_app(["mock", "--faults", str(path)])
    out, err = capsys.readouterr()
    assert (caught.value.code, out) == (2, "")
    assert err.startswith(f"jevbias: {path}:2: faults[0].when.face: ")
    assert err.count("\n") == 1


def test_the_faults_of_a_plan_befall_those_who_ask(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("faults:\n  - when: {face: models}\n    reply: {status: 503}\n")
    command = [sys.executable, "-m", "jevbias", "mock", "--port", "0", "--faults", str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", server.stderr.readline())
        assert found is not None
        assert httpx.get(f"{found[0]}/v1/models", verify=NO_CERTIFICATES, trust_env=False).status_code == 503
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
        assert server.returncode == 0
