from dataclasses import replace

import pytest

from jevbias.analysis.analyse import analyse
from jevbias.report.run_report import ConditionRow
from tests.analysis.runs import MERIT, Design, Someone, make_dataset, make_people, make_probes, without

DESIGN = Design(bases=3)


def expect(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    """Showing the dossier moves base 1 by 0.1 on hiring's q0, and everyone by 0.02; a name moves nobody."""
    own = 0.1 if (person.base, scenario, question) == (1, "hiring", "q0") else 0.0
    return MERIT[variant] + (own + 0.02 if condition == "full" else 0.0)


def rows(design: Design) -> dict[str, ConditionRow]:
    report = analyse(make_dataset(design, make_probes(design, expect, noise=0.0)))
    return {row.id: row for row in report.conditions}


def test_the_shift_is_from_name_only_by_base() -> None:
    found = rows(DESIGN)
    question = found["conditions/full/hiring.q0"]
    assert question.baseline == "name_only"
    assert question.by_base == pytest.approx({"0": 0.02, "1": 0.12, "2": 0.02})
    assert question.shift == pytest.approx(0.16 / 3, rel=1e-5)
    assert question.mean == pytest.approx(0.5 + 0.16 / 3, rel=1e-5)


def test_pooled_rows_average_questions_then_scenarios_then_bases() -> None:
    pooled = rows(DESIGN)["conditions/full"]
    assert pooled.by_base == pytest.approx({"0": 0.02, "1": (0.02 + 0.1 / 3 + 0.02) / 2, "2": 0.02}, rel=1e-5)
    assert pooled.shift == pytest.approx(0.02 + 0.1 / 18, rel=1e-5)


def test_a_shift_of_dust_is_exactly_zero() -> None:
    def dusty(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
        return MERIT[variant] + (0.1 + 0.2 - 0.3 if condition == "full" else 0.0)

    report = analyse(make_dataset(DESIGN, make_probes(DESIGN, dusty, noise=0.0)))
    shifted = [row for row in report.conditions if row.baseline is not None]
    assert shifted
    for row in shifted:
        assert row.shift == 0.0
        assert set(row.by_base.values()) == {0.0}


def test_the_baseline_has_means_and_no_shift() -> None:
    base = rows(DESIGN)["conditions/name_only/hiring.q0"]
    assert (base.shift, base.baseline) == (None, None)
    assert base.by_base == pytest.approx({"0": 0.35, "1": 0.5, "2": 0.65})


def test_blind_is_the_baseline_where_it_was_run() -> None:
    found = rows(replace(DESIGN, conditions=("blind", "name_only", "full")))
    assert {row.baseline for row in found.values()} == {None, "blind"}
    assert found["conditions/name_only"].shift == pytest.approx(0.0)


def test_full_alone_has_no_baseline() -> None:
    found = rows(replace(DESIGN, conditions=("full",)))
    assert {row.baseline for row in found.values()} == {None}


def test_a_shift_compares_nobody_who_answered_once() -> None:
    """A person far above the others, who answered under `full` alone, moves the mean and not the shift."""
    people = make_people(DESIGN)
    outlier = next(p.idx for p in people if p.base == 0 and not p.is_anchor)
    probes = []
    for probe in make_probes(DESIGN, expect, noise=0.0):
        if probe.person == outlier and probe.scenario == "hiring":
            high = replace(probe, favourability=probe.favourability | {"q0": 0.99})  # type: ignore[operator]
            probes.append(high if probe.condition == "full" else without(probe, "q0"))
        else:
            probes.append(probe)
    found = {row.id: row for row in analyse(make_dataset(DESIGN, probes)).conditions}
    assert found["conditions/full/hiring.q0"].by_base["0"] == pytest.approx(0.02)
    assert found["conditions/full/hiring.q0"].mean > 0.5 + 0.16 / 3 + 0.01
