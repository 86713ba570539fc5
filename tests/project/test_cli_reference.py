"""docs/cli.md says what the commands say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
REGENERATE = ".venv/bin/python scripts/cli_reference.py"


def test_the_reference_of_the_commands_is_up_to_date() -> None:
    command = [sys.executable, "scripts/cli_reference.py", "--check"]
    checked = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"{checked.stderr.strip()} (regenerate with: {REGENERATE})"


def test_the_reference_covers_every_command_and_every_sub_command() -> None:
    text = (CHECKOUT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in ("jevbias run", "jevbias init", "jevbias batch submit", "jevbias gate"):
        assert f"\n## {command}\n" in text
    assert text.count("\n## ") == text.count("Usage: jevbias")
