"""What the test bench reads out of replies: formulas told apart, odd answers left out, chat models too."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drain.recorded_calls import RecordedReply
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import NOTHING_SAID
from jevbias.drivers.system_one import render_system_one
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.mock.serve import running_mock
from jevbias.store.runs import find_run
from jevbias.testbench.bench import Told
from jevbias.testbench.cases import COUNTERFACT, FACT, PLACES, Planted, ambiguous_ask, filler, sized_ask
from jevbias.testbench.confidence import SCORE_CONFIDENCE, Formula, Sample, decimals_of, search_formula
from jevbias.testbench.observed import observe
from jevbias.testbench.options import BenchOptions, DeterminismOptions, SemanticsOptions
from jevbias.testbench.run import create_testbench_run, report_testbench, run_testbench
from jevbias.testbench.semantics_asks import pack_asks, scenario_asks, semantics_case, unpack_asks

CASES = [p / p.sum() for p in np.random.default_rng(5).dirichlet(np.ones(4), 40)]


@pytest.mark.parametrize("decimals", [2, 4, None])
@pytest.mark.parametrize("name", list(SCORE_CONFIDENCE))
def test_every_formula_is_named_first_where_the_answers_are_made_by_it(
    name: str, decimals: int | None
) -> None:
    formula: Formula = SCORE_CONFIDENCE[name]

    def rounded(number: float) -> float:
        return number if decimals is None else round(number, decimals)

    samples = [Sample(rounded(formula(p)), tuple(map(rounded, p.tolist()))) for p in CASES]
    found = search_formula("score confidence", samples, SCORE_CONFIDENCE)
    assert found is not None
    assert found.named[0] == name
    assert len(found.named) == 1, "40 answers of all shapes tell the candidates apart"


def test_no_formula_is_named_where_one_answer_cannot_be_explained() -> None:
    samples = [Sample(round(float(p.max()), 4), tuple(p.round(4).tolist())) for p in CASES]
    samples[7] = Sample(samples[7].value + 0.01, samples[7].probabilities)
    found = search_formula("choice confidence", samples, SCORE_CONFIDENCE)
    assert found is not None
    assert (found.named, found.candidates[0].formula) == ([], "highest probability")
    assert search_formula("choice confidence", [], SCORE_CONFIDENCE) is None


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=30), st.integers(0, 6))
def test_decimals_are_told_from_numbers_however_they_were_written(counts: list[int], places: int) -> None:
    values = [round(count / 10**places, places) for count in counts]
    single = [float(np.float32(value)) for value in values if value <= 1]
    found = decimals_of(values)
    assert found is not None
    assert found <= places
    assert decimals_of(single) in (None, *range(places + 1)) if single else True


@given(st.integers(60, 3_000))
def test_a_state_of_so_many_words_has_so_many_with_a_fact_and_without(words: int) -> None:
    assert len(filler(words).split()) == words
    assert len(FACT) == len(COUNTERFACT)
    for place in PLACES:
        with_it, without = (
            str(sized_ask(words, Planted(place, is_true)).frame.case["notes"]) for is_true in (True, False)
        )
        assert len(with_it.split()) == len(without.split()) == words
        assert with_it.replace(FACT, COUNTERFACT) == without
        assert with_it.startswith(FACT) == (place == "start")
        assert with_it.endswith(FACT) == (place == "end")


def told(body: object) -> Told:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    reply = RecordedReply("k", Reply(200, raw, 1.0), NOTHING_SAID, 0.0, replayed=False)
    return Told(ambiguous_ask(), reply, Reading("answered"), 10)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        [],
        {"answers": []},
        {"answers": {"release": 3, "route": {"probabilities": 1, "confidence": True}}},
        {"answers": {"release": {"noul": "NaN"}, "route": {"probabilities": {"van": 1}}}},
        b'{"answers": {"condition": {"probabilities": {"0": 1e999}, "confidence": null}}}',
    ],
)
def test_what_is_no_number_is_left_out(body: object) -> None:
    seen = observe(told(body))
    assert (seen.figures, seen.distributions) == ({}, [])


def test_every_number_of_an_answer_is_seen_under_its_name() -> None:
    answers = {
        "release": {"noul": 0.25},
        "route": {
            "choice": "van",
            "probabilities": {"van": 0.5, "collect": 0.25, "courier": 0.25},
            "confidence": 0.1,
        },
        "condition": {"probabilities": {"0": 0, "1": 1, "2": 0, "3": 0}, "score": 1, "more": 3},
    }
    seen = observe(told({"answers": answers}))
    assert seen.figures["release"] == 0.25
    assert seen.figures["route.collect"] == 0.25
    assert seen.figures["route.confidence"] == 0.1
    assert "condition.confidence" not in seen.figures
    assert seen.choices == {"route": "van"}
    assert [found.probabilities for found in seen.distributions] == [(0.25, 0.25, 0.5), (0, 1, 0, 0)]


def test_cases_come_back_from_the_store_as_they_were(catalogue: Catalogue) -> None:
    asks = scenario_asks(catalogue, "hiring_screen", 7, 3)
    assert [ask.frame.variant for ask in asks] == ["weak", "mid", "strong"] * 2 + ["weak"]
    assert len({json.dumps(dict(ask.person)) for ask in asks}) == 3
    again = unpack_asks(json.loads(json.dumps(pack_asks(asks))))
    assert [ask.state for ask in again] == [ask.state for ask in asks]
    changed = semantics_case(0, again[0]).changed
    turned, plain = (json.loads(render_system_one("m", ask)) for ask in (changed["keys"], asks[0]))
    assert turned == plain
    for content, other in (
        (turned["state"], plain["state"]),
        *zip(turned["state"].values(), reversed(plain["state"].values()), strict=True),
    ):
        assert list(content) == list(reversed(other))
    in_a_chat = semantics_case(0, asks[0], person_first=False).changed["keys"]
    assert (in_a_chat.state, list(in_a_chat.state)) == (asks[0].state, list(asks[0].state))
    assert list(in_a_chat.person) == list(reversed(list(asks[0].person)))
    assert list(changed["options"].frame.questions["salary_band"].criteria) == [
        "pay_40000", "pay_36000", "pay_32000", "pay_28000"
    ]  # fmt: skip


def test_a_chat_model_is_put_on_the_bench_as_far_as_it_makes_sense(
    engine: Engine, catalogue: Catalogue
) -> None:
    options = BenchOptions(
        parts=("determinism", "semantics"),
        determinism=DeterminismOptions(repeats=8, minutes=0),
        semantics=SemanticsOptions(cases=3),
    )
    run = create_testbench_run(
        engine,
        options,
        scenario_asks(catalogue, "hiring_screen", 3, 1),
        name="chat",
        driver="openai",
        model="some-chat",
        base_url="http://mock",
        seed=1,
        settings={},
    )

    async def running(base_url: str) -> None:
        driver = ChatDriver(
            "openai", "some-chat", HttpTransport(base_url, key=None, timeout=20, connections=10)
        )
        try:
            await run_testbench(engine, run, driver)
        finally:
            await driver.aclose()

    with running_mock(KnownModel(catalogue, KnownProperties(key_order=0.0), noise=0.01)) as mock:
        asyncio.run(running(mock.openai_url))
    report = report_testbench(engine, find_run(engine, "chat"))
    assert report.determinism is not None
    assert {row.figure for row in report.determinism.figures} == {"release", "route", "condition"}
    assert report.determinism.answers == 8
    assert report.semantics is not None
    assert (report.semantics.sums, report.semantics.argmax, report.semantics.formulas) == ([], None, [])
    assert {row.change for row in report.semantics.movements} == {"company", "key_order", "negation"}
    assert any("returns no probabilities of options" in note for note in report.notes)
