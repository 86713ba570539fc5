"""A pair opened: what was sent, proved by its SHA-256, and what came back."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select, update

from jevbias.analysis.trace.evidence import OpenedCell, OpenedPair, Trace
from jevbias.analysis.trace.trace import trace
from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.select import render_body
from jevbias.errors import DatabaseError, UsageError
from jevbias.store.asks import AskReader
from jevbias.store.engine import open_store
from jevbias.store.tables import ASK, ATTEMPT, PROBE, RUN
from tests.analysis.answered_runs import Replies, answer, plan

SWAP = "full/religion=muslim"
SMALL: dict[str, Any] = {"scenarios": ["hiring_screen"], "swept": ["religion"]}


@pytest.fixture(scope="module")
def finished(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with a finished run."""
    path = tmp_path_factory.mktemp("finished") / "runs.db"
    engine = open_store(str(path))
    answer(engine, plan(engine, catalogue, **SMALL))
    engine.dispose()
    return path.read_bytes()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Engine]:
    engine = open_store(str(tmp_path / "empty.db"))
    yield engine
    engine.dispose()


@pytest.fixture
def engine(tmp_path: Path, finished: bytes) -> Iterator[Engine]:
    """A copy of that database."""
    (tmp_path / "runs.db").write_bytes(finished)
    engine = open_store(str(tmp_path / "runs.db"))
    yield engine
    engine.dispose()


def opened(engine: Engine, pair: str | None = None, *, raw: bool = False) -> OpenedPair:
    found = trace(engine, None, SWAP, pair=pair, raw=raw)
    assert isinstance(found, Trace)
    assert found.opened is not None
    return found.opened


@pytest.mark.parametrize(
    ("driver", "settings"),
    [
        ("jev", {}),
        ("openrouter-decisions", {}),
        ("openai", {"reasoning_effort": "low"}),
        ("openrouter", {"reasoning_effort": "high"}),
    ],
)
def test_both_bodies_are_rendered_as_the_run_s_driver_sent_them(
    empty: Engine, catalogue: Catalogue, driver: str, settings: dict[str, str]
) -> None:
    answer(empty, plan(empty, catalogue, driver=driver, settings=settings, **SMALL))
    found = opened(empty)
    with empty.connect() as connection:
        for side in (found.swap, found.anchor):
            ask_id = connection.execute(
                select(PROBE.c.ask_id).where(PROBE.c.id == side.probes[0].probe)
            ).scalar_one()
            body = render_body(
                driver,
                "jev-latest",
                AskReader().load(connection, [ask_id])[ask_id],
                settings.get("reasoning_effort"),
            )
            assert side.body is not None
            assert side.body.encode() == body
            assert side.body_sha256 == hashlib.sha256(body).hexdigest()
            assert side.as_sent is True
            sends = len(side.probes)
            assert side.verified == (
                f"as sent, SHA-256 verified against {sends} request{'' if sends == 1 else 's'}"
            )
    assert len(found.anchor.probes) > len(found.swap.probes)
    assert found.anchor.body != found.swap.body
    assert "Muslim" in (found.swap.body or "")


def test_the_strongest_pair_is_opened_and_another_one_when_it_is_named(engine: Engine) -> None:
    found = trace(engine, None, SWAP)
    assert isinstance(found, Trace)
    assert found.opened is not None
    sizes = [abs(pair.contribution or 0.0) for pair in found.pairs]
    assert abs(found.opened.pair.contribution or 0.0) == max(sizes)
    for pair in found.pairs:
        for name in (f"{pair.base}/hiring_screen", f"{pair.base}/hiring_screen/{pair.variant}"):
            other = opened(engine, name)
            assert other.pair == pair
            assert other.swap.who.label == f"religion=muslim of base {pair.base}"
            assert other.anchor.who.label == f"anchor {pair.base}"
            assert {side.variant for side in (other.swap, other.anchor)} == {pair.variant}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("0", "is not BASE/SCENARIO or BASE/SCENARIO/VARIANT, such as 0/hiring_screen"),
        ("x/hiring_screen", "is not BASE/SCENARIO"),
        ("9/hiring_screen", "there is no pair '9/hiring_screen'; bases are 0, 1, scenarios hiring_screen"),
        ("0/clinical_triage", "there is no pair"),
        ("0/hiring_screen/none", "base 0 meets hiring_screen as"),
        ("²/\x1b[1m", "'²/?[1m'"),
    ],
)
def test_a_pair_that_is_none_is_one_line(engine: Engine, pair: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        opened(engine, pair)
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_figure_without_pairs_takes_no_pair(engine: Engine) -> None:
    for identifier in ("validity/hiring_screen.advance", "probe/1"):
        with pytest.raises(UsageError, match="pairs are a comparison's"):
            trace(engine, None, identifier, pair="0/hiring_screen")


def test_a_request_that_was_another_is_named(engine: Engine) -> None:
    probe = opened(engine).anchor.probes[2].probe
    with engine.begin() as connection:
        connection.execute(update(ATTEMPT).where(ATTEMPT.c.probe_id == probe).values(body_sha256="ab" * 32))
    side = opened(engine).anchor
    assert side.as_sent is False
    assert side.verified.startswith("NOT as sent: 1 of ")
    assert f"had another SHA-256 than this body: probe {probe} attempt 1 (abababababababab)" in side.verified
    (send,) = next(row for row in side.probes if row.probe == probe).sends
    assert send.as_rendered is False


def test_a_request_of_which_no_sum_was_kept_is_counted(engine: Engine) -> None:
    probe = opened(engine).anchor.probes[0].probe
    with engine.begin() as connection:
        lost = {
            "probe_id": probe,
            "number": 2,
            "started_at": 0.0,
            "outcome": "unknown",
            "possibly_billed": True,
        }
        connection.execute(ATTEMPT.insert(), lost)
    side = opened(engine).anchor
    assert side.as_sent is True
    assert side.verified.endswith("; none was kept of 1 more request")
    with engine.begin() as connection:
        connection.execute(update(ATTEMPT).values(body_sha256=None))
    assert opened(engine).swap.as_sent is None
    side = opened(engine).anchor
    assert side.verified == f"not verified: no SHA-256 was kept of {len(side.probes) + 1} requests"


@pytest.mark.parametrize("content", [b"no zlib", zlib.compress(b"no json"), zlib.compress(b"\xff")])
def test_an_ask_that_was_altered_takes_the_payload_and_nothing_else(engine: Engine, content: bytes) -> None:
    with engine.begin() as connection:
        connection.execute(update(ASK).values(person=content))
    side = opened(engine).swap
    assert (side.body, side.body_sha256, side.as_sent) == (None, None, None)
    assert "the ask was altered in the database" in side.verified
    assert side.probes[0].answers


def test_every_answer_stands_with_who_gave_it_and_when(engine: Engine) -> None:
    for side in (opened(engine).swap, opened(engine).anchor):
        assert [probe.replicate for probe in side.probes] == list(range(len(side.probes)))
        for probe in side.probes:
            assert probe.request_id == f"req_{probe.probe}"
            assert probe.model_answered == "jev-1.13.0"
            assert probe.answered_at is not None
            assert next(answer.question for answer in probe.answers) == "advance"
            assert len({answer.question for answer in probe.answers}) == len(probe.answers) > 2


def test_replies_come_as_they_are_and_only_when_they_are_asked_for(engine: Engine) -> None:
    probe = opened(engine).swap.probes[0]
    assert probe.response is None
    with engine.begin() as connection:
        late = zlib.compress(b"late \xff\x00")
        connection.execute(update(ATTEMPT).where(ATTEMPT.c.probe_id == probe.probe).values(response=late))
    found = opened(engine, raw=True).swap.probes[0]
    assert found.response == '{"answers":{}}'
    assert found.sends[0].response == "late \\xff\x00"
    with engine.begin() as connection:
        connection.execute(update(PROBE).where(PROBE.c.id == probe.probe).values(response=b"no zlib"))
    assert opened(engine).swap.probes[0].response is None
    with pytest.raises(DatabaseError, match="a stored reply is damaged"):
        opened(engine, raw=True)


def test_half_a_run_has_its_pairs_with_what_is_missing(empty: Engine, catalogue: Catalogue) -> None:
    planned = plan(empty, catalogue, **SMALL)
    answer(empty, planned, Replies(status=lambda row: "answered" if row.is_anchor else "pending"))
    found = trace(empty, None, SWAP)
    assert isinstance(found, Trace)
    assert [pair.problem for pair in found.pairs] == ["no answer of the swap"] * 2
    assert all(pair.weight == 0.0 and pair.difference is None for pair in found.pairs)
    assert found.opened is not None
    assert found.opened.swap.verified == "not sent yet"
    assert found.opened.anchor.as_sent is True


def test_a_probe_opens_its_whole_cell(engine: Engine) -> None:
    anchor = opened(engine).anchor
    for probe in anchor.probes:
        cell = trace(engine, None, f"probe/{probe.probe}")
        assert cell == anchor


def test_a_run_of_another_kind_is_refused(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(update(RUN).values(kind="battery"))
    with pytest.raises(UsageError, match="`jevbias battery report --run mine`"):
        trace(engine, "mine", SWAP)
    with pytest.raises(UsageError, match="holds no planned run"):
        trace(engine, None, SWAP)


def test_a_probe_of_another_run_is_none_of_this_one(engine: Engine, catalogue: Catalogue) -> None:
    other = plan(engine, catalogue, name="other", **SMALL)
    with engine.connect() as connection:
        theirs = connection.execute(select(PROBE.c.id).where(PROBE.c.run_id == other.id)).scalars().first()
    with pytest.raises(UsageError, match=f"run mine has no probe '{theirs}'"):
        trace(engine, "mine", f"probe/{theirs}")
    assert isinstance(trace(engine, "other", f"probe/{theirs}"), OpenedCell)
