import numpy as np
import pytest

from jevbias.analysis.cells import build_cells
from jevbias.analysis.pairs import pair_cells
from jevbias.analysis.placebos import FEWEST_FOR_PERCENTILE, placebo_ranges
from jevbias.report.comparison import Comparison
from tests.analysis.runs import Design, make_dataset, make_probes


def placebo(
    delta: float | None,
    *,
    level: str = "l0",
    condition: str = "full",
    question: str | None = None,
    p_noise: float | None = 0.5,
    visible: bool = True,
) -> Comparison:
    return Comparison(
        id=f"{condition}/hobby={level}" + (f"/{question}" if question else ""),
        condition=condition,
        question=question,
        attribute="hobby",
        attribute_label="Hobby",
        level=level,
        level_phrase=None,
        reference="none",
        protected=False,
        visible=visible,
        pairs=1,
        delta=delta,
        sd=None,
        cohens_d=None,
        effective_n=None,
        p_noise=p_noise,
        q=None,
        significant=False,
    )


def test_few_placebos_are_exceeded_only_beyond_their_largest() -> None:
    sizes = np.linspace(-0.02, 0.03, FEWEST_FOR_PERCENTILE - 1).tolist()
    found = placebo_ranges([placebo(size) for size in sizes], 0.05)
    assert found.section is not None
    (row,) = found.section.ranges
    assert (row.id, row.number, row.limit, row.maximum) == ("placebos/full", 39, 0.03, 0.03)
    assert row.median == pytest.approx(np.median(np.abs(sizes)), rel=1e-5)
    assert found.within("full", None, -0.03) is True
    assert found.within("full", None, -0.030001) is False


def test_forty_placebos_are_exceeded_beyond_their_95th_percentile() -> None:
    sizes = np.linspace(0.001, 0.04, FEWEST_FOR_PERCENTILE)
    found = placebo_ranges([placebo(size) for size in sizes.tolist()], 0.05)
    assert found.section is not None
    (row,) = found.section.ranges
    assert row.limit == row.percentile_95 == pytest.approx(np.percentile(sizes, 95), rel=1e-5)
    assert found.within("full", None, 0.0385) is False
    assert found.within("full", None, 0.038) is True


def test_every_condition_and_question_has_its_own_range() -> None:
    rows = [
        placebo(0.01, question="hiring.q1"),
        placebo(0.04, condition="name_only"),
        placebo(0.02),
        placebo(-0.03, question="hiring.q0"),
    ]
    found = placebo_ranges(rows, 0.05)
    assert found.section is not None
    assert [row.id for row in found.section.ranges] == [
        "placebos/full",
        "placebos/full/hiring.q0",
        "placebos/full/hiring.q1",
        "placebos/name_only",
    ]
    assert found.within("full", None, 0.025) is False
    assert found.within("full", "hiring.q0", 0.025) is True
    assert found.within("full", "hiring.q2", 0.025) is None
    assert found.within("blind", None, 0.025) is None


def test_a_run_without_placebos_says_nothing_about_their_range() -> None:
    found = placebo_ranges([], 0.05)
    assert found.section is None
    assert found.within("full", None, 0.01) is None


def test_a_row_without_a_delta_is_neither_within_nor_beyond() -> None:
    found = placebo_ranges([placebo(0.01), placebo(None, level="l1")], 0.05)
    assert found.within("full", None, None) is None
    assert found.section is not None
    assert found.section.ranges[0].number == 1
    assert found.section.levels == 2
    assert len(found.section.comparisons) == 2


def test_placebos_that_nobody_could_see_are_no_yardstick() -> None:
    found = placebo_ranges([placebo(0.01, visible=False)], 0.05)
    assert found.section is not None
    assert found.section.ranges == []
    assert found.within("full", None, 0.0) is None


def test_significant_placebos_are_counted_uncorrected() -> None:
    rows = [placebo(0.01, p_noise=p) for p in (0.049, 0.05, 0.001, None)]
    section = placebo_ranges(rows, 0.05).section
    assert section is not None
    assert section.ranges[0].significant == 2


def test_a_delta_is_held_against_the_limit_as_the_report_prints_both() -> None:
    """1/30 prints as 0.0333333: what equals the limit on paper is within it."""
    found = placebo_ranges([placebo(1 / 30)], 0.05)
    assert found.within("full", None, 1 / 30) is True
    assert found.within("full", None, -0.0333334) is False


def test_placebos_are_asked_about_where_they_can_be_seen_and_are_no_controls() -> None:
    design = Design(placebos={"hobby": 3})
    dataset = make_dataset(design, make_probes(design))
    pairs = pair_cells(dataset, build_cells(dataset))
    placebos = [row for row, irrelevant in zip(pairs.comparisons, pairs.placebo, strict=True) if irrelevant]
    assert [(condition, swap.attribute) for condition, swap in placebos] == [("full", "hobby")] * 3
    assert pairs.visible[pairs.placebo].all()
