"""What calls will take, before one is made: tokens and money, each with a range."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import Question
from jevbias.drivers.chat_prompt import answer_schema, most_tokens, system_text, user_text
from jevbias.drivers.pricing import TokenPrice
from jevbias.drivers.select import DriverChoice, render_body
from jevbias.plan.estimate import TokenRange, tokens_of
from jevbias.plan.model import Ask

CACHE_WRITES = 1.25
"""What the dearest provider charges for tokens that it puts into its cache, as a multiple of the price."""
_ANSWER_BYTES_PER_TOKEN = (1.6, 2.6)
"""Numbers and punctuation: as measured on answers to every shipped scenario with four public tokenisers."""


@dataclass(frozen=True)
class CostRange:
    """US dollars that lie between `low` and `high`."""

    low: float
    high: float


@dataclass(frozen=True)
class SpendingEstimate:
    """What `calls` will take.

    Input tokens are told from the length of what is sent, output tokens from the shape of an answer, without
    thinking unless the model is asked to think: then `output_tokens.high` is all that it may. `cost` (US
    dollars) and `dearest_call`, what one call may cost at most, are None where no price is known.
    """

    calls: int
    input_tokens: TokenRange
    output_tokens: TokenRange
    cost: CostRange | None = None
    dearest_call: float | None = None


def estimate_spending(
    asks: Iterable[tuple[Ask, int]], choice: DriverChoice, price: TokenPrice | None, *, share: float = 1.0
) -> SpendingEstimate:
    """What it will take to put asks, each so often, to a model. `share` is the part of the price that is
    charged, such as 0.5 in batches.
    """
    frames: dict[str, _FrameSize] = {}
    calls = input_low = input_high = output_low = output_high = 0
    dearest = 0.0
    for ask, times in asks:
        key = ask.frame.hash
        person = len(canonical_json(dict(ask.person)))
        if key not in frames:
            frames[key] = _frame_size(ask, person, choice)
        size = frames[key]
        low, high = tokens_of(size.shortest + person).low, tokens_of(size.longest + person).high
        calls += times
        input_low += times * low
        input_high += times * high
        output_low += times * size.output.low
        output_high += times * size.output.high
        if price is not None:
            dearest = max(dearest, _highest(price, choice, high, size.output.high))
    tokens_in, tokens_out = TokenRange(input_low, input_high), TokenRange(output_low, output_high)
    if price is None:
        return SpendingEstimate(calls, tokens_in, tokens_out)
    cost = CostRange(
        share * price.cost(tokens_in.low, tokens_out.low),
        share * _highest(price, choice, tokens_in.high, tokens_out.high),
    )
    return SpendingEstimate(calls, tokens_in, tokens_out, cost, share * dearest)


@dataclass(frozen=True)
class _FrameSize:
    """Bytes that a model reads of a request besides the person, and the tokens of an answer."""

    shortest: int
    longest: int
    output: TokenRange


def _frame_size(ask: Ask, person: int, choice: DriverChoice) -> _FrameSize:
    output = _answer_tokens(ask.frame.questions)
    if not choice.provider.writes_numbers:
        size = len(render_body(choice.name, choice.model, ask)) - person
        return _FrameSize(size, size, output)
    text = len(system_text(ask.frame).encode()) + len(user_text(ask).encode()) - person
    # Whether a provider shows the schema to the model, and charges for it, is its own affair.
    schema = len(canonical_json(answer_schema(ask.frame.questions)))
    if choice.reasoning_effort not in (None, "none"):
        output = TokenRange(output.low, most_tokens(choice.reasoning_effort))
    return _FrameSize(text, text + schema, output)


def _answer_tokens(questions: Mapping[str, Question]) -> TokenRange:
    """Between an answer of one decimal without spaces, and one of three decimals on lines of their own."""

    def answer(number: float) -> dict[str, object]:
        return {
            key: dict.fromkeys(question.criteria, number) if question.kind == "choice" else number
            for key, question in questions.items()
        }

    fewest, most = _ANSWER_BYTES_PER_TOKEN
    return TokenRange(
        math.floor(len(canonical_json(answer(0.5))) / most),
        math.ceil(len(json.dumps(answer(0.125), indent=2).encode()) / fewest),
    )


def _highest(price: TokenPrice, choice: DriverChoice, input_tokens: int, output_tokens: int) -> float:
    return price.cost(input_tokens * (CACHE_WRITES if marks_cache(choice) else 1.0), output_tokens)


def marks_cache(choice: DriverChoice) -> bool:
    """Whether requests ask the provider to keep what they share in its cache."""
    return choice.name == "openrouter"
