from dataclasses import replace

import numpy as np
import pytest

from jevbias.analysis.cells import build_cells
from jevbias.analysis.dataset import ProbeRecord
from jevbias.analysis.decisions import count_decisions, decision_columns
from jevbias.analysis.pairs import Pairs, pair_cells
from jevbias.report.comparison import Decisions
from tests.analysis.runs import FACTS, Design, Someone, make_dataset, make_people, make_probes, without

DESIGN = Design(
    bases=2,
    swapped={"culture": 2, "faith": 2},
    scenarios={"hiring": 2},
    conditions=("name_only", "full"),
    replicate_subjects=0,
    anchor_replicates=4,
)
BY_IDX = {person.idx: person for person in make_people(DESIGN)}


def found(
    probes: list[ProbeRecord], question: int = 0, *, threshold: float = 0.5, step: float | None = None
) -> dict[str, Decisions | None]:
    dataset = make_dataset(DESIGN, probes, facts=replace(FACTS, threshold=threshold))
    cells = build_cells(dataset)
    pairs: Pairs = pair_cells(dataset, cells)
    fields = decision_columns(count_decisions(dataset, cells), pairs, (0, question), step)
    columns = [None if figures is None else Decisions.model_validate(figures) for figures in fields]
    names = [f"{condition}/{swap.attribute}={swap.level}" for condition, swap in pairs.comparisons]
    return dict(zip(names, columns, strict=True))


def answered(answers: dict[str, float], anchor: list[float]) -> list[ProbeRecord]:
    """Every anchor answers the same four values to q0 in turn; a swap its level's value, else 0.9."""

    def value(probe: ProbeRecord) -> float:
        person: Someone = BY_IDX[probe.person]
        if person.is_anchor:
            return anchor[probe.replicate]
        return answers.get(f"{person.swapped_attribute}={person.swapped_level}/{person.base}", 0.9)

    return [replace(p, favourability={"q0": value(p), "q1": 0.9}) for p in make_probes(DESIGN)]


ANCHOR = [0.6, 0.7, 0.4, 0.6]
"""Three of four decide for the person; half of the pairs of repeats differ."""


def test_a_comparison_s_decisions_are_those_of_its_own_cells() -> None:
    rows = found(answered({"faith=l0/0": 0.2, "faith=l0/1": 0.8}, ANCHOR))
    own = rows["full/faith=l0"]
    assert own is not None
    assert own.model_dump() == pytest.approx(
        {
            "flip_rate": (0.75 + 0.25) / 2,
            "repeat_flip_rate": 0.5,
            "excess_flips": 0.0,
            "favourable_swap": 0.5,
            "favourable_anchor": 0.75,
            "four_fifths": 0.5 / 0.75,
            "log_odds": np.mean([np.log(0.2 / 0.8), np.log(0.8 / 0.2)]) - np.log(0.575 / 0.425),
        },
        rel=1e-5,
    )
    untouched = rows["full/faith=l1"]
    assert untouched is not None
    assert untouched.excess_flips == -0.25


def test_an_answer_at_the_threshold_is_favourable() -> None:
    """0.7 reached through arithmetic that leaves dust."""
    rows = found(answered({"faith=l0/0": 1 - 0.3 - 1e-12, "faith=l0/1": 0.69}, [0.7] * 4), threshold=0.7)
    row = rows["full/faith=l0"]
    assert row is not None
    assert (row.favourable_swap, row.favourable_anchor) == (0.5, 1.0)


def test_the_threshold_is_the_declared_one() -> None:
    probes = answered({"faith=l0/0": 0.2, "faith=l0/1": 0.2}, ANCHOR)
    low, high = (found(probes, threshold=threshold)["full/faith=l0"] for threshold in (0.1, 0.95))
    assert low is not None
    assert high is not None
    assert (low.favourable_swap, low.favourable_anchor, low.four_fifths) == (1.0, 1.0, 1.0)
    assert (high.favourable_swap, high.favourable_anchor, high.four_fifths) == (0.0, 0.0, None)


def test_logits_of_certain_answers_follow_the_grid() -> None:
    probes = answered({"faith=l0/0": 0.0, "faith=l0/1": 0.0}, [1.0] * 4)
    for step, closest in ((0.01, 0.005), (None, 0.0005)):
        row = found(probes, step=step)["full/faith=l0"]
        assert row is not None
        assert row.log_odds == pytest.approx(-2 * np.log((1 - closest) / closest), rel=1e-5)


def test_a_question_that_never_came_back_has_no_decisions() -> None:
    probes = [without(probe, "q1") for probe in make_probes(DESIGN)]
    assert set(found(probes, 1).values()) == {None}
    assert None not in found(probes, 0).values()


def test_a_pair_without_one_side_is_left_out() -> None:
    """The swap of base 1 never answered: base 0 stands alone."""
    probes = answered({"faith=l0/0": 0.2, "faith=l0/1": 0.8}, ANCHOR)
    lost = next(p.idx for p in BY_IDX.values() if (p.base, p.swapped_level) == (1, "l0") and p.idx % 5 == 3)
    assert BY_IDX[lost].swapped_attribute == "faith"
    rows = found([without(probe, "q0") if probe.person == lost else probe for probe in probes])
    row = rows["full/faith=l0"]
    assert row is not None
    assert (row.favourable_swap, row.flip_rate) == (0.0, 0.75)


def test_only_yes_or_no_questions_decide() -> None:
    dataset = make_dataset(DESIGN)
    hiring = dataset.catalogue.scenarios["hiring"]
    score = hiring.questions["q1"].model_copy(update={"kind": "score"})
    questions = hiring.questions | {"q1": score}
    scored = hiring.model_copy(update={"questions": questions})
    dataset = replace(dataset, catalogue=replace(dataset.catalogue, scenarios={"hiring": scored}))
    cells = build_cells(dataset)
    pairs, decisions = pair_cells(dataset, cells), count_decisions(dataset, cells)
    assert decision_columns(decisions, pairs, (0, 1), None) == [None] * len(pairs.comparisons)
    assert None not in decision_columns(decisions, pairs, (0, 0), None)
