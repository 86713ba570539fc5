"""Money before it is spent: what it will be, in words, and whether the user agrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jevbias.drivers.pricing import TokenPrice
    from jevbias.drivers.select import DriverChoice
    from jevbias.drivers.spending import SpendingEstimate
    from jevbias.store.tables import Run


@dataclass(frozen=True)
class Pace:
    """What limits the speed: requests a minute and input tokens a second; None where nothing is known to."""

    rate: float | None = None
    tokens_per_second: float | None = None


def may_cost(choice: DriverChoice) -> bool:
    """Whether asking costs money: the embedded model and servers on this machine are free."""
    from jevbias.drivers.address import is_loopback

    return choice.provider.address is not None and not is_loopback(choice.base_url)


def need_consent(choice: DriverChoice, *, yes: bool) -> None:
    """To be called before anything is stored or sent. Raises UsageError (exit 2), naming `--yes`, where money
    would be spent and there is nobody to ask.
    """
    from jevbias.cli.console import can_ask
    from jevbias.errors import UsageError

    if may_cost(choice) and not yes and not can_ask():
        raise UsageError(
            f"asking {choice.model} at {choice.base_url} costs money and there is no terminal to agree on: "
            "add --yes (and --max-cost USD to limit what it may cost)"
        )


def confirm_spending(
    choice: DriverChoice,
    spending: SpendingEstimate,
    *,
    yes: bool,
    go_on: str,
    max_cost: float | None = None,
    how: str = "",
) -> None:
    """Ask on the terminal whether so much may be spent; to be called right before the first send.

    Returns at once where `yes` was given or asking costs nothing (the embedded model, a server on loopback).
    Otherwise the question goes to stderr and anything but a yes ends the command with exit code 1, after a
    line that says that nothing was sent and that the command `go_on` (in back-quotes) goes on. `max_cost` is
    the limit in US dollars that was set besides, `how` what comes after the number of calls, such as
    ` in 3 batches`. Raises UsageError as `need_consent` does.
    """
    from jevbias.cli.console import agreed, say
    from jevbias.drain.money import money

    need_consent(choice, yes=yes)
    if yes or not may_cost(choice):
        return
    calls = f"{_counted(spending.calls, 'call')}{how} to {choice.model} at {choice.base_url}"
    limit = "" if max_cost is None else f", at most {money(max_cost)} in all"
    if spending.cost is None:
        question = f"The price of {choice.model} is not known. Make {calls} all the same{limit}?"
    else:
        question = f"Spend about {_dollars(spending)} on {calls}{limit}?"
    if not agreed(question):
        say(f"nothing was sent; {go_on} goes on")
        raise typer.Exit(1)


def spending_left(
    engine: Engine, run: Run, choice: DriverChoice, price: TokenPrice | None, *, share: float = 1.0
) -> SpendingEstimate:
    """What it will take to send what is left of a stored run; what batches hold is left out.

    Where no price is known, the cost is told from the replies that the run already has. `share` is the part
    of the price that is charged, such as 0.5 in batches.
    """
    from dataclasses import replace

    from jevbias.drivers.spending import CostRange, estimate_spending
    from jevbias.plan.estimate import TOKEN_MARGIN
    from jevbias.store.connections import reading
    from jevbias.store.progress import run_progress
    from jevbias.store.unsent import unsent_asks

    with reading(engine) as connection:
        asks = unsent_asks(connection, run.id or 0)
    spending = estimate_spending(asks, choice, price, share=share)
    progress = run_progress(engine, run.id or 0)
    if spending.cost is None and progress.cost_per_call is not None:
        so_far = progress.cost_per_call * spending.calls
        cost = CostRange(share * so_far * (1 - TOKEN_MARGIN), so_far * (1 + TOKEN_MARGIN))
        return replace(spending, cost=cost)
    return spending


def described_spending(
    choice: DriverChoice, spending: SpendingEstimate, price: TokenPrice | None, pace: Pace
) -> list[str]:
    """What calls will take, and what the figures rest on, for the user to read before the question."""
    tokens = f"about {_between(spending.input_tokens.low, spending.input_tokens.high)} tokens in"
    if choice.provider.writes_numbers:
        tokens += f" and {_between(spending.output_tokens.low, spending.output_tokens.high)} out"
    if not may_cost(choice):
        return [tokens]
    cost = f"the price of {choice.model} is not known{_remedy(choice)}"
    if spending.cost is not None:
        cost = f"about {_dollars(spending)}"
    took = _shortest(spending, pace)
    return [
        "; ".join([f"{tokens}, {cost}", *([took] if took else [])]),
        f"({'; '.join(_grounds(choice, spending, price))})",
    ]


def _grounds(choice: DriverChoice, spending: SpendingEstimate, price: TokenPrice | None) -> list[str]:
    """What the figures rest on."""
    from jevbias.drivers.spending import marks_cache
    from jevbias.plan.estimate import BYTES_PER_TOKEN, TOKEN_MARGIN

    grounds = [f"tokens at {BYTES_PER_TOKEN:g} bytes each, {TOKEN_MARGIN:.0%} either way"]
    if price is not None:
        grounds.append(f"price: {price.source}")
    elif spending.cost is not None:
        grounds.append("cost as this run's replies so far, as far either way")
    if marks_cache(choice):
        grounds.append("what the provider's cache serves costs less")
    if choice.provider.writes_numbers and choice.reasoning_effort is None:
        grounds.append("a model that thinks before it answers writes more")
    grounds.append("retries come on top")
    return grounds


def _remedy(choice: DriverChoice) -> str:
    if choice.provider.reports_cost:
        return " beforehand; each reply names its cost"
    return "; add it to profiles/prices/prices.yaml of a catalogue of yours (--catalogue)"


def _shortest(spending: SpendingEstimate, pace: Pace) -> str | None:
    """How long it takes at least, at the limits that are known."""
    from jevbias.drain.progress import duration

    waits = []
    if pace.rate is not None:
        waits.append((60 * spending.calls / pace.rate, f"{pace.rate:,.6g} calls a minute"))
    if pace.tokens_per_second is not None:
        tokens = spending.input_tokens.middle
        waits.append((tokens / pace.tokens_per_second, f"{pace.tokens_per_second:,.6g} tokens a second"))
    if not waits:
        return None
    seconds, limit = max(waits)
    return f"{duration(seconds)} or more at {limit}"


def _dollars(spending: SpendingEstimate) -> str:
    from jevbias.drain.money import money

    if spending.cost is None:
        return "an unknown amount"
    low, high = money(spending.cost.low), money(spending.cost.high)
    return low if low == high else f"{low} to {high}"


def _between(low: int, high: int) -> str:
    """A range of tokens, rounded to three digits."""
    shown = [f"{float(f'{number:.3g}'):,.0f}" for number in (low, high)]
    return shown[0] if low == high else " to ".join(shown)


def _counted(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"
