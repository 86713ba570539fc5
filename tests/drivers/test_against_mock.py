"""Driver and mock over a real connection: what goes in comes out."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS
from jevbias.drivers.base import Reading
from jevbias.drivers.select import choose_driver, open_driver
from jevbias.mock.merits import merit
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from jevbias.plan.model import Ask, Frame
from jevbias.settings import load_settings


def test_the_favourability_read_is_the_merit_the_mock_gave(catalogue: Catalogue) -> None:
    asks = [
        Ask(
            Frame(key, variant, s.title, s.role, s.case_key, s.variants[variant], s.questions),
            {"reference": f"The {s.role}"},
        )
        for key, s in catalogue.scenarios.items()
        for variant in VARIANTS
    ]

    async def read_all(url: str) -> list[tuple[bytes, Reading]]:
        settings = load_settings(driver="jev", typesafe_base_url=url)
        choice = choose_driver(settings, catalogue_prices=catalogue.prices)
        async with open_driver(choice, settings) as driver:
            bodies = [driver.render(ask) for ask in asks]
            replies = await asyncio.gather(*[driver.send(body) for body in bodies])
            return [
                (body, driver.read(ask, reply))
                for ask, body, reply in zip(asks, bodies, replies, strict=True)
            ]

    model = MockModel(catalogue, noise=0)
    with running_mock(model) as mock:
        readings = asyncio.run(read_all(mock.base_url))
    for ask, (body, reading) in zip(asks, readings, strict=True):
        assert (reading.verdict, reading.rejected, reading.model_answered) == (
            "answered",
            {},
            "jevbias-mock-1",
        )
        assert reading.input_tokens is not None
        assert reading.cost is None  # the mock is in no price table, and nothing was paid
        assert model.times_asked(hashlib.sha256(body).hexdigest()) == 1
        for answer in reading.answers:
            expected = merit(ask.frame.scenario, answer.question, ask.frame.variant)
            assert answer.favourability == pytest.approx(expected, abs=1e-12)
            assert answer.flags == ()
