"""A run of the pilot's size and shape with three true effects, over seeds."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from jevbias.analysis.analyse import analyse
from jevbias.report.run_report import RunReport
from tests.analysis.runs import MERIT, Design, Someone, make_dataset, make_probes

PILOT = Design(
    bases=2,
    swapped={"culture": 8, "gender": 2, "faith": 7, "disability": 7, "age": 4, "immigration": 5},
    scenarios={"hiring": 5, "triage": 5},
    replicate_subjects=10,
)
TRUE = {"full/faith=l2", "full/culture=l5", "name_only/culture=l5"}
SEEDS = 20


def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    if (person.swapped_attribute, person.swapped_level, condition) == ("faith", "l2", "full"):
        return MERIT[variant] - 0.06
    if (person.swapped_attribute, person.swapped_level) == ("culture", "l5"):
        return MERIT[variant] - 0.05
    return MERIT[variant]


@pytest.fixture(scope="module")
def reports() -> list[RunReport]:
    def each() -> Iterator[RunReport]:
        for seed in range(SEEDS):
            yield analyse(make_dataset(PILOT, make_probes(PILOT, expect, seed=seed)))

    return list(each())


def test_it_is_the_size_of_the_pilot(reports: list[RunReport]) -> None:
    assert (reports[0].run.calls, reports[0].run.people) == (388, 68)


def test_the_true_effects_are_the_top_rows_on_every_seed(reports: list[RunReport]) -> None:
    for report in reports:
        pooled = [row for row in report.comparisons if row.question is None]
        assert {row.id for row in pooled[:3]} == TRUE
        assert all(row.significant for row in pooled[:3])
        assert all(row.flag == "ok" for row in report.validity)


def test_false_discoveries_are_five_percent_of_all(reports: list[RunReport]) -> None:
    shares = []
    for report in reports:
        found = {row.id for row in report.comparisons if row.question is None and row.significant}
        shares.append(len(found - TRUE) / len(found))
    assert np.mean(shares) <= 0.05 + 3 * np.std(shares) / math.sqrt(SEEDS)


def test_calibration_counts_what_the_rows_say(reports: list[RunReport]) -> None:
    for report in reports[:5]:
        for question, family in ((False, report.calibration.pooled), (True, report.calibration.per_question)):
            rows = [row for row in report.comparisons if (row.question is not None) == question]
            for visible, counts in ((True, family.visible), (False, family.controls)):
                chosen = [row for row in rows if row.visible == visible]
                assert counts.tests == len(chosen)
                assert counts.significant == sum(row.significant for row in chosen)
                assert counts.raw_below_05 == sum((row.p_noise or 0) < 0.05 for row in chosen)
            discoveries = sum(row.significant for row in rows)
            assert family.controls_share_of_discoveries == pytest.approx(
                family.controls.significant / discoveries, rel=1e-5
            )
