"""`battery`: scored by a model, a function or a file, stored, resumed, reported, compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jevbias.battery.pairs import PairSet
from jevbias.battery.read_pairs import load_pairs
from jevbias.report.battery import BatteryReport
from jevbias.report.battery_file import read_battery_report
from tests.battery.sets import pair_set
from tests.cli.answering import Asked, Said, answering
from tests.cli.battery_functions import MODULE
from tests.cli.conftest import Jevbias, Result

SIZES = {"loud": [2, 1, 1, 1, 1, 1, 1], "calm": [1] * 6}


@pytest.fixture
def pairs(tmp_path: Path) -> PairSet:
    """A file `pairs.jsonl` in the current folder, of which every side with the feature begins with WITH."""
    lines = [
        {**pair.content, "with": f"WITH {pair.with_feature}"}
        for pair in pair_set(SIZES, {"calm": "negative"}).pairs
    ]
    for line in lines:
        line["control"] = "negative" if line["axis"] == "calm" else None
        del line["number"]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return load_pairs(tmp_path / "pairs.jsonl")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module `my_scorers` in the current folder."""
    import sys

    (tmp_path / "my_scorers.py").write_text(MODULE, encoding="utf-8")
    yield "my_scorers"
    sys.modules.pop("my_scorers", None)


def report_of(jevbias: Jevbias, *arguments: str) -> BatteryReport:
    found = jevbias("battery", "report", "--json", *arguments)
    assert found.code == 0, found.err
    return BatteryReport.model_validate_json(found.out)


def run(jevbias: Jevbias, *arguments: object) -> Result:
    return jevbias("battery", "run", "--pairs", "pairs.jsonl", *arguments)


@pytest.mark.usefixtures("pairs")
def test_a_function_scores_on_its_own_scale_and_is_stored(
    jevbias: Jevbias, module: str, pairs: PairSet
) -> None:
    done = run(jevbias, "--scorer", f"{module}:length", "--repeats", "2")
    assert done.code == 0, done.err
    assert "`jevbias battery report --run my_scorers.length-battery` says what came out" in done.err
    report = report_of(jevbias)
    deltas = [100.0 - len(p.with_feature) + len(p.without_feature) for p in pairs.by_axis["calm"]]
    assert report.per_axis["calm"].mean == pytest.approx(sum(deltas) / len(deltas), rel=1e-5)
    assert (report.run.driver, report.run.model, report.run.question) == ("python", "my_scorers:length", None)
    assert (report.run.calls, report.run.answered) == (4 * len(pairs.pairs), 4 * len(pairs.pairs))
    assert report.noise.exact
    again = jevbias("battery", "run", "--resume", "my_scorers.length-battery")
    assert again.code == 0
    assert "nothing left to send" in again.err


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize("name", ["waiting", "waits", "promises"])
def test_what_is_async_is_awaited(jevbias: Jevbias, module: str, name: str) -> None:
    assert run(jevbias, "--scorer", f"{module}:{name}").code == 0
    assert report_of(jevbias).noise.cells == 24


@pytest.mark.usefixtures("pairs")
def test_what_a_function_raises_stops_the_run_in_one_line(jevbias: Jevbias, module: str) -> None:
    done = run(jevbias, "--scorer", f"{module}:breaking")
    assert done.code == 1
    assert "raised KeyError: 'no such voice'" in done.err
    assert "Traceback" not in done.err
    assert "`jevbias battery run --resume my_scorers.breaking-battery` goes on" in done.err


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("stops", "StopIteration"),
        ("cancels", "CancelledError"),
        ("exits", "SystemExit"),
        ("unsayable", "Unsayable"),
    ],
)
def test_nothing_that_a_function_raises_hangs_or_ends_the_run_silently(
    jevbias: Jevbias, module: str, name: str, said: str
) -> None:
    done = run(jevbias, "--scorer", f"{module}:{name}")
    assert (done.code, f"raised {said}" in done.err) == (1, True)
    assert "Traceback" not in done.err


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("axis,family,with,with\nloud,f1,1,2", "s.csv:1: two columns are called 'with'"),
        ("axis,family,with,without\nloud,f1,1,2,3", "s.csv:2: has 5 cells, and the first line names 4"),
        ('axis,family,with,without\nloud,f1,"1,2\nloud,f2,1,2', "s.csv:"),
        ("axis,family,side,score,with,without\nloud,f1,with,1,2,3", "s.csv:2: has both 'side' and 'without'"),
    ],
)
def test_a_table_that_could_be_misread_is_refused_with_its_line(
    jevbias: Jevbias, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "s.csv").write_text(text)
    done = run(jevbias, "--scorer", "s.csv")
    assert (done.code, said in done.err, len(done.err.splitlines())) == (2, True, 1), done.err


@pytest.mark.usefixtures("pairs")
def test_scores_that_are_none_cost_their_pair_and_are_named(jevbias: Jevbias, module: str) -> None:
    run(jevbias, "--scorer", f"{module}:unfit", "--name", "unfit")
    reasons = " ".join(lost.reason for lost in report_of(jevbias).lost)
    assert re.search(r"the score is (nan|inf)|the score is no number but (str|bool)|no score", reasons)


@pytest.mark.parametrize(
    ("scorer", "said"),
    [
        ("my_scorers:gone", "--scorer my_scorers:gone: AttributeError"),
        ("no_module_of_mine:f", "ModuleNotFoundError"),
        ("my_scorers:one", "cannot be called as (prompt, reply)"),
        ("my_scorers:calls", "is no function"),
        ("whatever", "give noul, score, a question file"),
        ("gone.jsonl", "gone.jsonl: no such file"),
        ("gone.yaml", "gone.yaml: no such file"),
    ],
)
@pytest.mark.usefixtures("pairs", "module")
def test_a_scorer_that_is_none_is_refused_in_one_line(jevbias: Jevbias, scorer: str, said: str) -> None:
    done = run(jevbias, "--scorer", scorer)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def lines_of(pairs: PairSet) -> list[dict[str, Any]]:
    return [
        {"axis": p.axis, "family": p.family, "pair": p.number, "with": 2.0 + place % 3, "without": 1.0}
        for place, p in enumerate(pairs.pairs)
    ]


def test_a_file_of_scores_is_read_pair_by_pair_or_side_by_side(
    jevbias: Jevbias, pairs: PairSet, tmp_path: Path
) -> None:
    wide = lines_of(pairs)
    (tmp_path / "wide.jsonl").write_text("\n".join(map(json.dumps, wide)))
    long = ["axis,family,pair,side,score"]
    long += [
        f"{r['axis']},{r['family']},{r['pair']},{side},{r[side]}"
        for r in wide
        for side in ("with", "without")
    ]
    (tmp_path / "long.csv").write_text("\n".join([*long, *long[1:]]))
    for name in ("wide.jsonl", "long.csv"):
        assert run(jevbias, "--scorer", name).code == 0
    one, other = (report_of(jevbias, "--run", f"{name}-battery") for name in ("wide.jsonl", "long.csv"))
    assert one.per_axis == {
        axis: e.model_copy(update={"noise_sd": None, "d_without_noise": None, "repeats": 1.0})
        for axis, e in other.per_axis.items()
    }
    assert (one.noise.cells, other.noise.cells) == (0, 2 * len(pairs.pairs))
    assert other.noise.exact
    (tmp_path / "wide.jsonl").write_text("\n".join(map(json.dumps, wide[1:])))
    changed = jevbias("battery", "run", "--resume", "wide.jsonl-battery")
    assert (changed.code, "its scores have changed" in changed.err) == (2, True)


def test_scores_that_are_missing_or_no_numbers_are_named_with_their_line(
    jevbias: Jevbias, pairs: PairSet, tmp_path: Path
) -> None:
    lines = lines_of(pairs)
    lines[0]["with"], lines[1]["without"], lines[2]["with"] = float("nan"), float("inf"), "n/a"
    lines[3]["with"] = None
    lines[4] = {**lines[5], "with": "1_000"}
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert run(jevbias, "--scorer", "s.jsonl").code == 0
    report = report_of(jevbias)
    assert [(lost.side, lost.reason) for lost in report.lost] == [
        ("with", "the score is nan (s.jsonl:1)"),
        ("without", "the score is inf (s.jsonl:2)"),
        ("with", "the score is no number but str (s.jsonl:3)"),
        ("with", "no score (s.jsonl:4)"),
        ("without", "no score in s.jsonl"),
        ("with", "no score in s.jsonl"),
    ]
    assert report.per_axis["loud"].pairs_lost == 5
    assert report.notes[0] == "repeats without a score: 1; their replies are scored by the others alone"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ({"axis": "loud", "family": "nobody", "with": 1, "without": 0}, "the set has no family 'nobody'"),
        ({"axis": "loud", "family": "f0", "with": 1, "without": 0}, "family 'f0' has 2 pairs: name one"),
        ({"axis": "loud", "family": "f0", "pair": 3, "side": "with", "score": 1}, "has pairs 1 to 2"),
        ({"axis": "loud", "family": "f1", "side": "left", "score": 1}, "side 'left' is neither"),
        ({"axis": "loud", "family": "f1"}, "has neither a side with a score nor"),
        ({"axis": "loud", "family": "f1", "sides": 1}, "unknown key 'sides'"),
        ({"family": "f1", "with": 1}, "names no axis and family"),
        ({"axis": "loud", "family": "f1", "with": float("nan"), "without": None}, "holds no usable score"),
    ],
)
@pytest.mark.usefixtures("pairs")
def test_a_line_of_scores_that_is_none_is_refused(
    jevbias: Jevbias, tmp_path: Path, line: dict[str, Any], fault: str
) -> None:
    (tmp_path / "s.jsonl").write_text(json.dumps(line))
    done = run(jevbias, "--scorer", "s.jsonl")
    assert (done.code, fault in done.err, len(done.err.splitlines())) == (2, True, 1)


def scores_like_a_model(asked: Asked) -> Said:
    body = json.loads(asked.body)
    if "messages" in body:
        reply = json.loads(body["messages"][1]["content"])["reply"]["text"]
        answers = json.dumps({"quality": 3.5 if reply.startswith("WITH") else 1 + len(reply) % 2})
        message = {"role": "assistant", "content": answers}
        content: dict[str, Any] = {
            "model": "judge-1",
            "choices": [{"message": message, "finish_reason": "stop"}],
        }
    else:
        reply = body["state"]["reply"]["text"]
        noul = 0.75 if reply.startswith("WITH") else 0.5 + 0.01 * (len(reply) % 5)
        content = {"model": "jev-test", "answers": {"quality": {"type": "noul", "noul": noul}}}
    return Said(body=json.dumps(content).encode())


@pytest.mark.usefixtures("pairs")
def test_a_system_one_server_and_a_chat_model_are_asked_about_each_reply_by_itself(jevbias: Jevbias) -> None:
    with answering(scores_like_a_model) as server:
        jev = jevbias(
            *("battery", "run", "--pairs", "pairs.jsonl", "--scorer", "noul", "--driver", "jev"),
            *("--model", "jev-test", "--name", "jev"),
            TYPESAFE_BASE_URL=server.url,
        )
        chat = jevbias(
            *("battery", "run", "--pairs", "pairs.jsonl", "--driver", "openai", "--model", "judge"),
            *("--name", "chat"),
            OPENAI_BASE_URL=f"{server.url}/v1",
        )
    assert (jev.code, chat.code) == (0, 0), jev.err + chat.err
    bodies = [json.loads(asked.body) for asked in server.asked]
    state = next(body["state"] for body in bodies if "state" in body)
    assert list(state) == ["conversation", "reply"]
    chats = [body for body in bodies if "messages" in body]
    assert "the reply to the message of the case" in chats[0]["messages"][0]["content"]
    assert chats[0]["response_format"]["json_schema"]["strict"] is True
    told = json.dumps(bodies)
    assert not any(word in told for word in ("loud", "calm", "f0"))
    assert report_of(jevbias, "--run", "jev").per_axis["loud"].up == 8
    found = report_of(jevbias, "--run", "chat")
    assert (found.run.models_answered, found.run.scorer) == (["judge-1"], "score")
    compared = jevbias("battery", "compare", "jev", "chat", "--json")
    assert compared.json["shared"] == ["loud"]
    assert compared.json["notes"][0].startswith("the runs asked different questions")


@pytest.mark.usefixtures("pairs")
def test_only_what_is_missing_is_sent_again(jevbias: Jevbias) -> None:
    command = ("battery", "run", "--pairs", "pairs.jsonl", "--driver", "jev", "--model", "jev-test")
    with answering(scores_like_a_model) as server:
        planned = jevbias(
            *command, "--scorer", "noul", "--name", "later", "--plan-only", TYPESAFE_BASE_URL=server.url
        )
        assert "`jevbias battery run --resume later` puts it to the scorer" in planned.err
        assert "the run is not through" in " ".join(report_of(jevbias).notes)
        calls = len(server.asked)
        settings = {"TYPESAFE_BASE_URL": server.url}
        assert jevbias("battery", "run", "--resume", "later", **settings).code == 0
        sent = len(server.asked)
        assert calls == 0
        assert jevbias("battery", "run", "--resume", "later", **settings).code == 0
        assert len(server.asked) == sent
    refused = jevbias("battery", "run", "--resume", "later", "--scorer", "noul", "--seed", "3")
    assert (refused.code, "leave out --scorer, --seed" in refused.err) == (2, True)


@pytest.mark.usefixtures("pairs")
def test_other_commands_say_which_one_reads_a_battery(jevbias: Jevbias, module: str) -> None:
    run(jevbias, "--scorer", f"{module}:length", "--name", "bat")
    for command in (
        *(("analyse", "--run", "bat"), ("publish", "--run", "bat"), ("gate", "--run", "bat")),
        *(("trace", "noise/full", "--run", "bat"), ("compare", "bat", "bat2")),
        ("export", "--run", "bat"),
    ):
        done = jevbias(*command)
        assert done.code == 2, command
        assert done.err.splitlines()[-1] == (
            "jevbias: run bat is a battery run: `jevbias battery report --run bat` reads it"
        ), command
    for command in (("run", "--resume", "bat"), ("work", "--run", "bat")):
        assert "`jevbias battery run --resume bat` goes on with it" in jevbias(*command).err
    assert jevbias("status", "--run", "bat").out.splitlines()[0] == "run       bat (finished)"
    assert "bat" in jevbias("runs").out
    assert jevbias("runs", "--delete", "bat", "--yes").code == 0
    gone = jevbias("battery", "report")
    assert (gone.code, "`jevbias battery run` makes one" in gone.err) == (2, True)


@pytest.mark.usefixtures("pairs")
def test_reports_are_files_pages_and_comparisons(jevbias: Jevbias, module: str, tmp_path: Path) -> None:
    run(jevbias, "--scorer", f"{module}:length", "--name", "one")
    run(jevbias, "--scorer", f"{module}:waiting", "--name", "two", "--axes", "loud")
    shown = jevbias("battery", "report", "--run", "one", "--out", "one.json", "--page", "one.html")
    assert shown.code == 0
    assert "EXPLORATORY" in shown.out
    assert read_battery_report(tmp_path / "one.json").run.name == "one"
    assert "<svg" in (tmp_path / "one.html").read_text()
    compared = jevbias("battery", "compare", "one.json", "two", "--page", "c.html", "--out", "c.json")
    assert compared.code == 0
    assert "only one has calm" in compared.out
    assert "scored different pairs" not in compared.out
    wrong = jevbias("compare", "one.json", "one.json")
    assert (wrong.code, "`jevbias battery compare A B`" in wrong.err) == (2, True)
    assert (tmp_path / "c.html").read_text().count('class="bar second"') >= 1
    for bad, said in (
        ("c.json", "not a report of `jevbias battery report`"),
        ("gone.json", "cannot be read"),
    ):
        refused = jevbias("battery", "compare", "one.json", bad)
        assert (refused.code, said in refused.err) == (2, True)


@pytest.mark.usefixtures("pairs")
def test_a_set_is_shown_and_faults_are_listed(jevbias: Jevbias, tmp_path: Path) -> None:
    shown = jevbias("battery", "pairs", "--pairs", "pairs.jsonl")
    assert shown.code == 0
    assert "loud" in shown.out
    assert "sound; no two families share" in shown.out
    whole = jevbias("battery", "pairs", "--pairs", "pairs.jsonl", "--show", "loud/f0")
    assert "loud/f0/2" in whole.out
    (tmp_path / "bad.jsonl").write_text('{"axis": "a"}\n[]\n')
    bad = jevbias("battery", "pairs", "--pairs", "bad.jsonl")
    assert bad.code == 2
    assert all(line.startswith("bad.jsonl:") for line in bad.err.splitlines())
    assert "bad.jsonl:2" in bad.err


@pytest.mark.usefixtures("pairs")
def test_some_axes_of_a_set_are_the_same_set_wherever_they_are_named(jevbias: Jevbias, module: str) -> None:
    for name, axes in (("loud", "loud"), ("both", "calm,loud")):
        run(jevbias, "--scorer", f"{module}:length", "--name", name, "--axes", axes, "--plan-only")
        shown = jevbias("battery", "pairs", "--pairs", "pairs.jsonl", "--axes", axes, "--json").json
        assert shown["hash"] == report_of(jevbias, "--run", name).run.pairs_hash
    for axes in ("gone", ","):
        refused = jevbias("battery", "pairs", "--pairs", "pairs.jsonl", "--axes", axes)
        assert (refused.code, refused.err) == (2, run(jevbias, "--axes", axes).err)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--axes", "gone"), "--axes: the set has no axis 'gone'; it has loud, calm"),
        (("--repeats", "0"), "--repeats: 0 is not allowed"),
        (("--scorer", "my_scorers:length", "--driver", "local"), "leave out --driver"),
        (("--scorer", "my_scorers:length", "--timeout", "3"), "leave out --timeout"),
        (("--pairs", ""), "--pairs: is empty"),
        (("--scorer", "my_scorers:length", "--name", "a b"), "run name 'a b' is not allowed"),
    ],
)
@pytest.mark.usefixtures("pairs", "module")
def test_bad_usage_is_one_line(jevbias: Jevbias, arguments: tuple[str, ...], said: str) -> None:
    done = run(jevbias, *arguments)
    assert (done.code, said in done.err, len(done.err.splitlines())) == (2, True, 1), done.err
