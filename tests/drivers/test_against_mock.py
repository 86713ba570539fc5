"""Driver and mock over a real connection: what goes in comes out."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS
from jevbias.drivers.base import Reading
from jevbias.drivers.providers import PROVIDERS
from jevbias.drivers.select import choose_driver, open_driver
from jevbias.mock.merits import merit
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.plan.model import Ask, Frame
from jevbias.settings import load_settings


@pytest.mark.parametrize(
    ("driver", "model", "answers_as"),
    [
        ("jev", "jev-latest", "jevbias-mock-1"),
        ("openrouter-decisions", "typesafe/jev-1.13", "jevbias/mock-decisions-20260101"),
        ("openrouter", "jevbias/mock-chat", "jevbias/mock-chat-20260101"),
        ("openai", "jevbias/mock-chat", "jevbias/mock-chat-20260101"),
    ],
)
def test_the_favourability_read_is_the_merit_the_mock_gave_whichever_way_it_is_asked(
    catalogue: Catalogue,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    driver: str,
    model: str,
    answers_as: str,
) -> None:
    monkeypatch.chdir(tmp_path)  # no .env of whoever runs the tests
    asks = [
        Ask(
            Frame(key, variant, s.title, s.role, s.case_key, s.variants[variant], s.questions),
            {"reference": f"The {s.role}"},
        )
        for key, s in catalogue.scenarios.items()
        for variant in VARIANTS
    ]

    async def read_all(mock: RunningMock) -> list[tuple[bytes, Reading]]:
        settings = load_settings(
            driver=driver,
            model=model,
            typesafe_base_url=mock.base_url,
            openrouter_base_url=mock.openrouter_url,
            openai_base_url=mock.openai_url,
        )
        choice = choose_driver(settings, catalogue_prices=catalogue.prices)
        async with open_driver(choice, settings) as opened:
            bodies = [opened.render(ask) for ask in asks]
            replies = await asyncio.gather(*[opened.send(body) for body in bodies])
            return [
                (body, opened.read(ask, reply))
                for ask, body, reply in zip(asks, bodies, replies, strict=True)
            ]

    thinking = MockModel(catalogue, noise=0)
    with running_mock(thinking) as mock:
        readings = asyncio.run(read_all(mock))
    for ask, (body, reading) in zip(asks, readings, strict=True):
        assert (reading.verdict, reading.rejected, reading.model_answered) == ("answered", {}, answers_as)
        assert reading.input_tokens is not None
        assert (reading.cost is not None) == PROVIDERS[driver].reports_cost
        assert (reading.cached_tokens is not None) == PROVIDERS[driver].writes_numbers
        assert thinking.times_asked(hashlib.sha256(body).hexdigest()) == 1
        for answer in reading.answers:
            expected = merit(ask.frame.scenario, answer.question, ask.frame.variant)
            assert answer.favourability == pytest.approx(expected, abs=1e-12)
            assert answer.flags == ()
