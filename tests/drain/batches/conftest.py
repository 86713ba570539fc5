"""A provider of batches, and a planned run to hand over to it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest
from pydantic import SecretStr
from sqlalchemy import Engine

from jevbias.drain.batches.context import BatchContext
from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.openrouter_batches import LARGEST_REPLY, OpenRouterBatches
from jevbias.store.runs import create_run, find_run
from jevbias.store.tables import Run
from tests.drain.batches.provider import Provider, serving
from tests.store.small import RUN_SETTINGS, small_plan

T = TypeVar("T")

MODEL = "chat/model"
KEY = "sk-or-secret-of-the-user"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with serving(Provider()) as provider:
        yield provider


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that may have arrived is looked for at once."""
    monkeypatch.setattr("jevbias.drain.batches.submission.LOOK_AFTER", (0.0, 0.0))


@pytest.fixture
def plan_batched(engine: Engine, provider: Provider) -> Callable[..., Run]:
    """Plans a run of so many probes for a chat model at the provider."""

    def plan(probes: int, *, replicates: int = 1) -> Run:
        return planned(engine, probes, provider.url, replicates=replicates)

    return plan


def planned(engine: Engine, probes: int, url: str, *, replicates: int = 1, name: str = "small") -> Run:
    """A run of so many probes for a chat model at this address."""
    settings = {**RUN_SETTINGS, "driver": "openrouter", "model": MODEL, "base_url": url}
    create_run(engine, small_plan(probes, replicates=replicates), name=name, **settings)
    return find_run(engine, name)


def with_batches(
    engine: Engine,
    run: Run,
    url: str,
    do: Callable[[BatchContext], Awaitable[T]],
    *,
    said: list[str] | None = None,
    timeout: float = 5.0,
    clock: Any = None,
) -> T:
    """Do something with a run's batches, as a process of its own would."""

    async def run_it() -> T:
        transport = HttpTransport(
            url, key=SecretStr(KEY), timeout=timeout, connections=2, largest_reply=LARGEST_REPLY
        )
        lines = [] if said is None else said
        more = {} if clock is None else {"clock": clock}
        context = BatchContext(
            engine,
            run.id or 0,
            run.seed,
            ChatDriver("openrouter", MODEL, transport),
            OpenRouterBatches(transport, MODEL),
            lines.append,
            **more,
        )
        try:
            return await do(context)
        finally:
            await transport.aclose()

    return asyncio.run(run_it())
