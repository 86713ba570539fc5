"""Money before a bench spends it: what each model will be asked, in words, and whether the user agrees."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from jevbias.cli.console import agreed, say
from jevbias.cli.draining import Sending
from jevbias.cli.spending import may_cost, need_consent
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.collab.estimate import RoleEstimate, estimate_role
from jevbias.collab.models import BenchModels
from jevbias.collab.setting import BenchSetting
from jevbias.collab.situation import Role
from jevbias.drain.money import money
from jevbias.drivers.pricing import find_price
from jevbias.drivers.select import DriverChoice


def agree(
    setting: BenchSetting,
    models: BenchModels,
    task: CheckedTask,
    starts: Sequence[Start],
    sending: Sending,
) -> None:
    """Say what models that may cost money will be asked, and ask whether that is wanted.

    Ends the command with exit code 1 where the answer is no; raises UsageError, naming `--yes`, where there
    is nobody to ask. Says and asks nothing where everything is free.
    """
    roles: tuple[tuple[Role, DriverChoice | None], ...] = (("decision", models.decision), ("llm", models.llm))
    paid = [(role, choice) for role, choice in roles if choice is not None and may_cost(choice)]
    for role, choice in paid:
        need_consent(choice, yes=sending.yes)
        price = find_price(choice.prices, choice.name, choice.model)
        say(_described(choice, estimate_role(role, setting, task, starts, price)))
    if not paid or sending.yes:
        return
    limit = "" if sending.max_cost is None else f", at most {money(sending.max_cost)} in all"
    if not agreed(f"Ask {' and '.join(choice.model for _, choice in paid)}{limit}?"):
        say("nothing was sent")
        raise typer.Exit(1)


def _described(choice: DriverChoice, estimate: RoleEstimate) -> str:
    calls = f"{estimate.calls.low:,.0f} to {estimate.calls.high:,.0f} calls"
    tokens = (
        f"{estimate.input_tokens.low:,} to {estimate.input_tokens.high:,} tokens in and "
        f"{estimate.output_tokens.low:,} to {estimate.output_tokens.high:,} out"
    )
    cost = "its price is not known"
    if estimate.cost is not None:
        cost = f"{money(estimate.cost.low)} to {money(estimate.cost.high)}"
    return f"{choice.model} at {choice.base_url}: {calls}, about {tokens}, {cost}; retries come on top"
