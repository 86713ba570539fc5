"""What compared runs may conclude, and what is said of a comparison as a whole."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from jevbias.analysis.compare import compare_runs
from jevbias.analysis.compare_rows import outcome
from jevbias.analysis.compare_sources import Source
from jevbias.analysis.compared_pairs import Taken
from jevbias.errors import UsageError
from tests.analysis.compared_sources import DESIGN, fair, pair_of, source, unfair
from tests.analysis.runs import (
    MERIT,
    Design,
    Someone,
    make_probes,
    unanswered,
)


def test_equal_models_differ_no_more_often_than_alpha_allows() -> None:
    """Two runs of one model whose swaps have true effects that vary from base to base."""
    design = Design(
        bases=8,
        swapped={"faith": 60},
        scenarios={"hiring": 1, "triage": 1, "lending": 1},
        conditions=("full",),
        anchor_replicates=4,
        replicates=2,
    )
    effects = np.random.default_rng(5).normal(0, 0.03, size=(8, 60))

    def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        moved = (
            0.0 if person.is_anchor else effects[person.base or 0, int((person.swapped_level or "l0")[1:])]
        )
        return float(MERIT[variant] + moved)

    first, second = (
        source(f"run{seed}", make_probes(design, expect, noise=0.02, seed=seed), design=design)
        for seed in (1, 2)
    )
    pooled = [row for row in pair_of(first, second).rows if row.question is None]
    assert len(pooled) == 60
    assert sum((row.p or 0) < 0.05 for row in pooled) <= 8
    assert not any(row.outcome in ("differs", "differs here") for row in pooled)


GONE = Taken(None, 0, None, None, None, None, None)
WIDE = (0.01, 0.09)


@pytest.mark.parametrize(
    ("taken", "pooled", "expected"),
    [
        (GONE, True, "not compared"),
        (Taken(0.05, 8, WIDE, WIDE, 0.01, 0.01, 0.01, WIDE, WIDE), True, "differs"),
        (Taken(0.05, 8, WIDE, WIDE, 0.01, 0.01, 0.01, WIDE, (-0.01, 0.1)), True, "differs here"),
        (Taken(0.05, 8, WIDE, WIDE, 0.01, 0.01, 0.01, None, None), True, "differs here"),
        (Taken(0.05, 8, WIDE, WIDE, 0.01, 0.01, 0.01, None, None), False, "differs"),
        (Taken(0.01, 8, (0.005, 0.015), (0.006, 0.014), 0.01, 0.01, 0.01), False, "differs little"),
        (
            Taken(0.01, 8, (0.005, 0.015), (0.006, 0.014), 0.01, 0.01, 0.01, WIDE, WIDE),
            True,
            "differs little",
        ),
        (Taken(0.01, 2, None, None, 0.01, 0.01, 0.01), False, "differs here"),
        (Taken(0.0, 8, (-0.01, 0.01), (-0.008, 0.008), 0.9, 0.01, 0.9), True, "alike"),
        (Taken(0.0, 8, (-0.03, 0.03), (-0.02, 0.02), 0.9, 0.01, 0.9), True, "unclear"),
        (Taken(0.05, 2, None, None, 0.5, 0.5, 1.0), True, "unclear"),
    ],
)
def test_the_outcome_is_the_first_that_applies(taken: Taken, pooled: bool, expected: str) -> None:
    assert outcome(taken, visible=True, pooled=pooled, margin=0.02, alpha=0.05) == expected
    assert outcome(taken, visible=False, pooled=pooled, margin=0.02, alpha=0.05) == "control"


def test_the_stricter_margin_and_level_are_used_and_said() -> None:
    strict = source("strict", make_probes(DESIGN, seed=2), margin=0.01, alpha=0.1)
    pair = pair_of(fair(), strict)
    assert (pair.margin, pair.alpha) == (0.01, 0.05)
    assert any("stricter" in note for note in pair.notes)


def test_more_than_two_runs_are_each_put_beside_the_first() -> None:
    third = source("third", make_probes(DESIGN, seed=5))
    compared = compare_runs([fair(), unfair(), third])
    assert [(pair.first, pair.second) for pair in compared.pairs] == [("fair", "unfair"), ("fair", "third")]
    assert [run.label for run in compared.runs] == ["fair", "unfair", "third"]


def test_an_unfinished_run_is_named() -> None:
    probes = make_probes(DESIGN, seed=2)
    half = [unanswered(probe, "pending", None) if probe.person > 20 else probe for probe in probes]
    (note,) = pair_of(fair(), source("half", half)).notes
    assert note.startswith("half is unfinished: ")


@pytest.mark.parametrize("others", [[], ["unfair", "unfair"], ["silent"], ["strangers"]])
def test_what_cannot_be_compared_is_refused_in_one_line(others: list[str]) -> None:
    strangers = Design(bases=2, swapped={"height": 2}, conditions=("full",))
    silent = [unanswered(probe) for probe in make_probes(DESIGN)]
    made: dict[str, Callable[[], Source]] = {
        "unfair": unfair,
        "silent": lambda: source("silent", silent),
        "strangers": lambda: source("strangers", make_probes(strangers), design=strangers, plan_hash="s"),
    }
    with pytest.raises(UsageError) as refused:
        compare_runs([fair(), *(made[name]() for name in others)])
    assert "\n" not in str(refused.value)
