"""What each arm does with what its models say."""

from __future__ import annotations

import asyncio
import json

import pytest

from jevbias.collab.arms.arm import Choice, Notes, Tools
from jevbias.collab.arms.choose import ARMS, choose_arms
from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.situation import Situation
from jevbias.errors import UsageError
from tests.collab.scripted import SaidDecision, SaidLlm, situation, tools
from tests.collab.tasks import Line

TASK = CheckedTask(Line())
IN_THE_MIDDLE = json.dumps({"at": 1, "end": 4, "seed": 0}).encode()


def middle() -> Situation:
    """Where left and right are both legal."""
    return situation(TASK, state=IN_THE_MIDDLE)


def chosen(name: str, at: Situation, using: Tools) -> tuple[Choice, Notes]:
    notes = Notes()
    return asyncio.run(ARMS[name].choose(at, using, notes, "key")), notes


def test_an_illegal_action_of_the_llm_alone_is_counted_and_not_prevented() -> None:
    choice, notes = chosen("llm_autonomous", middle(), tools(SaidLlm(lambda *_: ["fly"])))
    assert choice.action == "fly"
    assert notes.illegal == ["fly"]


def test_an_answer_without_an_action_is_an_illegal_one_of_no_name() -> None:
    choice, notes = chosen("llm_autonomous", middle(), tools(SaidLlm(lambda *_: None)))
    assert choice.action not in middle().legal
    assert notes.illegal == [""]


def test_code_and_the_decision_model_take_the_likeliest_legal_action_however_unlikely() -> None:
    decision = SaidDecision(lambda _, option: {"left": 0.52, "right": 0.48}[option])
    choice, notes = chosen("scripted_plus_jev", middle(), tools(None, decision))
    assert choice.action == "left"
    assert notes.confidences == [0.52]


def test_nobody_is_asked_where_one_action_is_legal() -> None:
    decision = SaidDecision(lambda *_: 1.0)
    choice, _ = chosen("scripted_plus_jev", situation(TASK), tools(None, decision))
    assert (choice.action, decision.asked) == ("right", [])


def test_the_decision_model_arbitrates_among_the_legal_proposals_alone() -> None:
    decision = SaidDecision(lambda _, option: {"left": 0.1, "right": 0.9}[option])
    llm = SaidLlm(lambda *_: ["fly", "left", "right"])
    choice, notes = chosen("llm_plus_jev", middle(), tools(llm, decision))
    assert choice.action == "right"
    assert notes.illegal == ["fly"]
    [(_, _, questions)] = decision.asked
    assert set(questions["action"].criteria) == {"left", "right"}
    assert "because" in questions["action"].criteria["left"]


def test_a_single_legal_proposal_is_accepted_or_not_and_never_waved_through() -> None:
    llm = SaidLlm(lambda *_: ["right"])
    accepted, _ = chosen("llm_plus_jev", middle(), tools(llm, SaidDecision(lambda *_: 0.7)))
    refused, notes = chosen("llm_plus_jev", middle(), tools(llm, SaidDecision(lambda *_: 0.3)))
    assert accepted.action == "right"
    assert refused.action is None
    assert notes.escalations == 1


def test_below_the_threshold_the_llm_is_told_why_it_is_asked_again() -> None:
    sure = iter([0.55, 0.95])
    level = next(sure)

    def say(_: str, option: str) -> float:
        return level if option == "left" else 1 - level

    decision = SaidDecision(say)

    def propose(_: Situation, time: int) -> list[str]:
        nonlocal level
        level = 0.55 if time == 1 else 0.95
        return ["left", "right"]

    llm = SaidLlm(propose)
    choice, notes = chosen("llm_plus_jev", middle(), tools(llm, decision))
    assert (choice.action, notes.escalations) == ("left", 1)
    first, second = llm.doubts
    assert first is None
    assert second is not None
    assert "only 0.55 sure, and 0.60 is needed" in second.why
    assert second.judged == pytest.approx({"left": 0.55, "right": 0.45})


def test_it_stops_rather_than_guesses_when_asking_again_fails() -> None:
    llm = SaidLlm(lambda *_: ["left", "right"])
    choice, notes = chosen("llm_plus_jev", middle(), tools(llm, SaidDecision(lambda *_: 0.5), escalations=2))
    assert choice.action is None
    assert choice.stopped is not None
    assert "only 0.50 sure" in choice.stopped
    assert notes.escalations == 2
    assert len(llm.doubts) == 3


def test_proposals_of_which_none_is_legal_are_sent_back_without_asking_the_decision_model() -> None:
    decision = SaidDecision(lambda *_: 1.0)
    llm = SaidLlm(lambda _, time: ["fly"] if time == 1 else ["right"])
    choice, notes = chosen("llm_plus_jev", middle(), tools(llm, decision))
    assert choice.action == "right"
    assert len(decision.asked) == 1
    assert notes.illegal == ["fly"]
    assert llm.doubts[1] is not None
    assert "None of the actions that you proposed is legal" in llm.doubts[1].why


@pytest.mark.parametrize(("question", "counted"), [("mistake", "vetoes"), ("loop", "loops")])
def test_a_reflex_vetoes_an_action_or_calls_a_loop_and_the_llm_acts_again(
    question: str, counted: str
) -> None:
    decision = SaidDecision(lambda name, _: 0.9 if name == question else 0.1)
    llm = SaidLlm(lambda _, time: ["left"] if time == 1 else ["right"])
    choice, notes = chosen("llm_plus_reflex", middle(), tools(llm, decision))
    assert choice.action == "right"
    assert getattr(notes, counted) == 1
    assert llm.doubts[1] is not None
    assert llm.doubts[1].actions == ("left",)


def test_a_reflex_delays_and_does_not_decide() -> None:
    decision = SaidDecision(lambda *_: 1.0)
    choice, notes = chosen("llm_plus_reflex", middle(), tools(SaidLlm(lambda *_: ["left"]), decision))
    assert choice.action == "left"
    assert notes.vetoes == 1


def test_a_reflex_is_told_whether_the_state_was_met_before() -> None:
    decision = SaidDecision(lambda *_: 0.0)
    at = situation(TASK, state=IN_THE_MIDDLE, seen_before=3)
    chosen("llm_plus_reflex", at, tools(SaidLlm(lambda *_: ["left"]), decision))
    [(_, shown, _)] = decision.asked
    assert shown["times_this_state_was_met_before"] == 3


def test_a_review_asks_stage_by_stage_and_stops_at_the_first_objection() -> None:
    decision = SaidDecision(lambda name, option: 0.2 if name == "forward" else 0.9)
    choice, notes = chosen("llm_plus_review", middle(), tools(SaidLlm(lambda *_: ["left"]), decision))
    assert choice.action is None
    assert notes.rejections == 2
    assert [key for key, *_ in decision.asked] == [
        f"key/review-{attempt}-{stage}" for attempt in (1, 2) for stage in ("sound", "forward")
    ]


def test_a_review_lets_through_what_passes_every_stage() -> None:
    decision = SaidDecision(lambda *_: 0.9)
    choice, notes = chosen("llm_plus_review", middle(), tools(SaidLlm(lambda *_: ["left"]), decision))
    assert (choice.action, notes.rejections, len(decision.asked)) == ("left", 0, 3)


def test_a_review_sends_an_illegal_action_back_without_a_call() -> None:
    decision = SaidDecision(lambda *_: 0.9)
    llm = SaidLlm(lambda _, time: ["fly"] if time == 1 else ["right"])
    choice, notes = chosen("llm_plus_review", middle(), tools(llm, decision))
    assert (choice.action, notes.illegal, len(decision.asked)) == ("right", ["fly"], 3)


def test_a_place_in_the_list_favours_no_action() -> None:
    first = set()
    for number in range(12):
        at = middle()
        moved = Situation(**{**at.__dict__, "number": number})
        decision = SaidDecision(lambda *_: 0.5)
        chosen("scripted_plus_jev", moved, tools(None, decision))
        first.add(next(iter(decision.asked[0][2]["action"].criteria)))
    assert first == {"left", "right"}


def test_the_random_policy_always_takes_part_and_unknown_arms_are_refused() -> None:
    assert [arm.name for arm in choose_arms(["llm_autonomous"], 1)] == ["random_policy", "llm_autonomous"]
    assert [arm.name for arm in choose_arms(["all"], 1)] == list(ARMS)
    with pytest.raises(UsageError, match="'magic' is not one of random_policy"):
        choose_arms(["magic"], 1)
    with pytest.raises(UsageError, match="name at least one besides random_policy"):
        choose_arms(["random_policy"], 1)


@pytest.mark.parametrize("names", [["llm_plus_reflex"], ["all"]])
def test_a_reflex_that_could_never_be_asked_is_refused(names: list[str]) -> None:
    with pytest.raises(UsageError, match="--escalations 0: llm_plus_reflex"):
        choose_arms(names, 0)


@pytest.mark.parametrize("name", [name for name, arm in ARMS.items() if arm.uses_decision])
def test_every_arm_that_has_a_decision_model_asks_it_with_the_fewest_escalations(name: str) -> None:
    decision = SaidDecision(lambda *_: 0.9)
    fewest = 1 if name == "llm_plus_reflex" else 0
    chosen(name, middle(), tools(SaidLlm(lambda *_: ["right"]), decision, escalations=fewest))
    assert decision.asked


@pytest.mark.parametrize(
    ("arm", "named", "sure", "kind"),
    [
        ("llm_plus_jev", ["left", "right"], 0.5, "unsure"),
        ("llm_plus_jev", ["left", "right"], None, "unusable"),
        ("llm_plus_jev", ["fly"], 0.9, "nothing_legal"),
        ("llm_plus_jev", None, 0.9, "nothing_legal"),
        ("llm_plus_review", ["left"], 0.5, "unsure"),
        ("llm_plus_review", ["left"], None, "unusable"),
        ("llm_plus_review", ["fly"], 0.9, "nothing_legal"),
        ("llm_plus_review", None, 0.9, "nothing_legal"),
        ("scripted_plus_jev", None, None, "unusable"),
    ],
)
def test_an_arm_that_stops_says_for_what(
    arm: str, named: list[str] | None, sure: float | None, kind: str
) -> None:
    decision = SaidDecision(lambda *_: 0.0 if sure is None else sure, usable=sure is not None)
    choice, notes = chosen(arm, middle(), tools(SaidLlm(lambda *_: named), decision))
    assert (choice.action, choice.stopped_for) == (None, kind)
    assert notes.named == (0 if arm == "scripted_plus_jev" else 2 * max(1, len(named or [])))


@pytest.mark.parametrize("arm", ["llm_plus_reflex", "llm_plus_review"])
def test_an_answer_that_cannot_be_read_is_told_why_and_no_figure_is_made_up(arm: str) -> None:
    llm = SaidLlm(lambda situation, attempt: None if attempt == 1 else ["right"])
    decision = SaidDecision(lambda *_: 0.9)
    chosen(arm, middle(), tools(llm, decision))
    assert llm.doubts[1] is not None
    assert llm.doubts[1].why == "Your last answer could not be read: nothing was said."
    assert llm.doubts[1].judged == {}
