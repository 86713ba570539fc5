"""Every number of the worked examples in docs/method.md comes out of the project's own functions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from jevbias.analysis.paired import estimate
from jevbias.analysis.validity import judge_response
from jevbias.analysis.verdicts import Declared, Evidence, judge
from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.answers import read_answers
from jevbias.stats.effective import effective_n
from jevbias.stats.means import mean_of
from jevbias.stats.multiplicity import benjamini_hochberg, holm
from jevbias.stats.noise_null import Draws, NoiseNulls
from jevbias.stats.pools import pool_cells
from jevbias.stats.power import bases_needed, smallest_noise_effect, smallest_people_effect
from jevbias.stats.sign_flips import flip_patterns, sign_flip_tests, smallest_p
from jevbias.stats.student import t_quantile, two_sided_p
from jevbias.stats.two_way import two_way_layout

METHOD = (Path(__file__).parents[2] / "docs" / "method.md").read_text(encoding="utf-8")
TEXT = " ".join(METHOD.split())

REPEATS = np.array([[0.61, 0.63, 0.60, 0.64], [0.42, 0.40, 0.41, 0.45], [0.77, 0.74, 0.78, 0.75]])
DIFFERENCES = np.array(
    [
        [-0.07, -0.04, -0.05, -0.06],
        [-0.05, -0.03, -0.06, -0.04],
        [-0.08, -0.05, -0.03, -0.06],
        [-0.04, -0.02, -0.05, -0.03],
        [-0.06, -0.05, -0.07, -0.04],
        [-0.05, -0.03, -0.04, -0.02],
    ]
)
ROWS = 120
ANCHOR_ASKS = 10


def says(*sentences: str) -> None:
    missing = [sentence for sentence in sentences if sentence not in TEXT]
    assert not missing, f"docs/method.md lacks: {missing}"


def table(heading: str) -> list[list[float]]:
    """The numbers of the first table below a line that holds the heading."""
    lines = METHOD[METHOD.index(heading) :].splitlines()
    rows = [line for line in lines if line.startswith("|")]
    found: list[list[float]] = []
    for row in rows[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
        if not all(re.fullmatch(r"[-+.\d]+", cell) for cell in cells):
            break
        found.append([float(cell) for cell in cells])
        if lines[lines.index(row) + 1 : lines.index(row) + 2] == [""]:
            break
    return found


def test_an_answer_becomes_a_favourability(catalogue: Catalogue) -> None:
    question = catalogue.scenarios["tenancy"].questions["deposit"]
    shares = {"no_deposit": 0.1, "half_month": 0.2, "one_month": 0.4, "three_months": 0.3}
    read = read_answers({"deposit": question}, {"deposit": {"probabilities": shares}})
    (answer,) = read.usable
    says(f"{answer.value:.3f}, and its favourability {answer.favourability:.3f}")


def test_the_noise_of_repeats() -> None:
    pool = pool_cells(REPEATS.ravel(), np.repeat(np.arange(3), 4))
    assert table("Three cells") == REPEATS.tolist()
    first = np.sort(pool.deviations[:4])
    says(
        f"{first[0]:.4f} to {first[-1]:+.4f}",
        f"a pooled SD of {pool.sd:.4f} with {pool.degrees_of_freedom} degrees of freedom",
    )


def test_validity_catches_a_question_that_is_signed_the_wrong_way_round() -> None:
    raw = {"weak": 0.73, "mid": 0.46, "strong": 0.34}
    wrong = judge_response(raw, 0.01)
    right = judge_response({variant: 1 - value for variant, value in raw.items()}, 0.01)
    assert wrong.span is not None
    assert right.span is not None
    says(
        f"a span of {wrong.span:+.2f} and the flag `{wrong.flag}`", f"{right.span:+.2f} and is `{right.flag}`"
    )
    deposit = {"weak": 0.45, "mid": 0.07, "strong": 0.75}
    signed = judge_response({variant: 1 - value for variant, value in deposit.items()}, 0.01)
    other = judge_response(deposit, 0.01)
    assert (signed.flag, other.flag, other.non_monotone) == ("inverted", "ok", True)


def test_the_paired_difference() -> None:
    assert table("Six bases") == DIFFERENCES.tolist()
    found = estimate(DIFFERENCES[None])
    says(
        f"`delta` is {found.delta[0]:.4f}",
        f"over {found.pairs[0]} pairs with an SD of {found.sd[0]:.4f}",
        f"so Cohen's d is {found.cohens_d[0]:.2f}",
        f"`effective_n` is {found.effective_n[0]:.0f}, not {found.pairs[0]}",
        f"thirty clones of one base are worth {effective_n(np.array([30.0]))[()]:.0f}",
    )


def test_claim_a() -> None:
    pool = pool_cells(REPEATS.ravel(), np.repeat(np.arange(3), 4))
    pairs = DIFFERENCES.size
    null = NoiseNulls().null(
        [Draws(pool, 1 / pairs, pairs), Draws(pool, -1 / (pairs * ANCHOR_ASKS), pairs * ANCHOR_ASKS)]
    )
    assert null is not None
    degrees = pool.degrees_of_freedom
    half = max(null.absolute_quantile(0.95), t_quantile(0.975, degrees) * null.sd)
    small = np.array([0.008])
    exact, by_t = null.two_sided_p(small)[0], two_sided_p(small / null.sd, degrees)[0]
    delta = DIFFERENCES.mean()
    says(
        f"its SD is {null.sd:.4f}",
        f"`ci_noise` is {delta - half:.4f} to {delta + half:.4f}",
        f"a difference of 0.008 would have an exact p of {exact:.3f} and a t of {by_t:.3f}; the larger one",
        f"from {float(smallest_noise_effect(null.sd, degrees, 0.05)):.4f} on",
    )


def over_bases(confidence: float = 0.95) -> tuple[float, float]:
    mean = mean_of(DIFFERENCES.mean(axis=1), confidence)
    assert mean is not None
    assert mean.interval is not None
    return mean.interval


def test_claim_b() -> None:
    bases = DIFFERENCES.mean(axis=1)
    p = sign_flip_tests(bases[None], flip_patterns(6), np.array([True])).p[0]
    assert p == smallest_p(6)
    alone = benjamini_hochberg(np.array([p] + [1.0] * (ROWS - 1)))[0]
    enough = next(b for b in range(3, 40) if ROWS * smallest_p(b) < 0.05)
    assert bases_needed(0.05 / ROWS) == enough
    same = benjamini_hochberg(np.array([p] * 80 + [1.0] * (ROWS - 80)))[0]
    people = float(smallest_people_effect(0.02, 16, 0.05))
    says(
        f"2 / 2^6 = {p:.4f}",
        f"q of {alone:.0f}",
        f"from {enough} bases on",
        f"80 of them at that floor would have {same:.3f}",
        f"`ci_people` is {over_bases()[0]:.4f} to {over_bases()[1]:.4f}",
        f"sixteen bases that vary by 0.02 show {people:.4f}",
    )


def test_claim_c() -> None:
    layout = two_way_layout(DIFFERENCES[None])
    half = layout.half_width(0.99)[0]
    delta = DIFFERENCES.mean()
    says(
        f"99% interval from {delta - half:.4f} to {delta + half:.4f}",
        f"p of {layout.p_zero[0]:.4f}",
    )
    one = two_way_layout(DIFFERENCES[None, :, :1]).half_width(0.99)
    assert np.isnan(one[0])


@pytest.mark.parametrize(
    ("q_people", "margin", "pooled", "sentence"),
    [
        (1.0, 0.02, True, "with a `q_people` of 1 it is `{}`"),
        (0.01, 0.02, True, "with a `q_people` of 0.01 it is `{}`"),
        (0.01, 0.08, True, "with a margin of 0.08 declared beforehand it is `{}`"),
    ],
)
def test_the_verdict(q_people: float, margin: float, pooled: bool, sentence: str) -> None:
    half = two_way_layout(DIFFERENCES[None]).half_width(0.99)[0]
    delta = float(DIFFERENCES.mean())
    evidence = Evidence(
        visible=True,
        withheld=False,
        pooled=pooled,
        delta=delta,
        q=0.0001,
        q_people=q_people,
        q_general=0.01,
        ci_people=over_bases(),
        ci_people_90=over_bases(0.9),
        ci_general_99=(delta - half, delta + half),
    )
    verdict = judge(evidence, Declared(alpha=0.05, margin=margin, exact=False))
    says(sentence.format(verdict.name))


def test_many_comparisons() -> None:
    p = np.array([0.001, 0.012, 0.03, 0.2, 0.6])
    says(
        "q of " + ", ".join(f"{q:.3f}" for q in benjamini_hochberg(p)),
        "Holm's adjusted p would be " + ", ".join(f"{q:.3f}" for q in holm(p)),
    )
