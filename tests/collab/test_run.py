"""`collab run` against servers: what is sent, what is counted, and what becomes of faults."""

from __future__ import annotations

import asyncio
import json
from itertools import cycle
from typing import Any, cast

import pytest

from jevbias.collab.asking import Asking
from jevbias.collab.chat_llm import ChatLlm, ChatMessages
from jevbias.collab.prompts import answer_schema
from jevbias.drivers.http import HttpTransport
from tests.cli.answering import Asked, Said
from tests.cli.conftest import Jevbias
from tests.collab.servers import Models, serving

TASK = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 2, "--json")
CHAT = ("--llm", "openai", "--llm-model", "chatty", "--driver", "jev", "--model", "jev-9")


def rows(report: Any, part: str, **wanted: str) -> list[Any]:
    return [row for row in report[part] if all(row[name] == value for name, value in wanted.items())]


def test_a_bench_with_a_real_llm_says_whom_it_is_about_and_what_it_took(jevbias: Jevbias) -> None:
    with serving(Models()) as models:
        result = jevbias(*TASK, *CHAT, **models.settings)
    assert result.code == 0
    report = result.json
    assert report["run"]["llm_is_real"] is True
    assert report["run"]["played"] == report["run"]["planned"] == 16
    [row] = rows(report, "arms", arm="llm_plus_jev", level="long")
    assert (row["successes"], row["episodes"], row["efficiency"], row["steps"]) == (2, 2, 1.0, 4.0)
    assert (row["efficiency_episodes"], row["illegal"], row["named"]) == (2, 0, 8)
    assert row["about"] == "chatty (openai) with jev-9 (jev)"
    [llm] = rows(report, "use", arm="llm_autonomous", level="short")
    assert (llm["model"], llm["calls"], llm["input_tokens"], llm["output_tokens"]) == (
        "chatty-1",
        4,
        4000,
        400,
    )
    assert llm["cost"] is None
    assert any("The cost of chatty (openai) is not known" in note for note in report["notes"])


def test_the_llms_cost_is_known_once_its_price_is_given(jevbias: Jevbias) -> None:
    with serving(Models()) as models:
        priced = ("--llm-price", "2,10", "--arms", "llm_autonomous")
        report = jevbias(*TASK, *CHAT, *priced, **models.settings).json
    [llm] = rows(report, "use", arm="llm_autonomous", level="short")
    assert llm["cost"] == pytest.approx(4 * (1000 * 2 + 100 * 10) / 1e6)
    assert report["run"]["llm_price"] == [2.0, 10.0]


def test_an_llm_is_told_the_task_and_the_state_and_never_what_is_legal(jevbias: Jevbias) -> None:
    with serving(Models()) as models:
        jevbias(*TASK, *CHAT, "--arms", "llm_autonomous", **models.settings)
    assert models.decisions == []
    for chat in models.chats:
        system, user = (message["content"] for message in chat["messages"])
        assert "Walk right to the end." in system
        assert "one cell to the right" not in system + user
        assert chat["response_format"]["json_schema"]["strict"] is True
    shown = [json.loads(chat["messages"][1]["content"]) for chat in models.chats]
    assert any(entry.get("steps_before") == ["right"] for entry in shown)


def test_a_decision_model_is_shown_the_state_and_what_each_action_does(jevbias: Jevbias) -> None:
    models = Models(say=lambda shown: ["right", "left"])
    with serving(models):
        jevbias(*TASK, *CHAT, "--arms", "all", **models.settings)
    kinds = set()
    for asked in models.decisions:
        for name, question in asked["questions"].items():
            kinds.add(name)
            state = asked["state"] if "at" in asked["state"] else asked["state"]["state"]
            assert set(state) == {"at", "end", "seed"}
            if question["type"] == "choice":
                assert "one cell to the right" in question["criteria"]["right"]
    assert kinds == {"action", "mistake", "loop", "sound", "forward", "best"}
    # A step further on the state is another one.
    assert {asked["state"].get("at") for asked in models.decisions} >= {0, 1, 2, 3}


def test_a_doubt_reaches_the_llm_in_words(jevbias: Jevbias) -> None:
    models = Models(say=lambda shown: ["right", "left"], prefer=lambda option: 0.5)
    with serving(models):
        report = jevbias(*TASK, *CHAT, "--arms", "llm_plus_jev", **models.settings).json
    told = [json.loads(chat["messages"][1]["content"]) for chat in models.chats]
    doubts = [entry for entry in told if "you_are_asked_again_because" in entry]
    assert doubts
    assert "0.50 sure, and 0.60 is needed" in doubts[0]["you_are_asked_again_because"]
    for row in rows(report, "arms", arm="llm_plus_jev"):
        assert (row["stopped"], row["successes"]) == (2, 0)


def test_nothing_is_read_from_prose(jevbias: Jevbias) -> None:
    contents = cycle(["I would go right.", '{"action": 7}', '{"action": ""}', "[]", ""])

    def prose(asked: Asked) -> Said | None:
        if not asked.path.endswith("/chat/completions"):
            return None
        choice = {"finish_reason": "stop", "message": {"content": next(contents)}}
        return Said(body=json.dumps({"model": "m", "choices": [choice]}).encode())

    with serving(Models(fault=prose)) as models:
        report = jevbias(*TASK, *CHAT, "--arms", "llm_autonomous", **models.settings).json
    [row] = rows(report, "arms", arm="llm_autonomous", level="short")
    assert (row["successes"], row["unreadable"], row["illegal"], row["named"]) == (0, 10, 10, 10)
    said = jevbias("collab", "report", COLUMNS="300").out
    assert (
        "short: llm_autonomous says nothing of the LLM's choices: 10 answers, none of them readable" in said
    )


def test_a_refused_key_stops_the_bench_in_one_line_and_resuming_asks_only_what_is_missing(
    jevbias: Jevbias,
) -> None:
    counted = {"chats": 0}

    def refused(asked: Asked) -> Said | None:
        if not asked.path.endswith("/chat/completions"):
            return None
        counted["chats"] += 1
        return Said(401, b'{"error": {"message": "bad key"}}') if counted["chats"] > 5 else None

    models = Models(fault=refused)
    name = ("--name", "stopped", "--workers", 1)
    with serving(models):
        result = jevbias(*TASK, *CHAT, *name, "--arms", "llm_autonomous", **models.settings)
        assert result.code == 1
        assert "401 Unauthorized: bad key" in result.err
        assert "`jevbias collab run --resume stopped` goes on" in result.err
        assert "Traceback" not in result.err
        models.fault = lambda asked: None
        before = len(models.chats)
        resumed = jevbias("collab", "run", "--resume", "stopped", "--json", **models.settings)
    assert resumed.code == 0
    assert resumed.json["run"]["played"] == 8
    # 2 episodes of 2 steps and 2 of 4.
    assert before == 5
    assert len(models.chats) == 12


def test_what_can_pass_is_sent_again(jevbias: Jevbias) -> None:
    seen: dict[bytes, int] = {}

    def busy(asked: Asked) -> Said | None:
        seen[asked.body] = seen.get(asked.body, 0) + 1
        return Said(503, b"{}", {"retry-after": "0"}) if seen[asked.body] == 1 and asked.body else None

    with serving(Models(fault=busy)) as models:
        result = jevbias(*TASK, *CHAT, "--arms", "scripted_plus_jev", **models.settings)
    assert result.code == 0
    [row] = rows(result.json, "arms", arm="scripted_plus_jev", level="short")
    assert row["successes"] == 2
    # Of the two steps of each of two episodes one has a choice, and its request is sent twice.
    [use] = rows(result.json, "use", level="short")
    assert (use["model"], use["calls"], use["sent"]) == ("jev-9", 2, 4)


def test_an_episode_whose_call_is_refused_for_good_has_no_outcome(jevbias: Jevbias) -> None:
    def too_long(asked: Asked) -> Said | None:
        wrong = b'"at":3' in asked.body.replace(b'\\"', b'"')
        return Said(400, b'{"error": "too long"}') if wrong else None

    with serving(Models(fault=too_long)) as models:
        report = jevbias(*TASK, *CHAT, "--arms", "llm_autonomous", **models.settings).json
    [short] = rows(report, "arms", arm="llm_autonomous", level="short")
    [long] = rows(report, "arms", arm="llm_autonomous", level="long")
    assert (short["broken"], short["successes"]) == (0, 2)
    assert (long["broken"], long["episodes"], long["rate"]) == (2, 0, None)
    [pair] = rows(report, "comparisons", level="long")
    assert (pair["episodes"], pair["p"], pair["significant"]) == (0, None, False)
    assert any("2 episodes broke off" in note for note in report["notes"])


def test_episode_after_episode_that_breaks_stops_the_bench(jevbias: Jevbias) -> None:
    models = Models(fault=lambda asked: Said(422, b'{"detail": "no"}') if asked.body else None)
    with serving(models):
        result = jevbias(*TASK, *CHAT, "--episodes", 10, "--workers", 1, **models.settings)
    assert result.code == 1
    assert "5 episodes in a row broke off" in result.err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--driver", "openai", "--model", "m"), "a chat model is no decision model"),
        (("--llm", "openai"), "--llm openai needs --llm-model NAME"),
        (("--llm", "robot"), "--llm: 'robot' is not one of mock, openrouter, openai, nor module:Class"),
        (("--llm-price", "1"), "is not IN,OUT in US dollars"),
        (("--threshold", "0"), "--threshold: 0 is not allowed"),
        (("--arms", "magic"), "--arms: 'magic' is not one of"),
        (("--task", "nowhere:Task"), "--task: there is no module 'nowhere'"),
        (("--task", "tests.collab.tasks:Cube"), "module 'tests.collab.tasks' has no 'Cube'"),
        (("--task", "tests.collab.tasks"), "is neither 'grid' nor of the form module:Class"),
        (
            ("--task", "a/my_task.py:Mine"),
            "names a file, not a module; in the folder of my_task.py give my_task:",
        ),
        (("--task", "my_task.py:Mine"), "in the folder of my_task.py give my_task:Mine"),
        (("--arms", "all", "--escalations", "0"), "--escalations 0: llm_plus_reflex could not"),
        (("--task", "tests.collab.tasks:broken"), "task function: has no method initial_state()"),
        (("--name", "a/b"), "is not allowed: letters, digits"),
    ],
)
def test_bad_usage_is_one_line_and_stores_nothing(
    jevbias: Jevbias, tmp_path: Any, flags: tuple[str, ...], said: str
) -> None:
    result = jevbias(*TASK, *flags)
    assert result.code == 2
    assert said in result.err
    assert len(result.err.strip().splitlines()) == 1
    assert not (tmp_path / "jevbias.db").exists()


def test_a_bench_with_a_stand_in_says_on_every_line_that_it_is_about_no_real_model(jevbias: Jevbias) -> None:
    with serving(Models()) as models:
        report = jevbias(*TASK, "--arms", "all", "--driver", "jev", **models.settings).json
    for part in ("arms", "use", "comparisons"):
        for row in report[part]:
            text = json.dumps(row)
            has_llm = "llm_" in text
            assert (row["about"] == "mock LLM: about no real model") == has_llm, row
    lines = jevbias("collab", "report", COLUMNS="600").out.splitlines()
    about = [
        line
        for line in lines
        if any(word in line for word in ("llm_", "LLM", "reflex", "arm with a model", "arms with a model"))
    ]
    # The level's flag, the reflex's note and the note about the stand-in are among them.
    assert any("reflex vetoed each of" in line for line in about)
    assert any("Every arm with a model" in line for line in about)
    assert [line for line in about if "about no real model" not in line] == []


def test_money_is_not_spent_without_consent(jevbias: Jevbias) -> None:
    result = jevbias(
        *TASK, "--llm", "openai", "--llm-model", "m", "--driver", "local", OPENAI_API_KEY="k-secret"
    )
    assert result.code == 2
    assert "add --yes" in result.err
    assert "k-secret" not in result.err + result.out


def test_a_limit_on_cost_is_kept_and_what_was_paid_for_is_not_asked_again(
    jevbias: Jevbias,
) -> None:
    priced = ("--llm-price", "2,10", "--arms", "llm_autonomous,llm_plus_jev", "--name", "b")
    with serving(Models()) as models:
        # A call costs $0.003; room is kept for the longest answer that is allowed, which costs $0.04.
        stopped = jevbias(*TASK, *CHAT, *priced, "--max-cost", "0.06", **models.settings)
        assert stopped.code == 1
        assert "--max-cost $0.060: $0.02" in stopped.err
        spent = len(models.chats)
        assert 0 < spent * 0.003 <= 0.06
        go_on = ("collab", "run", "--resume", "b", "--json")
        assert jevbias(*go_on, "--max-cost", "0.03", **models.settings).code == 1
        assert len(models.chats) == spent
        finished = jevbias(*go_on, "--max-cost", "9", **models.settings)
    assert finished.code == 0
    total = sum(row["cost"] for row in finished.json["use"] if row["role"] == "llm")
    assert total == pytest.approx(0.003 * len(models.chats))


@pytest.mark.parametrize(("driver", "effort"), [("openrouter", "low"), ("openai", "low"), ("openai", None)])
def test_a_request_is_in_the_form_of_its_server(driver: str, effort: str | None) -> None:
    transport = HttpTransport("http://127.0.0.1:1", key=None, timeout=1, connections=1)
    chat = ChatMessages(driver, "m", transport, None, effort)
    llm = ChatLlm(chat, cast("Asking", None), effort)
    body = json.loads(llm.render("rules", "state", answer_schema(3)))
    assert body["max_tokens"] > 1000
    assert ("provider" in body) == (driver == "openrouter")
    assert body.get("reasoning_effort") == (effort if driver == "openai" else None)
    assert body.get("reasoning") == ({"effort": effort} if driver == "openrouter" else None)
    asyncio.run(chat.aclose())


def test_a_judgment_that_is_none_is_counted_and_never_guessed_at(jevbias: Jevbias) -> None:
    none: list[Any] = [{"probabilities": {"right": 0.9}}, {"probabilities": {"right": 2, "left": -1}}, {}]
    answers = cycle(none)

    def unusable(asked: Asked) -> Said | None:
        if not asked.path.endswith("/systemone"):
            return None
        return Said(body=json.dumps({"model": "m", "answers": {"action": next(answers)}}).encode())

    models = Models(say=lambda shown: ["right", "left"], fault=unusable)
    with serving(models):
        report = jevbias(*TASK, *CHAT, **models.settings).json
    for arm in ("scripted_plus_jev", "llm_plus_jev"):
        [row] = rows(report, "arms", arm=arm, level="long")
        assert (row["stopped"], row["stopped_for"], row["successes"]) == (2, {"unusable": 2}, 0)
        assert row["unusable"] > 0
    said = jevbias("collab", "report", COLUMNS="300").out
    assert (
        "long: scripted_plus_jev says nothing of the decision model: 2 judgments, none of them usable" in said
    )
