"""The LLM proposes, and the decision model arbitrates among what is legal of it."""

from __future__ import annotations

from collections.abc import Mapping

from jevbias.collab.arms.arm import Choice, Notes, Tools, stop
from jevbias.collab.decision_model import choice, yes_or_no
from jevbias.collab.situation import Doubt, Proposal, Proposed, Situation
from jevbias.people.keyed import keyed_shuffle

ARBITRATE = "arbitrate"


class LlmPlusJev:
    """Below the threshold it escalates: the LLM is told what was doubtful and proposes again. Where that does
    not help either, the arm stops rather than guess.

    Among several legal proposals the decision model chooses; a single one it is asked to accept or not, and
    the probability of yes is its confidence. It sees each option with what the task says that it does and the
    LLM's reason.
    """

    name = "llm_plus_jev"
    uses_llm = True
    uses_decision = True

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """A proposal that the decision model is sure of."""
        doubt: Doubt | None = None
        for attempt in range(1, tools.escalations + 2):
            notes.escalations += attempt > 1
            proposed = await tools.an_llm.propose(situation, tools.proposals, doubt, f"{key}/llm-{attempt}")
            notes.calls.append(proposed.call)
            notes.named += max(1, len(proposed.proposals))
            legal = [proposal for proposal in proposed.proposals if proposal.action in situation.legal]
            illegal = [
                proposal.action for proposal in proposed.proposals if proposal.action not in situation.legal
            ]
            notes.illegal += illegal if proposed.proposals else [""]
            if not legal:
                doubt = _nothing_legal(proposed, illegal)
                continue
            probabilities = await _judged(situation, legal, tools, notes, f"{key}/decide-{attempt}")
            if not probabilities:
                notes.unusable += 1
                why = "The decision model gave no usable answer about your proposals."
                doubt = Doubt(why, _names(legal), kind="unusable")
                continue
            action = max(probabilities, key=lambda option: probabilities[option])
            notes.confidences.append(probabilities[action])
            if probabilities[action] >= tools.threshold:
                return Choice(action)
            doubt = _unsure(probabilities, action, tools.threshold, illegal)
        return stop(doubt or Doubt("nothing was proposed", kind="nothing_legal"))


async def _judged(
    situation: Situation, legal: list[Proposal], tools: Tools, notes: Notes, key: str
) -> Mapping[str, float]:
    """The probability of each proposal; empty where no usable answer came back."""
    options = {proposal.action: _option(proposal, situation) for proposal in legal}
    if len(legal) == 1:
        [action] = options
        question = yes_or_no(
            f"{situation.question} Proposed: {action}. Is that a good action now?",
            f"yes, {options[action]} is a good action now",
            "no, another action is better",
        )
    else:
        order = keyed_shuffle(list(options), tools.seed, "order", situation.place, "proposals")
        question = choice(situation.question, {action: options[action] for action in order})
    judgment = await tools.a_decision_model.judge(key, ARBITRATE, situation.shown, {"action": question})
    notes.calls.append(judgment.call)
    if len(legal) == 1 and "action" in judgment.values:
        return {legal[0].action: judgment.values["action"]}
    return judgment.choices.get("action", {})


def _option(proposal: Proposal, situation: Situation) -> str:
    meaning = situation.legal[proposal.action]
    return f"{meaning} ({proposal.rationale})" if proposal.rationale else meaning


def _names(proposals: list[Proposal]) -> tuple[str, ...]:
    return tuple(proposal.action for proposal in proposals)


def _nothing_legal(proposed: Proposed, illegal: list[str]) -> Doubt:
    if not proposed.proposals:
        return Doubt(f"Your last answer could not be read: {proposed.fault}.", kind="nothing_legal")
    why = "None of the actions that you proposed is legal here."
    return Doubt(why, tuple(illegal), kind="nothing_legal")


def _unsure(probabilities: Mapping[str, float], action: str, threshold: float, illegal: list[str]) -> Doubt:
    others = f" {', '.join(illegal)}: not legal here." if illegal else ""
    why = (
        f"The decision model preferred {action}, but was only {probabilities[action]:.2f} sure, and "
        f"{threshold:.2f} is needed.{others} Think about the state again and propose anew."
    )
    return Doubt(why, tuple(probabilities), dict(probabilities))
