"""What the project promises about itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import jevbias
from jevbias.cli.main import app
from jevbias.settings import Settings

CHECKOUT = Path(__file__).parents[2]


def test_every_setting_is_documented_in_the_example_file() -> None:
    example = (CHECKOUT / ".env.example").read_text(encoding="utf-8")
    for field in Settings.model_fields.values():
        assert re.search(rf"^#?{field.validation_alias}=", example, re.MULTILINE), field.validation_alias


def test_the_example_file_holds_no_key() -> None:
    example = (CHECKOUT / ".env.example").read_text(encoding="utf-8")
    assert re.findall(r"^\w*_API_KEY=(.+)$", example, re.MULTILINE) == []


def test_the_readme_names_every_command_and_starts_with_make_demo_and_make_test() -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert f"`{command.name}`" in readme, command.name
    commands = re.findall(r"^(?:make|python3|\.venv|jevbias)\b.*", readme, re.MULTILINE)
    assert [command.split("#")[0].strip() for command in commands[:2]] == ["make demo", "make test"]


def test_help_imports_none_of_the_heavy_modules() -> None:
    heavy = "numpy scipy sqlalchemy sqlmodel pydantic pydantic_settings aiohttp yarl jinja2 uvicorn starlette"
    heavy += " yaml sparrow_decider"
    probe = f"import sys, jevbias.cli.main; print(sorted(set('{heavy}'.split()) & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_help_answers_in_under_a_second_of_cpu() -> None:
    command = [sys.executable, "-m", "jevbias", "--help"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, env=environment, capture_output=True, check=True)
    best = min(_cpu_seconds(command, environment) for _ in range(3))
    assert best < 1


def _cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    before = os.times()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_the_locks_name_no_address() -> None:
    for lock in (CHECKOUT / "requirements").glob("*.lock"):
        assert "://" not in lock.read_text(encoding="utf-8")


def test_the_version_is_the_same_wherever_it_stands() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {project["version"], str(citation["version"]), jevbias.__version__} == {jevbias.__version__}
    assert citation["license"] == project["license"] == "MIT"
    assert (CHECKOUT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


@pytest.mark.parametrize("name", ["test", "publish", "pages"])
def test_a_workflow_may_read_and_what_it_may_beyond_that_is_said_in_one_job(name: str) -> None:
    text = (CHECKOUT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    allowed = {"test": {}, "publish": {"publish": {"id-token"}}, "pages": {"deploy": {"pages", "id-token"}}}
    beyond = {
        job: {scope for scope, access in content.get("permissions", {}).items() if access == "write"}
        for job, content in workflow["jobs"].items()
    }
    assert {job: scopes for job, scopes in beyond.items() if scopes} == allowed[name]


def test_the_workflow_for_changes_runs_what_must_pass() -> None:
    text = (CHECKOUT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["test"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [".ci/run"]
    assert os.access(CHECKOUT / ".ci" / "run", os.X_OK)


@pytest.mark.parametrize(("typed", "offered"), [("jevbias ini", "init"), ("jevbias run --prof", "--profile")])
def test_a_shell_completes_commands_and_options(typed: str, offered: str) -> None:
    asked = {
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
        "_JEVBIAS_COMPLETE": "complete_bash",
    }
    command = [str(Path(sys.executable).parent / "jevbias")]
    told = subprocess.run(command, env=os.environ | asked, capture_output=True, text=True, check=True)
    assert told.stdout.split() == [offered]
