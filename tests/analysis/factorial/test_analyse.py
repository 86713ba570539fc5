"""What a factorial run says about a model whose effects are known."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from jevbias.analysis.analyse import analyse
from jevbias.report.factorial import Contrast, Factorial
from jevbias.report.write import report_json
from tests.analysis.factorial.crowds import LEVELS, Crowd, Expect, has, means_of, together
from tests.analysis.runs import Someone

CROWD = Crowd(people=120)
EFFECTS = together(has("faith", "two", -0.06, "full"), has("culture", "there", -0.05, "full", "name_only"))


def factorial(expect: Expect | None = None, crowd: Crowd = CROWD, seed: int = 1) -> Factorial:
    found = analyse(crowd.dataset(crowd.probes(expect, seed=seed))).factorial
    assert found is not None
    return found


def row(found: Factorial, identifier: str) -> Contrast:
    return next(contrast for contrast in found.contrasts if contrast.id == identifier)


@pytest.fixture(scope="module")
def known() -> Factorial:
    return factorial(EFFECTS)


def test_every_level_is_set_against_its_reference_in_every_condition(known: Factorial) -> None:
    levels = sum(len(levels) - 1 for levels in LEVELS.values())
    assert len(known.contrasts) == levels * 3 * (1 + 5)
    assert len({contrast.id for contrast in known.contrasts}) == len(known.contrasts)
    assert all(contrast.reference == LEVELS[contrast.attribute][0] for contrast in known.contrasts)
    one = row(known, "full/faith=two")
    assert (one.people, one.reference_people) == (30, 30)


def test_the_injected_effects_come_first_with_their_size(known: Factorial) -> None:
    pooled = [contrast for contrast in known.contrasts if contrast.question is None]
    found = {"full/faith=two": -0.06, "full/culture=there": -0.05, "name_only/culture=there": -0.05}
    assert {contrast.id for contrast in pooled[:3]} == set(found)
    assert [contrast.significant for contrast in pooled[:4]] == [True, True, True, False]
    for identifier, size in found.items():
        contrast = row(known, identifier)
        assert contrast.interval is not None
        assert contrast.interval[0] < size < contrast.interval[1]
        assert contrast.adjusted == pytest.approx(size, abs=0.004)
        assert (contrast.adjusted_q or 1) < 1e-6
        assert (contrast.cohens_d or 0) < -1


def test_hidden_contrasts_are_counted_as_the_control(known: Factorial) -> None:
    levels = sum(len(levels) - 1 for levels in LEVELS.values())
    in_names = 2 + 1
    assert known.hidden.tests == levels + (levels - in_names)
    assert known.visible.tests == levels + in_names
    assert known.hidden_per_question.tests == 5 * known.hidden.tests
    assert known.hidden.significant == 0
    assert known.hidden.raw_below_05 <= 3
    assert known.adjusted_hidden.significant == 0
    assert known.visible.significant == 3


def test_q_is_over_all_conditions_hidden_rows_included(known: Factorial) -> None:
    pooled = [contrast for contrast in known.contrasts if contrast.question is None]
    p = np.sort([contrast.p for contrast in pooled])
    first = min(contrast.q or 1 for contrast in pooled)
    assert first == pytest.approx((p * len(pooled) / np.arange(1, len(pooled) + 1)).min(), rel=1e-5)


def test_differences_and_d_are_those_of_the_person_means(known: Factorial) -> None:
    means, members = means_of(CROWD.dataset(CROWD.probes(EFFECTS))), CROWD.members()
    column = means.pooled(2)
    values = {
        level: means.values[[p.idx for p in members if p.levels["faith"] == level], column]
        for level in LEVELS["faith"]
    }
    contrast = row(known, "full/faith=three")
    delta = values["three"].mean() - values["none"].mean()
    sd = np.sqrt((values["three"].var(ddof=1) + values["none"].var(ddof=1)) / 2)
    assert contrast.delta == pytest.approx(delta, rel=1e-5)
    assert contrast.cohens_d == pytest.approx(delta / sd, rel=1e-5)


def test_adjusted_figures_are_those_of_statsmodels_with_the_variants_held_fixed(
    known: Factorial,
) -> None:
    means, members = means_of(CROWD.dataset(CROWD.probes(EFFECTS))), CROWD.members()
    names = [(key, level) for key, levels in LEVELS.items() for level in levels[1:]]
    columns = [[float(person.levels[key] == level) for person in members] for key, level in names]
    variants = [[float(person.idx % 3 == turn) for person in members] for turn in (1, 2)]
    model = OLS(means.values[:, means.pooled(2)], add_constant(np.transpose(columns + variants))).fit()
    assert (known.parameters, known.degrees_of_freedom) == (len(names) + 3, 120 - len(names) - 3)
    for place, (key, level) in enumerate(names, start=1):
        contrast = row(known, f"full/{key}={level}")
        assert contrast.adjusted == pytest.approx(model.params[place], rel=2e-6, abs=1e-12)
        assert contrast.adjusted_error == pytest.approx(model.bse[place], rel=2e-6)
        assert contrast.adjusted_p == pytest.approx(model.pvalues[place], rel=1e-5)


def test_a_case_that_betrays_an_early_age_is_neither_seen_nor_a_control() -> None:
    claimed = CROWD.catalogue.scenarios["hiring"].model_copy(
        update={"career_field": "years", "variants": {v: {"years": 9} for v in ("weak", "mid", "strong")}}
    )
    crowd = Crowd(people=60)
    dataset = crowd.dataset(crowd.probes())
    dataset.catalogue.scenarios["hiring"] = claimed  # type: ignore[index]
    found = analyse(dataset).factorial
    assert found is not None
    told = {contrast.id for contrast in found.contrasts if contrast.in_case}
    pooled = {"blind/age=young", "name_only/age=young"}
    assert told == pooled | {f"{name}/hiring.q{n}" for name in pooled for n in range(3)}
    assert found.hidden.tests == factorial(crowd=crowd).hidden.tests - 2


def test_cells_are_people_who_have_both_levels(known: Factorial) -> None:
    assert len(known.cells) == 3 * 6
    members = CROWD.members()
    means = means_of(CROWD.dataset(CROWD.probes(EFFECTS)))
    column = means.pooled(2)
    for cell in known.cells[-6:]:
        inside = [p.idx for p in members if all(p.levels[key] == cell.levels[key] for key in cell.levels)]
        assert cell.people == len(inside)
        expected = means.values[inside, column].mean() + means.level[column]
        assert cell.mean == pytest.approx(expected, rel=1e-5)
        assert cell.interval is not None
        assert cell.interval[0] < expected < cell.interval[1]
    assert known.empty_cells == []


def test_a_sum_of_two_effects_is_no_interaction(known: Factorial) -> None:
    named = {"culture": "there", "faith": "two"}
    both = next(row for row in known.interactions if row.levels == named)
    assert both.condition == "full"
    assert not both.significant
    assert both.interval is not None
    assert both.interval[0] < 0 < both.interval[1]
    assert not any(row.significant for row in factorial().interactions)


def test_what_two_levels_do_beyond_their_sum_is_found() -> None:
    def both(person: Someone, scenario: str, question: str, condition: str) -> float:
        levels = person.levels
        return -0.08 * (levels["gender"] == "woman" and levels["faith"] == "two" and condition == "full")

    first = factorial(both, Crowd(people=72)).interactions[0]
    assert (first.id, first.significant) == ("interactions/full/gender=woman+faith=two", True)
    assert first.interval is not None
    assert first.interval[0] < -0.08 < first.interval[1]
    assert first.levels == {"gender": "woman", "faith": "two"}
    assert 1 <= first.fewest <= first.people / 4


def test_interactions_are_tested_where_both_levels_show(known: Factorial) -> None:
    conditions = [row.condition for row in known.interactions]
    assert conditions.count("name_only") == 2
    assert "blind" not in conditions
    tested = {frozenset(row.levels.items()) for row in known.interactions if row.condition == "full"}
    counts = [len(levels) - 1 for levels in LEVELS.values()]
    pairs = (sum(counts) ** 2 - sum(count**2 for count in counts)) // 2
    assert len(tested) == pairs
    assert known.interactions_untested == 0


def test_two_analyses_are_byte_identical_whatever_the_order_of_rows() -> None:
    crowd = Crowd(people=40)
    probes, people = crowd.probes(EFFECTS), crowd.members()
    stream = np.random.default_rng(2)
    first = report_json(analyse(crowd.dataset(probes, people)))
    shuffled = crowd.dataset(
        [probes[place] for place in stream.permutation(len(probes))],
        [people[place] for place in stream.permutation(len(people))],
    )
    assert report_json(analyse(shuffled)) == first
    assert report_json(analyse(crowd.dataset(probes, people))) == first
