"""What can be seen before a call is made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.main import get_command
from typesafe_sdk._schemas.models import SystemOneRequest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.planned_power import Spreads
from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import CONDITIONS, VARIANTS
from jevbias.cli.main import app
from jevbias.drivers.select import render_body
from jevbias.plan.build import build_plan
from jevbias.report.power import PowerBasis
from jevbias.report.write import report_json
from jevbias.store.engine import open_store
from tests.analysis.runs import FACTS, Design, make_dataset, make_probes
from tests.analysis.stored import store_run
from tests.cli.conftest import Jevbias
from tests.conftest import CHECKOUT

CONTRACT = {
    "smoke": (11, 15),
    "pilot": (68, 388),
    "standard": (333, 2_992),
    "jev-latest-deep": (666, 12_000),
    "factorial": (160, 2_080),
}


@pytest.mark.parametrize(("columns", "profiles"), [("80", tuple(CONTRACT)), ("160", ("smoke", "pilot"))])
def test_design_prints_the_contracts_people_and_calls_and_the_size_of_the_catalogue(
    jevbias: Jevbias, few_profiles: Path, columns: str, profiles: tuple[str, ...]
) -> None:
    catalogue = () if len(profiles) == len(CONTRACT) else ("--catalogue", few_profiles)
    shown = jevbias("design", *catalogue, COLUMNS=columns)
    assert shown.code == 0, shown.err
    for name in profiles:
        people, calls = CONTRACT[name]
        line = next(line for line in shown.out.splitlines() if line.startswith(name))
        assert f"{people:,}" in line.split()
        assert f"{calls:,}" in line.split()
        rows = [
            line
            for line in shown.out.splitlines()
            if line.startswith(f"{name} ") and line[:-1].count(" ") > 9
        ]
        assert len(rows) == 2, "one row of costs, one of the smallest effects"
    assert max(map(len, shown.out.splitlines())) <= int(columns)
    assert "29 attributes with 140 levels" in shown.out


def test_design_counts_the_same_as_json(jevbias: Jevbias) -> None:
    data = jevbias("design", "--json").json
    counts = {row["name"]: (row["estimate"]["people"], row["estimate"]["calls"]) for row in data["profiles"]}
    assert counts == CONTRACT


@pytest.fixture(scope="module")
def few_profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped catalogue with the profiles that are planned in no time."""
    folder = tmp_path_factory.mktemp("catalogue")
    (folder / "scenarios").symlink_to(CHECKOUT / "scenarios")
    (folder / "profiles").mkdir()
    for name in ("smoke.yaml", "pilot.yaml", "confirm.yaml", "prices"):
        (folder / "profiles" / name).symlink_to(CHECKOUT / "profiles" / name)
    wide = (CHECKOUT / "profiles" / "pilot.yaml").read_text().replace("bases: 2", "bases: 8")
    (folder / "profiles" / "wide.yaml").write_text(wide)
    return folder


def test_design_says_the_smallest_effects_and_what_they_assume(jevbias: Jevbias, few_profiles: Path) -> None:
    shown = jevbias("design", "--catalogue", few_profiles, COLUMNS="80")
    assert shown.code == 0, shown.err
    table = shown.out[shown.out.index("The smallest differences that 80% of runs find") :]
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines() if line.strip()}
    assert rows["smoke"] == ["–"] * 8
    assert rows["pilot"][:4] == ["1.8", "2.7", "3.4", "6.1"]
    assert rows["pilot"][4:] == ["–"] * 4
    assert rows["wide"][4] != "–" == rows["wide"][5]
    said = " ".join(table.split())
    assert "1.6 (noise of an answer), 1.2 (noise of a probe's mean), 2.0 (a swap's effect" in said
    assert "defaults; --noise-from RUN puts measured ones in their place" in said
    assert "– (a), smoke: fewer than 8 repeats in a scenario." in said
    assert (
        "It takes 6 bases alone; adjusted, pooled / per question: smoke 9 / 11, pilot 11 / 15, wide" in said
    )
    assert "confirm: its 16 bases find 1.4 in one hypothesis, 2.1 in one of 10 (one-sided (b), Holm)." in said


def test_the_smallest_effects_travel_as_json_in_favourability(jevbias: Jevbias, few_profiles: Path) -> None:
    data = jevbias("design", "--catalogue", few_profiles, "--json", JEVBIAS_ALPHA="0.01").json
    effects = {row["name"]: row["smallest_effects"] for row in data["profiles"]}
    assert effects["pilot"]["noise"]["pooled"]["tests"] == 66
    assert effects["pilot"]["people"]["pooled"] == {
        "tests": 43,
        "alone": None,
        "adjusted": None,
        "bases_adjusted": 14,
    }
    assert 0.018 < effects["pilot"]["noise"]["pooled"]["alone"] < 0.025
    assert data["power"]["alpha"] == 0.01
    assert data["power"]["spreads"] == {"answer": 0.016, "probe": 0.012, "base": 0.02, "rest": 0.02}
    assert data["power"]["measured_in"] is None
    assert [row["hypotheses"] for row in data["power"]["confirm"]] == [1, 10]


RUN_DESIGN = Design(bases=4, swapped={"faith": 3}, conditions=("full",))


def test_noise_from_takes_the_spreads_of_a_stored_run_and_of_its_report_alike(
    jevbias: Jevbias, few_profiles: Path, tmp_path: Path
) -> None:
    probes = make_probes(RUN_DESIGN, noise=0.004)
    store_run(open_store("jevbias.db"), RUN_DESIGN, probes)
    report = analyse(make_dataset(RUN_DESIGN, probes))
    (tmp_path / "report.json").write_bytes(report_json(report))
    ask = ("design", "--catalogue", few_profiles, "--json", "--noise-from")
    stored = jevbias(*ask, FACTS.name).json
    assert stored == jevbias(*ask, "report.json").json
    assert stored["power"]["measured_in"] == FACTS.name
    assert stored["power"]["defaults"] == []
    assert report.power is not None
    assert stored["power"]["spreads"]["answer"] == report.power.answer_sd
    assert stored["power"]["spreads"]["base"] == report.power.base_sd
    shown = jevbias("design", "--catalogue", few_profiles, "--noise-from", FACTS.name)
    assert f"points: measured in {FACTS.name}." in shown.out.replace("\n", " ")


def test_what_a_run_cannot_tell_stays_at_its_default_and_is_named(
    jevbias: Jevbias, few_profiles: Path, tmp_path: Path
) -> None:
    design = Design(bases=1, swapped={"faith": 3}, conditions=("full",))
    (tmp_path / "one-base.json").write_bytes(report_json(analyse(make_dataset(design))))
    ask = ("design", "--catalogue", few_profiles, "--noise-from", "one-base.json")
    data = jevbias(*ask, "--json").json
    assert data["power"]["defaults"] == ["base", "rest"]
    assert data["power"]["spreads"]["base"] == 0.02
    said = " ".join(jevbias(*ask).out.split())
    assert (
        "measured in mock-pilot, except those of a swap's effect between bases and of what is left per base "
        "and scenario, not measured there and left at the default." in said
    )


def test_a_model_whose_answers_do_not_vary_has_no_noise_of_means_either() -> None:
    basis = PowerBasis(answer_sd=0.0, probe_sd=None, base_sd=0.01, rest_sd=None, rows=3)
    spreads, defaults = Spreads().measured(basis)
    assert (spreads.answer, spreads.probe, spreads.base, defaults) == (0.0, 0.0, 0.01, ["rest"])
    varying = basis.model_copy(update={"answer_sd": 0.01})
    assert Spreads().measured(varying)[1] == ["probe", "rest"]


def test_a_model_without_any_spread_gets_dashes_and_their_reason(
    jevbias: Jevbias, few_profiles: Path, tmp_path: Path
) -> None:
    still = analyse(make_dataset(RUN_DESIGN, make_probes(RUN_DESIGN, noise=0.0)))
    (tmp_path / "still.json").write_bytes(report_json(still))
    shown = jevbias("design", "--catalogue", few_profiles, "--noise-from", "still.json")
    rows = [line.split() for line in shown.out.splitlines() if line.endswith("–")]
    assert [row[1:] for row in rows] == [["–"] * 8] * 3
    assert "– (a): the model does not vary" in shown.out
    assert "– (b): without any spread" in shown.out
    assert "so few bases" not in shown.out


def test_noise_from_refuses_what_measured_nothing_in_one_line(
    jevbias: Jevbias, few_profiles: Path, tmp_path: Path
) -> None:
    design = Design(bases=1, replicates=1, anchor_replicates=1)
    (tmp_path / "once.json").write_bytes(report_json(analyse(make_dataset(design))))
    (tmp_path / "other.json").write_text("{}")
    store_run(open_store("jevbias.db"), RUN_DESIGN, make_probes(RUN_DESIGN))
    for named, said in (
        ("once.json", "measured no spread"),
        ("other.json", "not a report"),
        ("none.json", "cannot be read"),
        ("mock-pilto", "mock-pilot"),
    ):
        refused = jevbias("design", "--catalogue", few_profiles, "--noise-from", named)
        assert (refused.code, refused.out) == (2, "")
        assert said in refused.err
        assert refused.err.count("\n") == 1
    both = jevbias("design", "--compare", "10", "--noise-from", "once.json")
    assert (both.code, both.err.count("\n")) == (2, 1)


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


@pytest.mark.parametrize(
    ("arguments", "swapped"),
    [
        ((), None),
        (("--base", "1", "--scenario", "clinical_triage"), None),
        (("--condition", "name_only", "--swap", "religion=muslim"), ("religion", "muslim")),
        (("--base", "1", "--swap", "name_culture=west_african"), ("name_culture", "west_african")),
    ],
)
def test_preview_of_a_profile_is_what_its_run_sends(
    jevbias: Jevbias, catalogue: Catalogue, arguments: tuple[str, ...], swapped: tuple[str, str] | None
) -> None:
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    base, scenario = int(given.get("--base", 0)), given.get("--scenario", "hiring_screen")
    condition = given.get("--condition", "full")
    plan = build_plan(catalogue, "pilot", catalogue.profiles["pilot"], 20260920)
    person = next(
        p
        for p in plan.people
        if p.base == base and (p.swapped_attribute, p.swapped_level) == (swapped or (None, None))
    )
    probe = next(
        probe
        for probe in plan.probes
        if (probe.person, probe.scenario, probe.condition) == (person.idx, scenario, condition)
    )
    shown = jevbias("preview", "--profile", "pilot", "--raw", "--driver", "jev", *arguments)
    assert shown.code == 0, shown.err
    sent = render_body("jev", "jev-latest", plan.asks[probe.ask_hash])
    assert shown.out.rstrip("\n").encode("utf-8") == sent


def test_preview_of_a_factorial_profile_shows_one_of_its_people(jevbias: Jevbias) -> None:
    shown = jevbias("preview", "--profile", "factorial", "--driver", "jev", "--base", "159")
    assert shown.code == 0, shown.err
    SystemOneRequest.model_validate_json(shown.out, strict=True)
    state = shown.json["state"]
    assert list(state) == ["application", "candidate"]
    assert len(state["candidate"]) > 20, "a factorial person has a level of nearly every attribute"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--profile", "pilto"), "allowed: pilot"),
        (("--profile", "confirm"), "jevbias confirm --from RUN"),
        (("--profile", "pilot", "--base", "2"), "give 0 to 1 with profile 'pilot'"),
        (("--profile", "pilot", "--scenario", "tenancy"), "it has hiring_screen, clinical_triage"),
        (("--profile", "pilot", "--condition", "blind"), "it has full, name_only"),
        (("--profile", "pilot", "--variant", "strong"), "meets hiring_screen as weak and never as strong"),
        (("--profile", "pilot", "--swap", "accent=foreign"), "it sweeps name_culture, gender"),
        (("--profile", "factorial", "--swap", "religion=muslim"), "factorial: it swaps nothing"),
        (("--profile", "factorial", "--base", "160"), "give 0 to 159 with profile 'factorial'"),
    ],
)
def test_preview_refuses_what_a_profile_never_sends(
    jevbias: Jevbias, arguments: tuple[str, ...], said: str
) -> None:
    refused = jevbias("preview", *arguments)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert said in refused.err


def test_preview_of_a_profile_shows_a_placebo_as_a_run_with_placebos_does(jevbias: Jevbias) -> None:
    shown = jevbias("preview", "--profile", "pilot", "--swap", "umbrella_colour=olive")
    changed = [line for line in shown.out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changed) == 2
    assert "olive umbrella" in changed[1]


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
