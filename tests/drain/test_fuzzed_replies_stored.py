"""Whatever a server sends: each probe ends in one state, nothing out of range is stored, its body is kept."""

from __future__ import annotations

import random
import zlib

import pytest
from sqlalchemy import Engine

from jevbias.drain.sending import completed, read
from jevbias.store.connections import writing
from jevbias.store.queue import ProbeQueue
from jevbias.store.tables import FINISHED_STATUSES
from tests.drain.conftest import PlanRun
from tests.drain.draining import answers, attempts, probes
from tests.drivers.asks import small_ask
from tests.drivers.every_driver import SERVED, driver_called
from tests.drivers.test_fuzzed_replies import fuzzed

REPLIES = 800


@pytest.mark.parametrize("name", SERVED)
def test_every_reply_is_stored_as_what_it_is(engine: Engine, planned: PlanRun, name: str) -> None:
    run = planned(REPLIES)
    driver, ask, chance = driver_called(name), small_ask(), random.Random(f"stored replies to {name}")
    queue = ProbeQueue(run.id or 0, "me/1/2")
    sent = {}
    while True:
        with writing(engine) as connection:
            claims = queue.claim(connection, 500)
            ended = []
            for claim in claims:
                reply = fuzzed(name, chance)
                outcome = read(driver, ask, b"{}", reply, 1.0)
                sent[claim.lease.probe_id] = (reply.body, outcome.reading)
                ended.append(completed(claim.lease, outcome))
            queue.complete_all(connection, ended)
        if not claims:
            break
    found = probes(engine)
    assert len(found) == len(sent) == len(attempts(engine)) == REPLIES
    assert {probe.status for probe in found} <= set(FINISHED_STATUSES)
    assert {"answered", "malformed", "failed"} <= {probe.status for probe in found}
    for probe in found:
        body, reading = sent[probe.id]
        assert (probe.response is None) == (not body)
        assert probe.response is None or zlib.decompress(probe.response) == body
        assert (probe.status == "answered") == bool(reading.answers)
    stored = answers(engine)
    assert len(stored) == sum(len(reading.answers) for _, reading in sent.values())
    assert all(0 <= row.value <= 1 and 0 <= row.favourability <= 1 for row in stored)
