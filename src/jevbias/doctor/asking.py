"""One small question to the model, to see that an answer comes back and can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from jevbias.catalogue.catalogue import Catalogue
from jevbias.doctor.check import Check
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.select import DriverChoice, open_driver
from jevbias.errors import JevbiasError
from jevbias.plan.model import Ask
from jevbias.plan.preview import Preview, preview_asks
from jevbias.settings import Settings


@dataclass(frozen=True)
class Asking:
    """Whether a question may cost something, and who is told before one is asked."""

    may_cost: bool
    announce: Callable[[str], None]


async def check_answer(
    choice: DriverChoice | None, settings: Settings, catalogue: Catalogue | None, asking: Asking
) -> Check:
    """Ask one small question where it is free or allowed: whether an answer comes back and can be read, how
    fast, and what it cost. `choice` is None where something before makes it hopeless.
    """
    if choice is None or catalogue is None:
        return Check("answer", "untried", "not asked, because of what failed before")
    if choice.needs_key and not asking.may_cost:
        return Check("answer", "untried", "not asked, because it may cost", "--ask sends one small question")
    try:
        ask = small_ask(catalogue, settings.seed)
        asking.announce(f"asking {choice.model} at {choice.base_url} one small question")
        return await _ask(choice, settings, ask)
    except JevbiasError as error:
        return Check("answer", "failed", str(error))


def small_ask(catalogue: Catalogue, seed: int) -> Ask:
    """The first question of the catalogue's first decision, about somebody of whom nothing is said.

    Raises UsageError for a catalogue without one.
    """
    wanted = Preview(scenario=next(iter(catalogue.scenarios), None), condition="blind")
    ask = preview_asks(catalogue, wanted, seed).anchor
    first = next(iter(ask.frame.questions))
    return replace(ask, frame=replace(ask.frame, questions={first: ask.frame.questions[first]}))


async def _ask(choice: DriverChoice, settings: Settings, ask: Ask) -> Check:
    async with open_driver(choice, settings.model_copy(update={"workers": 1})) as driver:
        reply = await driver.send(driver.render(ask))
        reading = driver.read(ask, reply)
    if reading.verdict == "answered":
        return Check("answer", "ok", _answered(choice, reply, reading), _oddity(reading))
    found = f"{choice.model}: {reading.error or reading.error_kind or reading.verdict}"
    if reading.verdict == "refused":
        return Check("answer", "warning", found, "it declined this one; a run counts how often it does")
    if reading.verdict == "retry":
        return Check("answer", "warning", found, "try again later")
    return Check("answer", "failed", found)


def _answered(choice: DriverChoice, reply: Reply, reading: Reading) -> str:
    parts = [f"{reading.model_answered or choice.model} answers in {reply.latency_ms:,.0f} ms"]
    if reading.input_tokens is not None:
        parts.append(f"{reading.input_tokens:,} tokens in, {reading.output_tokens or 0:,} out")
    if reading.cost is not None:
        parts.append(f"cost ${reading.cost:.6f}")
    elif choice.needs_key:
        parts.append("cost n/a")
    return ", ".join(parts)


def _oddity(reading: Reading) -> str | None:
    flags = sorted({flag for answer in reading.answers for flag in answer.flags})
    return f"the answer was tolerated as {', '.join(flags)}" if flags else None
