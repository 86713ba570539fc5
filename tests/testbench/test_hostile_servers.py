"""Servers that are dead, inconsistent or odd: no false claim, no endless run, no cap that is passed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import ModelError
from jevbias.mock.fault_plan import FaultPlan
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.mock.serve import running_mock
from jevbias.store.runs import find_run
from jevbias.testbench.cases import FACT
from jevbias.testbench.concurrency import measure_concurrency
from jevbias.testbench.confidence import SCORE_CONFIDENCE, Sample, search_formula
from jevbias.testbench.context import measure_context
from jevbias.testbench.determinism import measure_determinism
from jevbias.testbench.estimate import calls_to_make
from jevbias.testbench.latency import measure_latency
from jevbias.testbench.options import (
    BenchOptions,
    ConcurrencyOptions,
    ContextOptions,
    DeterminismOptions,
    LatencyOptions,
    SemanticsOptions,
)
from jevbias.testbench.run import report_testbench
from jevbias.testbench.semantics import measure_semantics
from jevbias.testbench.semantics_asks import scenario_asks
from tests.testbench.benches import calls_of, planned, put
from tests.testbench.direct import Direct, known, yes

REFUSAL = {"detail": "no"}


@pytest.mark.parametrize("status", [422, 429, 500, 503])
def test_a_server_that_answers_nothing_ends_a_run_at_once(catalogue: Catalogue, status: int) -> None:
    asks = scenario_asks(catalogue, "hiring_screen", 3, 1)
    for measure, *options in (
        (measure_determinism, DeterminismOptions()),
        (measure_latency, LatencyOptions()),
        (measure_semantics, SemanticsOptions(cases=3), asks),
    ):
        server = Direct(lambda _key, _body: (status, REFUSAL))
        if measure is measure_latency and status == 422:  # One of 80 is not five alike.
            server.measure(measure, *options)
            assert len(server.sent) == 1 + 5 * 4
            continue
        with pytest.raises(ModelError, match=f"{status}"):
            server.measure(measure, *options)
        assert len(server.sent) <= 10 + 3


def test_five_failures_alike_stop_a_run_and_others_do_not() -> None:
    options = DeterminismOptions(repeats=40, minutes=0, at_once=1)

    def alternating(key: str, body: bytes) -> tuple[int, Any]:
        number = int(key.split("/")[2].partition("#")[0])
        return (400 + number % 2 * 22, REFUSAL) if number % 10 else yes(body, 0.5)

    found, _ = Direct(alternating).measure(measure_determinism, options)
    assert found.answers == 4
    with pytest.raises(ModelError, match="5 calls in a row failed alike: 400"):
        Direct(lambda key, body: yes(body, 0.5) if "/0#" in key else (400, REFUSAL)).measure(
            measure_determinism, options
        )


def test_a_run_that_was_stopped_by_a_refused_key_goes_on_with_another(
    engine: Engine, catalogue: Catalogue
) -> None:
    options = BenchOptions(
        parts=("determinism",), determinism=DeterminismOptions(repeats=6, minutes=0.001, at_once=3)
    )
    run = planned(engine, catalogue, options)
    faults = [{"when": {"face": "systemone", "nth": nth}, "reply": {"status": 401}} for nth in (1, 5, 8)]
    with running_mock(
        KnownModel(catalogue, KnownProperties()), faults=FaultPlan.model_validate({"faults": faults})
    ) as mock:
        for _ in faults:
            with pytest.raises(ModelError, match="401"):
                put(engine, run, mock.base_url)
        put(engine, run, mock.base_url)
    report = report_testbench(engine, find_run(engine, run.name))
    assert report.determinism is not None
    assert (report.determinism.answers, report.run.failed, report.notes) == (12, 3, [])
    assert len(calls_of(engine)) == 12 + 3


def test_a_call_of_a_burst_that_was_refused_waits_as_long_as_the_server_asks() -> None:
    def refused_once(key: str, body: bytes) -> tuple[int, Any]:
        name, _, attempt = key.partition("#")
        return (429, REFUSAL) if name.endswith("/3") and attempt == "1" else yes(body, 0.5)

    server = Direct(refused_once, retry_after=7.0)
    began = time.time()
    server.started_at = lambda _key: began
    found, _ = server.measure(measure_determinism, DeterminismOptions(repeats=6, minutes=0, at_once=6))
    assert found.answers == 6
    assert [round(wait) for wait in server.waits] == [7]


def test_a_burst_that_comes_from_a_cache_is_told_from_scattered_requests() -> None:
    draw = np.random.default_rng(1)

    def cached(key: str, body: bytes) -> tuple[int, Any]:
        return yes(body, 0.5 if "burst" in key else 0.5 + 0.001 * draw.standard_normal())

    found, _ = Direct(cached).measure(measure_determinism, DeterminismOptions())
    row = found.comparisons[0]
    assert row.ratio is None
    assert row.p_ratio is not None
    assert row.p_ratio < 1e-4


@pytest.mark.parametrize(("noise", "decimals", "cases"), [(0.01, None, 12), (0.002, 2, 12), (0.01, 2, 3)])
def test_noise_is_not_taken_for_a_movement_however_it_is_rounded(
    catalogue: Catalogue, noise: float, decimals: int | None, cases: int
) -> None:
    asks, claims = scenario_asks(catalogue, "hiring_screen", cases, 1), 0
    for seed in range(5):
        server = Direct(known(catalogue, noise=noise, decimals=decimals, seed=seed))
        found, _ = server.measure(measure_semantics, SemanticsOptions(cases=cases), asks)
        assert len(found.movements) == 5 + 5 + 1 + 3
        claims += sum(row.moves for row in found.movements)
    assert claims <= 1, "a run in 20 may, by chance"


@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_an_effect_that_rounding_hides_in_part_is_within_its_interval(
    catalogue: Catalogue, noise: float
) -> None:
    asks = scenario_asks(catalogue, "hiring_screen", 12, 1)
    given = {"first_option": 0.0437, "negation_gap": 0.0263}
    server = Direct(known(catalogue, given, noise=noise, decimals=2))
    found, _ = server.measure(measure_semantics, SemanticsOptions(), asks)
    effects = {"option_order": 0.0437, "negation": 0.0263}
    rows = [row for row in found.movements if row.change in effects]
    assert len(rows) == 4
    for row in rows:
        assert row.interval is not None
        assert row.interval[0] <= effects[row.change] <= row.interval[1]
        assert row.moves
    assert not any(row.moves for row in found.movements if row.change not in effects)


@pytest.mark.parametrize("options", [7, 10])
def test_formulas_are_named_for_many_levels_of_two_decimals_too(options: int) -> None:
    draw = np.random.default_rng(2)
    answers = [draw.dirichlet(np.full(options, shape)) for shape in draw.choice([0.2, 0.7, 2.0], 15)]
    for name, formula in SCORE_CONFIDENCE.items():
        samples = [Sample(round(formula(p), 2), tuple(p.round(2).tolist())) for p in answers]
        found = search_formula("score confidence", samples, {name: formula})
        assert found is not None
        assert found.named == [name]


def test_a_confidence_that_never_varies_is_called_that() -> None:
    draw = np.random.default_rng(2)
    samples = [Sample(0.9, tuple(draw.dirichlet(np.ones(3)).round(2).tolist())) for _ in range(20)]
    found = search_formula("choice confidence", samples, SCORE_CONFIDENCE)
    assert found is not None
    assert found.named == ["always 0.9"]


def sized(
    limit: int, status: int, tokens: Callable[[bytes], int] = lambda body: len(body) // 4
) -> Callable[[str, bytes], tuple[int, Any]]:
    """Refuses longer bodies, and reads all of the others."""

    def says(_key: str, body: bytes) -> tuple[int, Any]:
        if len(body) > limit:
            return status, REFUSAL
        return yes(body, 0.6 if FACT in json.dumps(json.loads(body)["state"]) else 0.3, tokens(body))

    return says


@pytest.mark.parametrize("status", [400, 402, 403, 413, 422, 500])
def test_a_status_that_comes_with_size_only_is_a_ceiling(status: int) -> None:
    found, _ = Direct(sized(9_000, status)).measure(measure_context, ContextOptions(largest=10_000))
    assert (found.ended, found.confirmed, found.failed.http_status) == ("found", True, status)
    assert found.worked.body_bytes <= 9_000 < found.failed.body_bytes <= 9_000 * 1.02
    assert found.truncation.verdict == "none_seen"


@pytest.mark.parametrize("limit", [620, 700, 1_559, 1_560])
def test_a_tiny_ceiling_is_found_to_the_word(limit: int) -> None:
    found, _ = Direct(sized(limit, 413)).measure(
        measure_context, ContextOptions(largest=5_000, precision=0.0001)
    )
    assert found.failed.words == found.worked.words + 1
    assert found.truncation.verdict == "none_seen"


@pytest.mark.parametrize("status", [200, 500])
def test_a_cap_on_tokens_holds_whatever_the_server_counts_and_however_often_it_is_asked(status: int) -> None:
    options = ContextOptions(largest=60_000, max_tokens=50_000)
    server = Direct(sized(10**9 if status == 200 else 30_000, status, lambda _body: 1))
    found, _ = server.measure(measure_context, options)
    assert found.ended == "tokens"
    least = [round(size * 0.8 / 4.2) for _, size in server.sent]
    assert sum(least) <= found.tokens_sent <= options.max_tokens


def test_a_search_that_is_refused_for_its_pace_stops_the_run() -> None:
    server = Direct(lambda key, body: (429, REFUSAL) if "/1000#" in key else yes(body, 0.5, 400))
    with pytest.raises(ModelError, match="pace: 429"):
        server.measure(measure_context, ContextOptions(largest=5_000))


def test_a_size_that_fails_below_one_that_works_is_noted() -> None:
    def says(_key: str, body: bytes) -> tuple[int, Any]:
        return (400, REFUSAL) if 9_000 < len(body) < 12_000 else yes(body, 0.5, len(body) // 4)

    _, notes = Direct(says).measure(measure_context, ContextOptions(largest=10_000))
    assert any("twice as large as the first that failed" in note and "works" in note for note in notes)


@pytest.mark.parametrize(
    ("largest", "max_tokens"), [(5_000, 4_000_000), (20_000, 4_000_000), (20_000, 700_000)]
)
def test_the_estimate_of_a_search_is_no_less_than_what_it_sends(largest: int, max_tokens: int) -> None:
    def reads_the_start(_key: str, body: bytes) -> tuple[int, Any]:
        state = json.dumps(json.loads(body)["state"])[:8_000]
        return yes(body, 0.6 if FACT in state else 0.3, len(body) // 4)

    server = Direct(reads_the_start)
    wanted = ContextOptions(largest=largest, max_tokens=max_tokens)
    found, _ = server.measure(measure_context, wanted)
    assert found.truncation.verdict == "truncates"
    estimate = calls_to_make(BenchOptions(parts=("context",), context=wanted), [])
    driver = server.bench().driver
    assert sum(times for _, times in estimate) >= len(server.sent)
    assert sum(times * len(driver.render(ask)) for ask, times in estimate) >= sum(s for _, s in server.sent)


def test_a_burst_that_was_interrupted_is_sent_again_whole() -> None:
    server = Direct(lambda _key, body: yes(body, 0.5))
    server.started_at = lambda key: 100.0 if key in ("concurrency/4/0/2", "concurrency/4/0/3") else 0.0
    rows, notes = server.measure(measure_concurrency, ConcurrencyOptions(bursts=(4, 1), pause=0))
    assert [(row.size, row.calls, row.bursts) for row in rows] == [(1, 1, 1), (4, 4, 1)]
    assert all(row.wall_ms is not None and row.wall_ms < 1_000 for row in rows)
    assert len(notes) == 1
    assert [row.in_flight for row in rows] == [1, 4]


def test_a_burst_says_how_many_were_under_way_at_one_moment() -> None:
    server = Direct(lambda _key, body: yes(body, 0.5))  # Each takes 1 ms.
    server.started_at = lambda key: 0.0004 * int(key[-1]) if "#" not in key else 0.0
    (row,), _ = server.measure(measure_concurrency, ConcurrencyOptions(bursts=(10,), pause=0))
    assert (row.size, row.in_flight) == (10, 3)


def test_a_quantile_of_few_calls_is_only_called_the_longest_where_it_is() -> None:
    draw = iter([9.0, 1.0, 2.0])
    server = Direct(lambda _key, body: yes(body, 0.5))
    server.takes = lambda: next(draw)
    (row,), _ = server.measure(measure_latency, LatencyOptions(repeats=2, words=(12,)))
    assert [(found.value, found.is_maximum) for found in row.quantiles] == [
        (1.0, False),
        (2.0, True),
        (2.0, True),
    ]
