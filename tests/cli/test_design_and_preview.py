"""What can be seen before a call is made."""

from __future__ import annotations

import hashlib
import json

import pytest
from typer.main import get_command
from typesafe_sdk._schemas.models import SystemOneRequest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import CONDITIONS, VARIANTS
from jevbias.cli.main import app
from tests.cli.conftest import Jevbias

CONTRACT = {
    "smoke": (11, 15),
    "pilot": (68, 388),
    "standard": (333, 2_992),
    "jev-latest-deep": (666, 12_000),
    "factorial": (160, 2_080),
}


@pytest.mark.parametrize("columns", ["80", "160"])
def test_design_prints_the_contracts_people_and_calls_and_the_size_of_the_catalogue(
    jevbias: Jevbias, columns: str
) -> None:
    shown = jevbias("design", COLUMNS=columns)
    assert shown.code == 0, shown.err
    for name, (people, calls) in CONTRACT.items():
        line = next(line for line in shown.out.splitlines() if line.startswith(name))
        assert f"{people:,}" in line.split()
        assert f"{calls:,}" in line.split()
    assert "29 attributes with 140 levels" in shown.out
    data = jevbias("design", "--json").json
    counts = {row["name"]: (row["estimate"]["people"], row["estimate"]["calls"]) for row in data["profiles"]}
    assert counts == CONTRACT


@pytest.mark.parametrize("profile", CONTRACT)
def test_the_rows_in_the_database_are_as_many_as_planned(jevbias: Jevbias, profile: str) -> None:
    planned = jevbias("run", "--plan-only", "--driver", "local", "--profile", profile, "--name", "counted")
    assert planned.code == 0, planned.err
    assert jevbias("status", "--json").json["probes"] == CONTRACT[profile][1]


def test_every_payload_that_preview_prints_validates_against_the_official_schema(
    jevbias: Jevbias, catalogue: Catalogue
) -> None:
    for scenario in catalogue.scenarios:
        for condition in CONDITIONS:
            for variant in VARIANTS:
                shown = jevbias(
                    *("preview", "--scenario", scenario, "--condition", condition, "--variant", variant),
                    *("--driver", "jev"),
                )
                assert shown.code == 0, shown.err
                request = SystemOneRequest.model_validate_json(shown.out, strict=True)
                assert request.model == "jev-latest"
                assert set(request.questions) == set(catalogue.scenarios[scenario].questions)


def test_raw_prints_the_very_bytes_whose_hash_is_said(jevbias: Jevbias) -> None:
    raw = jevbias("preview", "--raw", "--driver", "jev")
    digest = hashlib.sha256(raw.out.rstrip("\n").encode("utf-8")).hexdigest()
    assert digest in raw.err
    pretty = jevbias("preview", "--driver", "jev")
    assert json.loads(raw.out) == json.loads(pretty.out)
    assert list(json.loads(raw.out)["state"]) == ["application", "candidate"]


def test_a_swap_is_shown_as_a_diff_of_the_one_thing_that_differs(jevbias: Jevbias) -> None:
    shown = jevbias("preview", "--swap", "religion=muslim")
    changed = [line for line in shown.out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line.split(":")[0].strip('+- "') for line in changed] == ["religion", "religion"]
    assert "Muslim" in changed[1]
    control = jevbias("preview", "--swap", "religion=muslim", "--condition", "name_only")
    assert "control" in control.out


def test_levels_lists_every_attribute_and_question(jevbias: Jevbias, catalogue: Catalogue) -> None:
    data = jevbias("levels", "--json").json
    assert sum(len(attribute["levels"]) for attribute in data["attributes"].values()) == 140
    assert sum(len(scenario["questions"]) for scenario in data["scenarios"].values()) == 42
    text = jevbias("levels").out
    for key in (*catalogue.attributes, *catalogue.scenarios):
        assert key in text


def test_export_variants_gives_cases_and_directions(jevbias: Jevbias, catalogue: Catalogue) -> None:
    data = jevbias("export-variants").json
    text = json.dumps(data)
    for scenario in catalogue.scenarios.values():
        for question in scenario.questions:
            assert question in text


@pytest.mark.parametrize("command", [command.name for command in app.registered_commands])
def test_every_command_and_every_option_says_what_it_does(jevbias: Jevbias, command: str) -> None:
    shown = jevbias(command, "--help")
    assert shown.code == 0
    assert shown.out.startswith(f"Usage: jevbias {command}")
    described = get_command(app).commands[command]  # type: ignore[attr-defined]
    assert described.help
    for parameter in described.params:
        assert parameter.help, parameter.name
