"""The benchmark of the drain sends what a drain sends, and counts it right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.drain import Work, measure_bare_loop, measure_drain, prepare
from benchmarks.fixed_latency import FixedLatencyServer, fixed_latency_server

PROBES, LATENCY = 40, 0.01


@pytest.fixture(scope="module")
def work() -> tuple[Work, dict[bytes, bytes]]:
    return prepare(PROBES)


@pytest.fixture(scope="module")
def server(work: tuple[Work, dict[bytes, bytes]]) -> Iterator[FixedLatencyServer]:
    with fixed_latency_server(work[1], LATENCY) as running:
        yield running


def test_a_drain_sends_every_probe_once_and_takes_no_less_than_the_server_does(
    work: tuple[Work, dict[bytes, bytes]], server: FixedLatencyServer
) -> None:
    measured = measure_drain(work[0], server, in_flight=4, database=None)
    assert measured.served.ledger == work[0].digests
    assert measured.served.ledger.total() == PROBES
    assert measured.seconds >= PROBES / 4 * LATENCY
    assert measured.cpu_seconds > 0


def test_the_bare_loops_send_the_same_bodies(
    work: tuple[Work, dict[bytes, bytes]], server: FixedLatencyServer
) -> None:
    for own_client in (True, False):
        measured = measure_bare_loop(work[0], server, in_flight=4, own_client=own_client)
        assert measured.served.ledger == work[0].digests
        assert measured.seconds >= PROBES / 4 * LATENCY


def test_another_ledger_than_was_planned_is_no_measurement(
    work: tuple[Work, dict[bytes, bytes]], server: FixedLatencyServer
) -> None:
    other = Work(work[0].plan, (*work[0].bodies[:-1], work[0].bodies[0]))
    with pytest.raises(RuntimeError, match="ledger"):
        measure_drain(other, server, in_flight=4, database=None)
