"""What an exploratory run found becomes hypotheses, and the swaps that test them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.plan.build import build_plan
from jevbias.plan.confirm import Finding, Hypothesis, check_seed, choose_hypotheses


def finding(comparison: str, verdict: str | None, delta: float | None, *, visible: bool = True) -> Finding:
    condition, swap, *question = comparison.split("/")
    attribute, level = swap.split("=")
    return Finding(
        comparison, condition, attribute, level, question[0] if question else None, visible, delta, verdict
    )


FINDINGS = [
    finding("full/religion=muslim", "worse", -0.06),
    finding("full/religion=muslim/hiring_screen.advance", "worse", -0.1),
    finding("full/name_culture=west_african", "these cases", -0.05),
    finding("name_only/name_culture=west_african", "better", 0.04),
    finding("full/gender=woman", "small", 0.003),
    finding("full/gender=nonbinary", "no difference", 0.001),
    finding("full/age_band=sixties", "unclear", -0.01),
    finding("full/age_band=forties", "unclear", None),
    finding("full/age_band=fifties", "unclear", 0.0),
    finding("name_only/religion=muslim", "control", -0.02, visible=False),
]


def choose(*named: str, findings: list[Finding] = FINDINGS) -> tuple[Hypothesis, ...]:
    return choose_hypotheses("explore", findings, named, margin=0.03, alpha=0.01).hypotheses


def test_the_visible_pooled_rows_called_worse_better_or_these_cases_become_hypotheses() -> None:
    assert choose() == (
        Hypothesis("full/religion=muslim", "down", 0.03, 0.01),
        Hypothesis("full/name_culture=west_african", "down", 0.03, 0.01),
        Hypothesis("name_only/name_culture=west_african", "up", 0.03, 0.01),
    )


def test_named_comparisons_become_hypotheses_whatever_their_verdict_each_once() -> None:
    chosen = choose("full/age_band=sixties", "full/gender=woman", "full/age_band=sixties")
    assert [(row.comparison, row.direction) for row in chosen] == [
        ("full/age_band=sixties", "down"),
        ("full/gender=woman", "up"),
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "full/religion=moslem",
            ["explore has no comparison 'full/religion=moslem'", "full/religion=muslim"],
        ),
        ("\x1b[31m", ["explore has no comparison '?[31m'"]),
        ("full/religion=muslim/hiring_screen.advance", ["one question", "such as full/religion=muslim"]),
        ("name_only/religion=muslim", ["control"]),
        ("full/age_band=forties", ["no direction", "could not be estimated"]),
        ("full/age_band=fifties", ["no direction", "is 0"]),
    ],
)
def test_a_name_that_cannot_be_a_hypothesis_is_refused_with_the_reason(name: str, said: list[str]) -> None:
    with pytest.raises(UsageError) as refusal:
        choose("full/religion=muslim", name)
    for part in ["--comparison", *said]:
        assert part in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_a_run_that_found_nothing_says_what_to_do() -> None:
    nothing = [replace(row, verdict="unclear") for row in FINDINGS]
    with pytest.raises(UsageError, match=r"nothing to confirm.*--comparison full/religion=muslim") as refusal:
        choose(findings=nothing)
    assert "\n" not in str(refusal.value)
    with pytest.raises(UsageError, match="nothing to confirm"):
        choose(findings=[])


def test_the_confirm_profile_sweeps_exactly_the_levels_of_the_hypotheses(catalogue: Catalogue) -> None:
    chosen = choose_hypotheses("explore", FINDINGS, (), margin=0.02, alpha=0.05)
    profile = chosen.profile(catalogue.profiles["confirm"])
    assert profile.swept == ["religion=muslim", "name_culture=west_african"]
    plan = build_plan(catalogue, "confirm", profile, 7)
    swaps = {(p.swapped_attribute, p.swapped_level) for p in plan.people if not p.is_anchor}
    placebos = {key for key, attribute in catalogue.attributes.items() if attribute.role == "placebo"}
    assert {swap for swap in swaps if swap[0] not in placebos} == {
        ("religion", "muslim"),
        ("name_culture", "west_african"),
    }
    assert len({person.base for person in plan.people}) == 16


def test_a_condition_that_the_confirm_profile_lacks_is_refused(catalogue: Catalogue) -> None:
    chosen = choose_hypotheses("explore", FINDINGS, (), margin=0.02, alpha=0.05)
    full_only = catalogue.profiles["confirm"].model_copy(update={"conditions": ["full"]})
    with pytest.raises(UsageError, match="name_only/name_culture=west_african cannot be confirmed"):
        chosen.profile(full_only)


def test_the_seed_of_the_source_is_refused() -> None:
    assert check_seed(8, "explore", 7) == 8
    with pytest.raises(UsageError, match="--seed 7 is the seed of explore"):
        check_seed(7, "explore", 7)
