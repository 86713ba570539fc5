"""The LLM acts, and the decision model reviews the action in stages, one call each; every stage must pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jevbias.catalogue.models import Question
from jevbias.collab.arms.arm import Choice, Notes, Tools, stop
from jevbias.collab.arms.llm_autonomous import noted, unreadable
from jevbias.collab.decision_model import Judgment, choice, rubric, yes_or_no
from jevbias.collab.situation import Doubt, Situation
from jevbias.people.keyed import keyed_shuffle

REVIEW = "review"


@dataclass(frozen=True)
class Stage:
    """One call of a review: what it asks, and how far the answer speaks for the action, from 0 to 1."""

    name: str
    question: Callable[[Situation, str, int], Question]
    speaks_for: Callable[[Judgment, str], float | None]
    objection: str


class LlmPlusReview:
    """Sound, then forward, then best: cheap objections come first, and a stage is only asked once those
    before it have passed, at the threshold or above. An illegal action fails before the first call. Whatever
    fails goes back to the LLM with the stage's objection; where that does not help, the arm stops.
    """

    name = "llm_plus_review"
    uses_llm = True
    uses_decision = True

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """An action of the LLM's that passes every stage."""
        doubt: Doubt | None = None
        for attempt in range(1, tools.escalations + 2):
            notes.escalations += attempt > 1
            named = await tools.an_llm.act(situation, doubt, f"{key}/llm-{attempt}")
            action = noted(named, situation, notes)
            if named.proposal is None:
                doubt = unreadable(named)
            else:
                doubt = await _objection(situation, action, tools, notes, f"{key}/review-{attempt}")
            if doubt is None:
                return Choice(action)
            notes.rejections += 1
        return stop(doubt or Doubt("nothing was named", kind="nothing_legal"))


async def _objection(situation: Situation, action: str, tools: Tools, notes: Notes, key: str) -> Doubt | None:
    """Why an action does not pass; None where it does."""
    if action not in situation.legal:
        return Doubt(f"{action} is not legal here.", (action,), kind="nothing_legal")
    for stage in STAGES:
        if stage.name == "best" and len(situation.legal) == 1:
            continue
        judgment = await tools.a_decision_model.judge(
            f"{key}-{stage.name}",
            f"{REVIEW}: {stage.name}",
            _shown(situation, action),
            {stage.name: stage.question(situation, action, tools.seed)},
        )
        notes.calls.append(judgment.call)
        share = stage.speaks_for(judgment, action)
        if share is None:
            notes.unusable += 1
            return Doubt(f"The review gave no usable answer about {action}.", (action,), kind="unusable")
        notes.confidences.append(share)
        if share < tools.threshold:
            why = f"{action} {stage.objection} ({share:.2f}, and {tools.threshold:.2f} is needed). Act again."
            return Doubt(why, (action,), {action: share})
    return None


def _shown(situation: Situation, action: str) -> dict[str, Any]:
    return {"proposed": f"{action}: {situation.legal[action]}", "state": situation.shown}


def _sound(_situation: Situation, action: str, _seed: int) -> Question:
    return yes_or_no(f"Is {action} a sound action here?", "yes, it is sound", "no, it is a mistake")


def _forward(_situation: Situation, action: str, _seed: int) -> Question:
    return rubric(
        f"How far does {action} bring the aim nearer?",
        ["it leads away from the aim", "it changes nothing", "it brings the aim nearer"],
    )


def _best(situation: Situation, _action: str, seed: int) -> Question:
    order = keyed_shuffle(list(situation.legal), seed, "order", situation.place, "review")
    return choice(situation.question, {option: situation.legal[option] for option in order})


STAGES = (
    Stage("sound", _sound, lambda said, _: said.values.get("sound"), "was not found sound"),
    Stage("forward", _forward, lambda said, _: said.values.get("forward"), "was not found to lead forward"),
    Stage(
        "best",
        _best,
        lambda said, action: said.choices.get("best", {}).get(action),
        "was not found to be the best of the legal actions",
    ),
)
