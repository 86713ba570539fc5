"""What a server's listing says of the model that a run would ask."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.doctor.check import Check
from jevbias.drivers.model_check import fault_of_model
from jevbias.drivers.models_listing import ListedModel, find_listed, near_names
from jevbias.drivers.select import DriverChoice


def check_listed(choice: DriverChoice, models: Sequence[ListedModel]) -> list[Check]:
    """What the server's listing, which may be empty, says of the model: whether it is there, can be held to a
    schema, and takes the reasoning effort.
    """
    if not models:
        return [Check("model", "untried", f"{choice.model}; the server lists no models"), *_unlisted(choice)]
    model = find_listed(models, choice.model)
    fault = fault_of_model(choice, models) if choice.name == "openrouter" else None
    if model is None:
        if fault is not None:
            return [Check("model", "failed", fault)]
        near = near_names((known.name for known in models), choice.model)
        meant = f"did you mean {', '.join(near)}? " if near else ""
        show = f"{meant}`jevbias doctor --driver {choice.name} --models` lists those there are"
        return [
            Check("model", "warning", f"{choice.model} is not among the models listed", show),
            *_unlisted(choice),
        ]
    return [_listed(choice, model), *_abilities(choice, model, fault)]


def _listed(choice: DriverChoice, model: ListedModel) -> Check:
    facts = [f"{choice.model} is listed"]
    if model.context is not None:
        facts.append(f"context {model.context:,} tokens")
    if model.input_price is not None and model.output_price is not None:
        facts.append(f"${model.input_price:,.6g} in and ${model.output_price:,.6g} out per million")
    moves = choice.model.endswith("-latest")
    advice = "an alias that moves: name a build to compare over time" if moves else None
    return Check("model", "ok", ", ".join(facts), advice)


def _abilities(choice: DriverChoice, model: ListedModel, fault: str | None) -> list[Check]:
    if not choice.provider.writes_numbers:
        return []
    checks = []
    if model.structured_outputs is None:
        checks.append(_unknown_schema())
    elif model.structured_outputs:
        checks.append(Check("structured outputs", "ok", f"{choice.model} supports them"))
    else:
        checks.append(Check("structured outputs", "failed", fault or f"{choice.model} lacks them"))
    effort = choice.reasoning_effort
    if effort is None or model.structured_outputs is False:
        return checks
    if fault is not None or model.lacks(effort) is not None:
        checks.append(Check("reasoning effort", "failed", fault or f"{choice.model} does not take {effort}"))
    elif model.parameters is None:
        checks.append(Check("reasoning effort", "untried", f"{effort}; the server does not say"))
    else:
        checks.append(Check("reasoning effort", "ok", f"{choice.model} takes {effort}"))
    return checks


def _unlisted(choice: DriverChoice) -> list[Check]:
    return [_unknown_schema()] if choice.provider.writes_numbers else []


def _unknown_schema() -> Check:
    return Check("structured outputs", "untried", "the server does not say; an answer shows it")
