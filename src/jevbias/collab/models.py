"""Whom a bench asks: the decision model, the LLM, and opening both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from jevbias.catalogue.models import Price, Prices
from jevbias.collab.actors import Llm
from jevbias.collab.arms.arm import Tools
from jevbias.collab.asking import Asking
from jevbias.collab.chat_llm import ChatLlm, ChatMessages
from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.decision_model import DecisionModel
from jevbias.collab.llm_host import LlmHost
from jevbias.collab.mock_llm import MOCK_LLM, MockHabits, MockLlm
from jevbias.collab.own_llm import OwnLlm
from jevbias.collab.room import Room
from jevbias.collab.setting import MOCK, BenchSetting, LlmSetting
from jevbias.collab.situation import Role
from jevbias.collab.task_thread import TaskThread
from jevbias.drain.halt import Halt
from jevbias.drain.options import DrainOptions
from jevbias.drain.recorded_calls import RecordedCalls
from jevbias.drivers.access import key_of
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import paid_of_reply
from jevbias.drivers.providers import PROVIDERS, Provider
from jevbias.drivers.select import (
    DriverChoice,
    RequestModel,
    choose_driver,
    chosen_provider,
    open_driver,
    rechoose_driver,
)
from jevbias.drivers.served import ServedDriver
from jevbias.errors import UsageError
from jevbias.settings import Settings
from jevbias.store.tables import Run

_LLMS = (MOCK, *(name for name, provider in PROVIDERS.items() if provider.writes_numbers))


@dataclass(frozen=True)
class BenchModels:
    """Who is asked; None where no arm needs one. `llm` is a served LLM, `own` one that a user wrote; a
    stand-in is neither.
    """

    decision: DriverChoice | None
    llm: DriverChoice | None
    own: LlmHost | None = None


@dataclass(frozen=True)
class Paces:
    """How each is to be asked."""

    decision: DrainOptions
    llm: DrainOptions


Ledger = Callable[[Role], RecordedCalls]
"""The ledger for calls to one of the two."""


@dataclass(frozen=True)
class Habitat:
    """What models are opened for: the bench, its task and its seed."""

    setting: BenchSetting
    task: CheckedTask
    thread: TaskThread
    seed: int


@dataclass(frozen=True)
class OpenModels:
    """Both models, open."""

    models: BenchModels
    chat: ChatMessages | None
    driver: ServedDriver | None

    def tools(self, habitat: Habitat, paces: Paces, ledger: Ledger, halt: Halt) -> Tools:
        """What the arms of a bench work with."""
        setting, choices, room = habitat.setting, self.models, Room(halt)

        def asking(served: ServedDriver, choice: DriverChoice, role: Role, pace: DrainOptions) -> Asking:
            meter = partial(paid_of_reply, driver=choice.name, model=choice.model, prices=choice.prices)
            return Asking(served, ledger(role), halt, pace, room=room, meter=meter)

        llm: Llm | None = None
        said = setting.llm
        if self.chat is not None and choices.llm is not None:
            asked = asking(self.chat, choices.llm, "llm", paces.llm)
            llm = ChatLlm(self.chat, asked, choices.llm.reasoning_effort)
        elif said is not None and said.best is not None and said.illegal is not None:
            llm = MockLlm(habitat.task, habitat.thread, habitat.seed, MockHabits(said.best, said.illegal))
        elif choices.own is not None:
            llm = OwnLlm(choices.own, ledger("llm"), halt, room)
        decision = None
        if self.driver is not None and choices.decision is not None:
            decision = DecisionModel(asking(self.driver, choices.decision, "decision", paces.decision))
        return Tools(llm, decision, habitat.seed, setting.threshold, setting.escalations, setting.proposals)


def choose_decision(settings: Settings, prices: Prices | None) -> DriverChoice:
    """The decision model that the settings name. Raises UsageError for one that is none."""
    _check_decides(chosen_provider(settings))
    return choose_driver(_without_effort(settings), catalogue_prices=prices)


@dataclass(frozen=True)
class WantedLlm:
    """What the command line says about the LLM; see `LlmSetting`."""

    name: str
    model: str | None = None
    price: tuple[float, float] | None = None
    habits: MockHabits = field(default_factory=MockHabits)


@dataclass(frozen=True)
class ChosenLlm:
    """An LLM as a bench stores it, and the one of the two that it is; a stand-in is neither."""

    setting: LlmSetting
    served: DriverChoice | None = None
    own: LlmHost | None = None


def choose_llm(
    wanted: WantedLlm, settings: Settings, prices: Prices | None, tell: Callable[[str], None]
) -> ChosenLlm:
    """The LLM that is wanted; `tell` is told what does not return. Raises UsageError for one that is none, or
    that lacks a model or a key.
    """
    name, model, price, habits = wanted.name, wanted.model, wanted.price, wanted.habits
    if ":" in name:
        if model is not None or price is not None:
            raise UsageError("--llm module:Class: it names its model and its costs itself")
        own = LlmHost(name, tell)
        return ChosenLlm(LlmSetting(name, own.model, "", claims_to_be_real=own.is_real), own=own)
    if name not in _LLMS:
        raise UsageError(f"--llm: '{name[:60]}' is not one of {', '.join(_LLMS)}, nor module:Class")
    if name == MOCK:
        if model is not None or price is not None:
            raise UsageError("--llm mock: the stand-in has no --llm-model and no --llm-price")
        return ChosenLlm(LlmSetting(MOCK, MOCK_LLM, "", best=habits.best, illegal=habits.illegal))
    if model is None:
        raise UsageError(f"--llm {name} needs --llm-model NAME")
    asked = settings.model_copy(update={"driver": name, "model": model})
    choice = choose_driver(asked, catalogue_prices=_priced(prices, name, price))
    return ChosenLlm(LlmSetting(name, choice.model, choice.base_url, choice.reasoning_effort, price), choice)


def choose_again(
    run: Run, setting: BenchSetting, settings: Settings, prices: Prices | None, tell: Callable[[str], None]
) -> BenchModels:
    """Whom a stored bench asks, as it began. Raises UsageError where the settings name another address."""
    bare = _without_effort(settings)
    decision = llm = own = None
    if setting.has_decision:
        planned = RequestModel(run.driver, run.model)
        decision = rechoose_driver(planned, run.base_url, bare, catalogue_prices=prices)
    said = setting.llm
    if said is not None and said.is_served:
        asked = RequestModel(said.driver, said.model, said.effort)
        known = _priced(prices, said.driver, said.price)
        llm = rechoose_driver(asked, said.base_url, settings, catalogue_prices=known)
    elif said is not None and said.is_own:
        own = LlmHost(said.driver, tell)
    return BenchModels(decision, llm, own)


@asynccontextmanager
async def open_models(models: BenchModels, settings: Settings) -> AsyncIterator[OpenModels]:
    """Open both models for the length of a block. Raises UsageError and ModelError as `open_driver` does."""
    chat = None if models.llm is None else _open_chat(models.llm, settings)
    try:
        if models.decision is None:
            yield OpenModels(models, chat, None)
            return
        async with open_driver(models.decision, _without_effort(settings)) as driver:
            if not isinstance(driver, ServedDriver):
                raise TypeError("a decision model is served")
            yield OpenModels(models, chat, driver)
    finally:
        if chat is not None:
            await chat.aclose()
        if models.own is not None:
            models.own.close()


def _open_chat(choice: DriverChoice, settings: Settings) -> ChatMessages:
    transport = HttpTransport(
        choice.base_url,
        key=key_of(choice.provider, settings),
        timeout=settings.timeout or choice.provider.timeout,
        connections=settings.workers,
    )
    return ChatMessages(choice.name, choice.model, transport, choice.prices, choice.reasoning_effort)


def _check_decides(provider: Provider) -> None:
    if provider.writes_numbers:
        deciders = ", ".join(name for name, other in PROVIDERS.items() if not other.writes_numbers)
        raise UsageError(
            f"--driver {provider.driver}: a chat model is no decision model; give {deciders} (an LLM goes to "
            "--llm)"
        )


def _without_effort(settings: Settings) -> Settings:
    """How long a model may think is said of the LLM: a decision model does not."""
    return settings.model_copy(update={"reasoning_effort": None})


def _priced(prices: Prices | None, driver: str, price: tuple[float, float] | None) -> Prices | None:
    """The price table, with what was said on the command line before everything else."""
    if price is None:
        return prices
    said = Price(
        driver=driver,
        model="*",
        input_per_million=price[0],
        output_per_million=price[1],
        source="--llm-price",
        checked=datetime.now(UTC).date().isoformat(),
    )
    return Prices(prices=[said, *(prices.prices if prices is not None else [])])
