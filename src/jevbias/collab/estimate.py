"""What a bench will take, before a call is made: how often each model is asked, with how many tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jevbias.catalogue.canonical import canonical_json
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.collab.setting import BenchSetting
from jevbias.collab.situation import Role
from jevbias.drivers.chat_prompt import most_tokens
from jevbias.drivers.pricing import TokenPrice, find_price
from jevbias.drivers.select import DriverChoice
from jevbias.plan.estimate import TokenRange, tokens_of

_OVERHEAD = 900
"""Bytes of a request besides the state and what is legal: its questions, its schema, how to answer."""
_PAST = 12
"""Bytes of a step that was taken before, in what an LLM is shown."""
_SHORTEST_ANSWER = 15
_LONGEST_ANSWER = 250
"""Tokens of an answer that names an action, or three, each with its reason in a sentence."""


@dataclass(frozen=True)
class Range:
    """A number between two."""

    low: float
    high: float


@dataclass(frozen=True)
class RoleEstimate:
    """What one model will be asked. The cost is in US dollars, None where no price is known."""

    role: Role
    calls: Range
    input_tokens: TokenRange
    output_tokens: TokenRange
    cost: Range | None


def estimate_role(
    role: Role, setting: BenchSetting, task: CheckedTask, starts: Sequence[Start], price: TokenPrice | None
) -> RoleEstimate:
    """Between the shortest ways without any doubt, and every step with all the doubt there may be."""
    sizes = [len(start.state) + _shown_bytes(task, start) for start in starts]
    instructions = len(task.instructions.encode()) if role == "llm" else len(task.question.encode())
    low = high = 0.0
    bytes_low = bytes_high = 0.0
    for start, size in zip(starts, sizes, strict=True):
        for arm in setting.arms:
            fewest, most = calls_per_step(arm, role, setting.escalations)
            calls_low, calls_high = fewest * (start.optimal or 1), most * start.most
            low, high = low + calls_low, high + calls_high
            body = _OVERHEAD / 2 + instructions + size / 2
            bytes_low += calls_low * body
            bytes_high += calls_high * (2 * body + _PAST * start.most)
    effort = setting.llm.effort if setting.llm is not None else None
    longest = _LONGEST_ANSWER if effort in (None, "none") else most_tokens(effort)
    tokens_in = TokenRange(tokens_of(bytes_low).low, tokens_of(bytes_high).high)
    written = (_SHORTEST_ANSWER, longest) if role == "llm" else (0, 100)
    tokens_out = TokenRange(round(low * written[0]), round(high * written[1]))
    cost = None
    if price is not None:
        cost = Range(price.cost(tokens_in.low, tokens_out.low), price.cost(tokens_in.high, tokens_out.high))
    return RoleEstimate(role, Range(low, high), tokens_in, tokens_out, cost)


def cost_of_request(
    llm: DriverChoice | None, decision: DriverChoice | None, own: str | None = None
) -> Callable[[bytes], float | None]:
    """Tells what a request may cost at most, in US dollars, from its length and the price of whom it is for;
    None where no price is known. `own` is the model of an LLM that a user wrote, which has none.
    """
    # Both kinds of body begin with the model's name, and an LLM's goes on with its messages.
    chats = b"" if llm is None else canonical_json({"model": llm.model, "messages": []})[: -len("[]}")]

    owns = None if own is None else canonical_json({"model": own, "system": ""})[: -len('""}')]

    def expected(body: bytes) -> float | None:
        if owns is not None and body.startswith(owns):
            return None
        to_llm = llm is not None and body.startswith(chats)
        choice = llm if to_llm else decision
        price = None if choice is None else find_price(choice.prices, choice.name, choice.model)
        if price is None or choice is None:
            return None
        return price.cost(tokens_of(len(body)).high, most_tokens(choice.reasoning_effort) if to_llm else 100)

    return expected


def calls_per_step(arm: str, role: Role, escalations: int) -> tuple[int, int]:
    """The fewest and the most calls to a model in one step of an arm."""
    tries = escalations + 1
    llm = {
        "llm_autonomous": (1, 1),
        "llm_plus_jev": (1, tries),
        "llm_plus_reflex": (1, tries),
        "llm_plus_review": (1, tries),
    }
    decision = {
        "scripted_plus_jev": (0, 1),
        "llm_plus_jev": (0, tries),
        "llm_plus_reflex": (min(1, escalations), escalations),
        "llm_plus_review": (0, 3 * tries),
    }
    return (llm if role == "llm" else decision).get(arm, (0, 0))


def _shown_bytes(task: CheckedTask, start: Start) -> int:
    look = task.look(start.state, f"the start of {start.level} {start.number}")
    return len(canonical_json([look.shown, dict(look.actions)]))
