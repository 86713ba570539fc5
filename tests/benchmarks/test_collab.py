"""The paired tests of `collab` held against benches whose truth is known, in a size that tests afford."""

from benchmarks.collab import ALPHA, ARMS, LEVELS, NULLS, PLANTED, any_rejection, check, drawn, holm_power
from numpy.random import default_rng


def test_no_null_has_more_than_five_percent_and_planted_differences_have_their_power() -> None:
    lines = list(check(60, 3))
    assert [line for line, passed in lines if not passed] == []
    assert len(lines) >= len(NULLS) + len(PLANTED)


def test_the_exact_chance_of_a_false_rejection_is_at_most_alpha_whatever_the_null() -> None:
    assert max(map(any_rejection, NULLS)) <= ALPHA


def test_a_level_alone_has_at_least_the_power_it_has_after_the_correction() -> None:
    for case in PLANTED:
        for level, truth in enumerate(case.truths):
            assert holm_power(case, level) <= truth.p_below(case.episodes, ALPHA) + 1e-12


def test_a_bench_has_a_row_for_every_level() -> None:
    rows = drawn(PLANTED[0], default_rng(1))
    assert [(row.first, row.second, row.level) for row in rows] == [(*ARMS, level) for level in LEVELS]
