"""One verdict per comparison, the first rule that applies; a missing figure never makes a claim."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.analysis.verdicts import Declared, Evidence, judge

DECLARED = Declared(alpha=0.05, margin=0.02, exact=False)
EXACT = replace(DECLARED, exact=True)
FOUND = Evidence(
    visible=True,
    withheld=False,
    pooled=True,
    delta=-0.06,
    q=0.001,
    q_people=0.01,
    q_general=0.02,
    ci_people=(-0.08, -0.04),
    ci_people_90=(-0.075, -0.045),
    ci_general_99=(-0.09, -0.03),
)


def test_a_finding_beyond_noise_people_and_cases_is_worse_or_better() -> None:
    assert judge(FOUND, DECLARED) == ("worse", None)
    mirrored = FOUND._replace(delta=0.06, ci_people=(0.04, 0.08), ci_general_99=(0.03, 0.09))
    assert judge(mirrored, DECLARED) == ("better", None)


def test_a_control_stays_a_control_and_a_withheld_question_withheld_whatever_they_show() -> None:
    assert judge(FOUND._replace(visible=False, withheld=True), DECLARED).name == "control"
    assert judge(FOUND._replace(withheld=True), DECLARED).name == "withheld"


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"q_people": 0.2}, "other people: q 0.2"),
        ({"q_people": None}, "other people: no p"),
        ({"ci_people": None}, "other people: no interval"),
        ({"ci_general_99": (-0.13, 0.01)}, "other cases: 99% interval -0.130 to +0.010"),
        ({"ci_general_99": None}, "other cases: no interval"),
        ({"ci_general_99": (0.01, 0.05)}, "other cases"),
        ({"q_general": 0.07}, "other cases: q 0.07"),
        ({"q_general": None}, "other cases: no q"),
    ],
)
def test_a_finding_with_a_claim_missing_is_of_these_cases_and_names_it(
    change: dict[str, object], missing: str
) -> None:
    verdict = judge(FOUND._replace(**change), DECLARED)  # type: ignore[arg-type]
    assert verdict.name == "these cases"
    assert missing in (verdict.missing or "")


def test_both_missing_claims_are_named() -> None:
    verdict = judge(FOUND._replace(q_people=0.3, ci_general_99=None), DECLARED)
    assert "other people" in (verdict.missing or "")
    assert "other cases" in (verdict.missing or "")


def test_a_question_makes_no_claim_about_other_cases() -> None:
    assert judge(FOUND._replace(pooled=False, q_general=None, ci_general_99=None), DECLARED).name == "worse"


def test_a_real_difference_inside_the_margin_is_small_whatever_else_holds() -> None:
    small = FOUND._replace(delta=-0.01, ci_people=(-0.015, -0.005), ci_general_99=(-0.018, -0.002))
    assert judge(small, DECLARED) == ("small", None)
    assert judge(small._replace(q_people=0.9), DECLARED).name == "small"


def test_no_difference_is_shown_by_two_one_sided_tests() -> None:
    still = FOUND._replace(delta=0.001, q=0.6, ci_people_90=(-0.015, 0.017))
    assert judge(still, DECLARED).name == "no difference"
    assert judge(still._replace(ci_people_90=(-0.021, 0.017)), DECLARED).name == "unclear"
    assert judge(still._replace(ci_people_90=None), DECLARED).name == "unclear"


def test_without_a_q_or_a_delta_nothing_is_claimed() -> None:
    assert judge(FOUND._replace(q=None), DECLARED).name == "unclear"
    assert judge(FOUND._replace(q=None, ci_people_90=(-0.01, 0.01)), DECLARED).name == "unclear"
    assert judge(FOUND._replace(delta=None), DECLARED).name == "unclear"


def test_for_an_exact_model_the_margin_stands_in_for_q_and_nothing_is_small() -> None:
    exact = FOUND._replace(q=None)
    assert judge(exact, EXACT).name == "worse"
    assert judge(exact._replace(q_people=0.5), EXACT).name == "these cases"
    below = exact._replace(delta=-0.01, ci_people=(-0.012, -0.008), ci_people_90=(-0.011, -0.009))
    assert judge(below, EXACT).name == "no difference"
    assert judge(below._replace(ci_people_90=(-0.03, 0.01)), EXACT).name == "unclear"


_MAYBE_P = st.one_of(st.none(), st.floats(0, 1))
_MAYBE_INTERVAL = st.one_of(
    st.none(), st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2)).map(lambda pair: (min(pair), max(pair)))
)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.builds(
        Evidence,
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.one_of(st.none(), st.floats(-0.2, 0.2)),
        _MAYBE_P,
        _MAYBE_P,
        _MAYBE_P,
        _MAYBE_INTERVAL,
        _MAYBE_INTERVAL,
        _MAYBE_INTERVAL,
    ),
    st.booleans(),
)
def test_worse_and_better_need_every_claim(evidence: Evidence, exact: bool) -> None:
    verdict = judge(evidence, Declared(0.05, 0.02, exact))
    assert (verdict.missing is not None) == (verdict.name == "these cases")
    if verdict.name in {"worse", "better"}:
        assert evidence.visible
        assert not evidence.withheld
        assert evidence.q_people is not None
        assert evidence.q_people < 0.05
        assert evidence.ci_people is not None
        assert not (evidence.ci_people[0] > -0.02 and evidence.ci_people[1] < 0.02)
        if evidence.pooled:
            assert evidence.ci_general_99 is not None
            assert not evidence.ci_general_99[0] <= 0 <= evidence.ci_general_99[1]
        if exact:
            assert abs(evidence.delta or 0) >= 0.02 - 1e-9
        else:
            assert evidence.q is not None
            assert evidence.q < 0.05
    if verdict.name == "no difference":
        assert evidence.ci_people_90 is not None


def test_every_combination_of_missing_figures_ends_in_a_verdict() -> None:
    fields = ("delta", "q", "q_people", "ci_people", "ci_people_90", "ci_general_99")
    for gone in product([False, True], repeat=len(fields)):
        missing = {name: None for name, is_gone in zip(fields, gone, strict=True) if is_gone}
        changed = FOUND._replace(**missing)  # type: ignore[arg-type]
        assert judge(changed, DECLARED).name in {"worse", "these cases", "unclear"}
