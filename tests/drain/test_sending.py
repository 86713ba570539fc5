"""How a reply becomes what is stored."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drain.sending import Outcome, attempted, completed, parked
from jevbias.drain.streak import Streak, cause_of
from jevbias.drivers.base import Answer, Reading, Reply, Verdict
from jevbias.store.outcomes import Lease, StoredAnswer

LEASE = Lease(1, 1)


def outcome(verdict: Verdict = "failed", code: int | None = 400, **reading: object) -> Outcome:
    return Outcome(Reply(code, b"body", 7.5), Reading(verdict, **reading), 1000.0, "ab" * 32)  # type: ignore[arg-type]


def test_answers_pass_through_unchanged() -> None:
    answer = Answer("advance", "noul", 0.123456789, 0.876543211, 0.5, ("renormalised", "repaired"))
    probe = completed(LEASE, outcome("answered", 200, answers=(answer,), model_answered="jev-1.13.0"))
    assert probe.status == "answered"
    assert probe.answers == (
        StoredAnswer("advance", "noul", 0.123456789, 0.876543211, 0.5, ("renormalised", "repaired")),
    )
    assert (probe.error_kind, probe.error, probe.model_answered) == (None, None, "jev-1.13.0")
    assert probe.response == b"body"
    assert probe.sent.outcome == "answered"


@pytest.mark.parametrize("verdict", ["retry", "stop", "failed"])
def test_what_was_not_answered_in_the_end_has_failed_for_its_reason(verdict: Verdict) -> None:
    probe = completed(LEASE, outcome(verdict, error_kind="http_500", error="down"))
    assert (probe.status, probe.error_kind, probe.error) == ("failed", "http_500", "down")
    assert probe.sent.outcome == "http_500"


@given(text=st.text(max_size=2_000) | st.text("\x00\n\r\x1b\u2028\ud83d a", min_size=1))
@settings(derandomize=True, deadline=None, max_examples=75)
def test_a_servers_text_is_stored_as_one_short_line_of_utf_8(text: str) -> None:
    probe = completed(LEASE, outcome(error_kind="odd", error=text, model_answered=text))
    for stored in (probe.error, probe.model_answered):
        if stored is not None:
            assert stored
            assert len(stored) <= 500
            assert "\x00" not in stored
            assert len(stored.splitlines()) == 1
            stored.encode("utf-8")


@pytest.mark.parametrize("tokens", [-1, 2**31, 10**30])
def test_token_counts_that_cannot_be_are_nobodys(tokens: int) -> None:
    assert attempted(outcome(input_tokens=tokens, output_tokens=12)).input_tokens is None
    assert attempted(outcome(input_tokens=tokens, output_tokens=12)).output_tokens == 12


def test_a_parked_probe_keeps_its_reason() -> None:
    probe = parked(LEASE, outcome("retry", 429, error_kind="http_429"), not_before=5.0, forgiven=False)
    assert (probe.not_before, probe.error_kind, probe.error) == (5.0, "http_429", "http_429")


def test_a_fault_without_a_message_is_named_by_its_kind() -> None:
    silent = Outcome(Reply(None, b"", 1.0, fault="dns"), Reading("retry", error_kind="dns"), 1.0, "ab")
    assert (silent.error_kind, silent.error) == ("dns", "dns")
    assert silent.never_arrived


@pytest.mark.parametrize(
    ("code", "billed", "never"), [(None, False, True), (None, True, False), (500, False, False)]
)
def test_what_cannot_have_arrived_is_told_from_what_may_have(
    code: int | None, billed: bool, never: bool
) -> None:
    reply = Reply(code, b"", 1.0, possibly_billed=billed)
    assert Outcome(reply, Reading("retry"), 1.0, "ab").never_arrived is never


def test_a_streak_is_broken_by_another_reason_or_a_success() -> None:
    streak = Streak()
    same, other = ("http_422", "no"), ("http_422", "yes")
    assert [streak.add(same, n) for n in range(4)] == [1, 2, 3, 4]
    assert streak.add(other, 9) == 1
    assert [streak.add(same, n) for n in range(4)] == [1, 2, 3, 4]
    streak.end()
    assert [streak.add(same, n) for n in range(5)] == [1, 2, 3, 4, 5]
    assert streak.probes == list(range(5))


def test_permanent_errors_are_compared_with_their_message_and_exhausted_ones_without() -> None:
    assert cause_of(outcome(error_kind="http_422", error="a")) != cause_of(
        outcome(error_kind="http_422", error="b")
    )
    assert cause_of(outcome("retry", 500, error_kind="http_500", error="a")) == cause_of(
        outcome("retry", 500, error_kind="http_500", error="b")
    )
