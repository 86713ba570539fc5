"""A person's mean follows the person: neither the case they met nor an answer they lost moves it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.analysis.dataset import ProbeRecord
from tests.analysis.factorial.crowds import Crowd, Expect, has, means_of
from tests.analysis.runs import Someone, without

CROWD = Crowd(people=30)


def by_question(size: float) -> Expect:
    """Questions at very different heights."""
    return lambda person, scenario, question, condition: size * (int(question[1:]) - 1)


def test_the_case_is_taken_out() -> None:
    means = means_of(CROWD.dataset(CROWD.probes(noise=0.0)))
    assert means.values == pytest.approx(0.0, abs=1e-12)


def test_a_person_s_mean_is_their_distance_from_those_who_met_the_same_case() -> None:
    means = means_of(CROWD.dataset(CROWD.probes(has("faith", "one", 0.12, "full"), noise=0.0)))
    members = CROWD.members()
    column = means.pooled(2)
    for variant in range(3):
        group = [person for person in members if person.idx % 3 == variant]
        share = np.mean([person.levels["faith"] == "one" for person in group])
        for person in group:
            expected = 0.12 * ((person.levels["faith"] == "one") - share)
            assert means.values[person.idx, column] == pytest.approx(expected)
    assert means.values[:, means.pooled(0)] == pytest.approx(0.0, abs=1e-12)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 29), st.sampled_from(["q0", "q1"])), max_size=40))
def test_a_lost_answer_never_moves_a_mean_by_its_level(lost: list[tuple[int, str]]) -> None:
    gone = set(lost)
    probes = [
        without(probe, *(question for person, question in gone if person == probe.person))
        for probe in CROWD.probes(by_question(0.2), noise=0.0)
    ]
    means = means_of(CROWD.dataset(probes))
    assert np.nan_to_num(means.values) == pytest.approx(0.0, abs=1e-12)


def test_pooled_is_the_mean_over_questions_then_over_scenarios() -> None:
    def expect(person: Someone, scenario: str, question: str, condition: str) -> float:
        if scenario == "hiring":
            return 0.01 * (person.idx % 7) * (1 + int(question[1:]))
        return 0.02 * (person.idx % 5)

    means = means_of(CROWD.dataset(CROWD.probes(expect, noise=0.0)))
    names = [(score.condition, score.question) for score in means.scores]
    full = {
        question: means.values[:, names.index((2, question))]
        for condition, question in names
        if condition == 2
    }
    hiring = np.mean([full[f"hiring.q{n}"] for n in range(3)], axis=0)
    triage = np.mean([full[f"triage.q{n}"] for n in range(2)], axis=0)
    assert full[None] == pytest.approx((hiring + triage) / 2)


def test_the_level_of_a_score_weighs_variants_equally() -> None:
    probes = [p for p in CROWD.probes(noise=0.0) if not (p.variant == "strong" and p.person % 2)]
    means = means_of(CROWD.dataset(probes))
    assert means.level == pytest.approx(0.5)


def test_an_answer_that_nobody_else_gave_to_the_same_case_says_nothing() -> None:
    keep = {0, 1, 2, 3}

    def kept(probe: ProbeRecord) -> bool:
        return probe.person in keep or probe.scenario == "triage"

    means = means_of(CROWD.dataset([p for p in CROWD.probes() if kept(p)]))
    hiring = next(c for c, score in enumerate(means.scores) if score.question == "hiring.q0")
    known = np.flatnonzero(~np.isnan(means.values[:, hiring]))
    assert known.tolist() == [0, 3]


def test_repeats_are_averaged_first() -> None:
    probes = CROWD.probes(noise=0.0)
    odd = [p for p in probes if p.person == 0 and p.condition == "full" and p.scenario == "hiring"]
    assert len(odd) == 3
    changed = [
        ProbeRecord(
            p.person, p.scenario, p.variant, p.condition, p.replicate, {"q0": p.favourability["q0"] + 0.3}
        )
        if p is odd[1]
        else p
        for p in probes
    ]
    means = means_of(CROWD.dataset(changed))
    column = next(c for c, s in enumerate(means.scores) if (s.condition, s.question) == (2, "hiring.q0"))
    assert means.values[0, column] == pytest.approx(0.1 * 9 / 10)
