"""Bad usage and bad input: one clear line that says what is allowed, exit 2, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Jevbias

WRONG = [
    (("run", "--profile", "pilott"), ["pilott", "pilot", "smoke"]),
    (("run", "--profile", "pilot", "--scenarios", "hiring"), ["hiring", "hiring_screen"]),
    (("run", "--profile", "pilot", "--scenarios", "tenancy"), ["tenancy", "hiring_screen, clinical_triage"]),
    (("run", "--profile", "pilot", "--swept", "relgion"), ["relgion", "religion"]),
    (("run", "--profile", "pilot", "--swept", "housing"), ["housing", "religion"]),
    (("run", "--profile", "pilot", "--bases", "0"), ["--bases", "1 to"]),
    (("run", "--profile", "factorial", "--bases", "2"), ["--bases", "factorial"]),
    (("run", "--name", "../etc"), ["../etc"]),
    (("run", "--driver", "oracle"), ["oracle", "jev", "local"]),
    (("run", "--driver", "jev"), ["TYPESAFE_API_KEY"]),
    (
        ("run", "--driver", "local", "--model", "sparrow-giant"),
        ["sparrow-giant", "sparrow-nano-general-v1.1"],
    ),
    (("run", "--workers", "0"), ["--workers: 0 is not allowed; give 1 to 512"]),
    (("run", "--margin", "2"), ["--margin: 2.0 is not allowed; give a number above 0 and below 1"]),
    (("run", "--threshold", "1"), ["--threshold: 1.0 is not allowed; give a number above 0 and below 1"]),
    (("run", "--threshold", "nan"), ["--threshold: nan is not allowed; give a number above 0 and below 1"]),
    (("run", "--timeout", "inf"), ["--timeout: inf is not allowed; give a number above 0, at most 3,600"]),
    (("run", "--profile", "factorial", "--placebos"), ["--placebos", "factorial"]),
    (("run", "--rate", "0"), ["--rate", "1200/min, 20/s"]),
    (("run", "--rate", "20/fortnight"), ["--rate: '20/fortnight' is no rate", "1200/min, 20/s"]),
    (("run", "--tokens-per-second", "many"), ["--tokens-per-second: 'many' is no rate", "250000"]),
    (("run", "--max-cost", "0"), ["--max-cost: 0 is not allowed", "US dollars above 0"]),
    (("run", "--max-cost", "nan"), ["--max-cost: nan is not allowed"]),
    (("run", "--alpha", "1"), ["--alpha: 1.0 is not allowed; give a number above 0 and below 1"]),
    (("run", "--driver", "local", "--reasoning-effort", "low"), ["--reasoning-effort", "openrouter"]),
    (("run", "--reasoning-effort", "much"), ["--reasoning-effort: much", "none, minimal, low"]),
    (("run", "--resume", "x", "--alpha", "0.1"), ["--alpha"]),
    (("run", "--seed", str(2**63)), ["--seed:", "to 9,223,372,036,854,775,807"]),
    (("design", "--seed", str(-(2**63) - 1)), ["seed"]),
    (("run", "--max-attempts", "0"), ["--max-attempts: 0 is not allowed; give 1 to 100"]),
    (("run", "--scenarios", ","), ["--scenarios", "nothing"]),
    (("run", "--swept", ""), ["--swept", "nothing"]),
    (("run", "--profile", "pilot", "--bases", "20000"), ["--bases", "1 to 10,000"]),
    (("run", "--resume", "x", "--name", "y"), ["--resume", "--name"]),
    (("run", "--resume", "x", "--seed", "2", "--margin", "0.3"), ["--resume", "--seed", "--margin"]),
    (("run", "--resume", "x", "--profile", "smoke", "--driver", "local"), ["--profile", "--driver"]),
    (("run", "--resume", "x", "--placebos", "--threshold", "0.4"), ["--placebos", "--threshold"]),
    (("battery", "run", "--resume", "x", "--plan-only"), ["as it was planned: leave out --plan-only\n"]),
    (
        ("testbench", "determinism", "--resume", "x", "--minutes", "0"),
        ["as it was planned: leave out --minutes\n"],
    ),
    (("collab", "run", "--resume", "x", "--episodes", "3"), ["as it was planned: leave out --episodes\n"]),
    (("preview", "--base", "10000"), ["--base", "99"]),
    (("run", "--resume", "x"), ["jevbias.db"]),
    (("run", "--frobnicate"), ["--frobnicate"]),
    (("frobnicate",), ["frobnicate"]),
    (("preview", "--scenario", "hirng_screen"), ["hirng_screen", "hiring_screen"]),
    (("preview", "--condition", "most"), ["most", "blind, name_only, full"]),
    (("preview", "--variant", "best"), ["best", "weak, mid, strong"]),
    (("preview", "--swap", "religion=no"), ["'no'", "muslim"]),
    (("preview", "--swap", "religion"), ["ATTRIBUTE=LEVEL"]),
    (("preview", "--swap", "religion=none"), ["reference"]),
    (("preview", "--swap", "age_band=early_twenties"), ["never swept"]),
    (("preview", "--swap", "faith=muslim"), ["faith", "religion"]),
    (("levels", "relgion"), ["relgion", "religion"]),
    (("design", "--compare", "1"), ["--compare"]),
    (("design", "--catalogue", "nowhere"), ["nowhere"]),
    (("analyse",), ["jevbias.db", "run"]),
    (("analyse", "--db", "nowhere/x.db"), ["nowhere"]),
    (("status",), ["jevbias.db"]),
    (("work",), ["jevbias.db"]),
    (("reset",), ["jevbias.db"]),
    (("runs",), ["jevbias.db"]),
    (("publish", "--nav", "nolabel"), ["--nav", "nolabel", "LABEL=FILE"]),
    (("publish", "--report", "absent.json"), ["absent.json"]),
    (("publish", "--out", ""), ["--out", "page.html"]),
    (("publish", "--out", ".."), ["--out", "../page.html"]),
    (("analyse", "--out", ""), ["--out", "no file"]),
    (("analyse", "--out", ".."), ["'..' is no file; give one, such as ../report.json"]),
    (("battery", "report", "--out", ".."), ["'..' is no file; give one, such as ../battery.json"]),
    (("battery", "report", "--page", "-"), ["--page: '-' is no file; --page /dev/stdout prints to stdout"]),
    (("battery", "compare", "a", "b", "--out", ".."), ["give one, such as ../compared.json"]),
    (("collab", "report", "--out", ".."), ["'..' is no file; give one, such as ../collab.json"]),
    (("collab", "report", "--page", "-"), ["--page: '-' is no file; --page /dev/stdout prints to stdout"]),
    (("testbench", "report", "--out", ".."), ["'..' is no file; give one, such as ../testbench.json"]),
    (("testbench", "report", "--page", ".."), ["'..' is no file; give one, such as ../page.html"]),
    (("mock", "--effects", "absent.yaml"), ["absent.yaml"]),
    (("validate", "absent.yaml"), ["absent.yaml"]),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_bad_usage_is_one_line_that_says_what_is_allowed_and_exit_2(
    jevbias: Jevbias, tmp_path: Path, arguments: tuple[str, ...], said: list[str]
) -> None:
    result = jevbias(*arguments)
    assert result.code == 2, result
    assert result.out == ""
    assert len(result.err.splitlines()) == 1, result.err
    assert "Traceback" not in result.err
    for part in said:
        assert part in result.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"not a database at all, whatever its name says", b"\x00" * 4096, b"SQLite format 3\x00trunc"]
)
@pytest.mark.parametrize("command", [("run",), ("analyse",), ("status",), ("runs",), ("reset",), ("work",)])
def test_a_database_that_is_not_one_is_refused_and_left_as_it_is(
    jevbias: Jevbias, tmp_path: Path, command: tuple[str, ...], content: bytes
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    result = jevbias(*command, "--db", file)
    assert result.code == 2, result
    assert len(result.err.splitlines()) <= 2
    assert "notes.txt" in result.err.splitlines()[-1]
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_run_name_that_exists_is_refused_and_the_run_stays(jevbias: Jevbias) -> None:
    first = jevbias("run", "--plan-only", "--name", "mine")
    assert first.code == 0, first.err
    before = jevbias("status", "--run", "mine", "--json").json
    again = jevbias("run", "--plan-only", "--name", "mine", "--profile", "pilot")
    assert again.code == 2
    assert "mine" in again.err.splitlines()[-1]
    assert jevbias("status", "--run", "mine", "--json").json == before
    assert [run["name"] for run in jevbias("runs", "--json").json] == ["mine"]


def test_a_file_of_the_users_own_that_is_wrong_is_named_with_its_line(
    jevbias: Jevbias, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("title: A\ntitle: B\n")
    result = jevbias("validate", file)
    assert result.code == 2
    assert "mine.yaml:2" in result.err
    assert "title" in result.err


def test_a_settings_file_that_is_not_utf_8_is_named_in_one_line(jevbias: Jevbias, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("JEVBIAS_SEED=1\n".encode("utf-16"))
    result = jevbias("run")
    assert (result.code, result.out) == (2, "")
    assert result.err == "jevbias: .env: not UTF-8 text; save it as UTF-8\n"
    assert [file.name for file in tmp_path.iterdir()] == [".env"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("JEVBIAS_SEED=1\n\n\nTYPESAFE_API_KEY sk-secret-1\n", 4),
        ('JEVBIAS_DB="x\nTYPESAFE_API_KEY=sk-secret-2\n', 1),
        ("# a comment\n\nsk-secret-3 pasted by mistake\n", 3),
    ],
)
def test_a_line_of_the_settings_file_that_is_none_is_named_and_not_shown(
    jevbias: Jevbias, tmp_path: Path, content: str, line: int
) -> None:
    (tmp_path / ".env").write_text(content)
    for command in ("design", "run", "status"):
        result = jevbias(command)
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            f"jevbias: .env:{line}: not of the form NAME=value; correct the line or remove it\n"
        )


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("JEVBIAS_THRESHOLD", "nan", "not allowed; give a number above 0 and below 1"),
        ("JEVBIAS_WORKERS", "sk-secret", "not allowed; give 1 to 512"),
    ],
)
def test_a_variable_out_of_range_is_named_and_its_value_is_not_shown(
    jevbias: Jevbias, variable: str, value: str, said: str
) -> None:
    refused = jevbias("run", **{variable: value})
    assert (refused.code, refused.out, refused.err) == (2, "", f"jevbias: {variable}: {said}\n")


def test_a_settings_file_that_is_sound_is_read(jevbias: Jevbias, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text('# mine\nexport JEVBIAS_DB="my runs.db" # there\n\nJEVBIAS_SEED=\n')
    assert "my runs.db" in jevbias("status").err


def test_no_arguments_shows_the_commands(jevbias: Jevbias) -> None:
    result = jevbias()
    assert "Usage: jevbias" in result.out + result.err
