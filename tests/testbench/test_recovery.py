"""Each part of the test bench finds what the mock was given."""

from __future__ import annotations

from itertools import pairwise

import pytest
from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.fault_plan import FaultPlan
from jevbias.plan.model import Ask
from jevbias.testbench.context import measure_context
from jevbias.testbench.determinism import measure_determinism
from jevbias.testbench.options import (
    BenchOptions,
    ConcurrencyOptions,
    ContextOptions,
    DeterminismOptions,
    LatencyOptions,
    SemanticsOptions,
)
from jevbias.testbench.semantics import measure_semantics
from jevbias.testbench.semantics_asks import scenario_asks
from tests.testbench.benches import FACTS, Server, benched, calls_of
from tests.testbench.direct import Direct, known


def test_determinism_finds_the_noise_within_a_tenth_at_1000_requests(catalogue: Catalogue) -> None:
    options = DeterminismOptions(repeats=1000, minutes=0, at_once=40)
    found, _ = Direct(known(catalogue, noise=0.02)).measure(measure_determinism, options)
    assert (found.asked, found.answers, found.different) == (1000, 1000, 999)
    assert (found.comparisons, {row.how for row in found.figures}) == ([], {"burst"})
    row = next(row for row in found.figures if row.figure == "release")
    assert row.answers == 1000
    assert row.sd == pytest.approx(0.02, rel=0.1)
    assert row.sd_interval is not None
    assert row.sd_interval[0] < 0.02 < row.sd_interval[1]


def test_determinism_compares_scattered_requests_with_a_burst(engine: Engine, catalogue: Catalogue) -> None:
    options = BenchOptions(
        parts=("determinism",), determinism=DeterminismOptions(repeats=30, minutes=0.02, at_once=10)
    )
    drifting = Server(catalogue, {}, noise=0.01, drift=2.0)
    report = benched(engine, drifting, options)
    found = report.determinism
    assert found is not None
    assert (found.asked, found.answers) == (60, 60)
    compared = next(row for row in found.comparisons if row.figure == "release")
    assert compared.shift == pytest.approx(0.06, abs=0.02), "30 requests later at 2 in 1,000"
    assert compared.shift_interval is not None
    assert compared.shift_interval[0] > 0
    assert compared.p_shift is not None
    assert compared.p_shift < 0.01
    assert compared.ratio_interval is not None
    assert compared.ratio_interval[0] < 1 < compared.ratio_interval[1]
    sent = [call.sent_at for call in calls_of(engine, "determinism/scattered/")]
    assert sent[-1] - sent[0] >= 1.2 - 0.01
    assert min(later - sooner for sooner, later in pairwise(sent)) >= 0.9 * 1.2 / 29


def test_determinism_of_a_server_that_always_says_the_same(engine: Engine, catalogue: Catalogue) -> None:
    options = BenchOptions(parts=("determinism",), determinism=DeterminismOptions(repeats=30, minutes=0))
    report = benched(engine, Server(catalogue, {}, noise=0.0), options)
    found = report.determinism
    assert found is not None
    assert found.different == 0
    assert found.different_interval == pytest.approx((0.0, 0.1157), abs=1e-4)
    assert {(row.sd, row.sd_interval, row.distinct) for row in found.figures} == {(0.0, None, 1)}
    assert {sum(row.counts.values()) for row in found.choices} == {30}
    assert any("never changed" in note for note in report.notes)


def cases(catalogue: Catalogue, number: int) -> list[Ask]:
    return scenario_asks(catalogue, "hiring_screen", number, 1)


CONTEXT = ContextOptions(largest=40_000, max_tokens=20_000_000)


def test_context_finds_where_requests_are_refused(engine: Engine, catalogue: Catalogue) -> None:
    tokens = 1_500
    server = Server(catalogue, {"context": {"tokens": tokens}, "facts": FACTS})
    report = benched(engine, server, BenchOptions(parts=("context",), context=CONTEXT))
    found = report.context
    assert found is not None
    assert found.worked is not None
    assert found.failed is not None
    assert (found.ended, found.confirmed) == ("found", True)
    assert found.worked.tokens is not None
    assert tokens * 0.98 <= found.worked.tokens <= tokens
    assert (found.failed.http_status, found.failed.message) == (400, "max_tokens_exceeded")
    assert found.truncation is not None
    assert found.truncation.verdict == "none_seen"
    assert {fact.verdict for fact in found.truncation.facts} == {"found"}


@pytest.mark.parametrize(
    ("keeps", "place", "counts"),
    [("start", "end", "sent"), ("end", "start", "read"), ("ends", "middle", "nothing")],
)
def test_context_finds_what_is_left_out_in_silence(
    catalogue: Catalogue, keeps: str, place: str, counts: str
) -> None:
    window = {"tokens": 6_000, "beyond": "truncate", "keeps": keeps, "counts": counts}
    server = Direct(known(catalogue, {"context": window, "facts": FACTS}, noise=0.004))
    found, _ = server.measure(measure_context, CONTEXT)
    assert (found.ended, found.failed) == ("cap", None)
    cut = found.truncation
    assert cut is not None
    assert (cut.verdict, cut.place) == ("truncates", place)
    assert cut.by_tokens == (counts == "read")
    assert cut.read_to is not None
    assert cut.lost_from is not None
    if keeps != "ends":
        assert cut.read_to.body_bytes / 4 == pytest.approx(6_000, rel=0.02)
    else:
        assert cut.read_to.body_bytes / 4 >= 6_000 * 0.98, "the middle is lost last"
    assert (cut.read_to.tokens is None) == (counts == "nothing")


def test_context_without_a_limit_says_so(catalogue: Catalogue) -> None:
    options = ContextOptions(largest=5_000, max_tokens=20_000_000)
    found, notes = Direct(known(catalogue, {"facts": FACTS})).measure(measure_context, options)
    assert found.worked.tokens == pytest.approx(5_000, rel=0.02)
    assert (found.ended, found.failed) == ("cap", None)
    assert any("no ceiling was met" in note for note in notes)


def test_context_never_passes_its_cap_on_tokens(engine: Engine, catalogue: Catalogue) -> None:
    options = BenchOptions(parts=("context",), context=ContextOptions(max_tokens=9_000))
    report = benched(engine, Server(catalogue, {"facts": FACTS}), options)
    found = report.context
    assert found is not None
    assert found.ended == "tokens"
    assert found.tokens_sent <= 9_000
    assert (report.run.input_tokens or 0) <= 9_000


@pytest.mark.parametrize(
    ("formula", "of_choice", "of_score"),
    [
        ("top", "highest probability", "highest probability"),
        ("entropy", "1 less normalised entropy", "1 less normalised entropy"),
        ("margin", "highest less second", "highest less second"),
        ("spread", None, "1 less SD of the level over its largest"),
        ("arbitrary", None, None),
    ],
)
def test_semantics_names_the_formula_or_says_that_none_fits(
    catalogue: Catalogue, formula: str, of_choice: str | None, of_score: str | None
) -> None:
    server = Direct(known(catalogue, {"confidence": formula}, decimals=2))
    found, _ = server.measure(measure_semantics, SemanticsOptions(cases=6), cases(catalogue, 6))
    named = {search.of: search.named for search in found.formulas}
    if formula != "spread":
        assert named["choice confidence"][:1] == ([] if of_choice is None else [of_choice])
    assert named["score confidence"][:1] == ([] if of_score is None else [of_score])
    assert named["score"][0] == "expectation of the level"
    assert {row.decimals for row in found.sums} == {2}
    assert all(row.explained == row.answers for row in found.sums)
    assert found.argmax.agree + found.argmax.ties == found.argmax.answers


def test_semantics_finds_what_answers_depend_on(catalogue: Catalogue) -> None:
    given = {"first_option": 0.05, "company": 0.03, "key_order": -0.04, "negation_gap": 0.06}
    server = Direct(known(catalogue, given, noise=0.005))
    found, _ = server.measure(measure_semantics, SemanticsOptions(), cases(catalogue, 12))
    rows = {f"{row.change} {row.question}": row for row in found.movements}
    expected = {
        "option_order salary_band": 0.05,
        "company advance": 0.03,
        "company culture_concern": -0.03,
        "key_order advance": -0.04,
        "negation advance": 0.06,
    }
    for place, size in expected.items():
        row = rows[place]
        assert row.interval is not None
        assert row.interval[0] <= size <= row.interval[1], place
        assert row.moves
    assert all(row.moves is not None for row in rows.values())


def test_semantics_finds_answers_that_contradict_themselves(catalogue: Catalogue) -> None:
    given = {"mass": 0.9, "score": "mode", "choice": "second"}
    server = Direct(known(catalogue, given, noise=0.0, decimals=4))
    found, _ = server.measure(measure_semantics, SemanticsOptions(cases=6), cases(catalogue, 6))
    assert all(row.highest == pytest.approx(0.9, abs=2e-4) for row in found.sums)
    assert all(row.explained == 0 for row in found.sums)
    assert found.argmax.agree == 0
    named = {search.of: search.named for search in found.formulas}
    assert named["score"][0] == "most probable level"


def test_concurrency_sees_a_limit_on_what_is_in_flight(engine: Engine, catalogue: Catalogue) -> None:
    limit = FaultPlan.model_validate(
        {
            "faults": [
                {
                    "when": {"face": "systemone", "above": {"concurrent": 8}},
                    "reply": {"status": 429, "headers": {"Retry-After": "1"}},
                }
            ]
        }
    )
    options = BenchOptions(parts=("concurrency",), concurrency=ConcurrencyOptions(bursts=(1, 5, 20), pause=0))
    report = benched(engine, Server(catalogue, {}, faults=limit, latency_ms=400), options)
    assert report.concurrency is not None
    one, five, twenty = report.concurrency
    assert (one.succeeded, five.succeeded, one.rate_limited, five.rate_limited) == (1, 5, 0, 0)
    assert twenty.succeeded >= 8
    assert twenty.rate_limited == 20 - twenty.succeeded > 0
    assert (twenty.retry_after, twenty.retry_hints) == ((1.0, 1.0), twenty.rate_limited)
    assert twenty.overloaded == 0
    assert five.wall_ms is not None
    assert five.wall_ms >= 400


def test_latency_is_that_of_the_server_and_counts_failures(engine: Engine, catalogue: Catalogue) -> None:
    faults = FaultPlan.model_validate(
        {"faults": [{"when": {"face": "systemone", "every": 5}, "reply": {"status": 500}}]}
    )
    options = BenchOptions(parts=("latency",), latency=LatencyOptions(repeats=5, words=(12, 2_000)))
    report = benched(engine, Server(catalogue, {}, faults=faults, latency_ms=30), options)
    assert report.latency is not None
    small, large = report.latency
    assert (small.size, large.size) == ("about 15 tokens", "2,000 words")
    assert (large.tokens or 0) > 2_000 > (small.tokens or 0)
    assert small.succeeded + large.succeeded == 8
    assert sum([*small.failures.values(), *large.failures.values()]) == 2
    assert small.failures.keys() | large.failures.keys() == {"http_500"}
    for row in report.latency:
        assert row.quantiles[0].value >= 30
        assert row.quantiles[2].is_maximum
        assert row.quantiles[2].high is None
    assert any("p99" in note and "longest" in note for note in report.notes)
