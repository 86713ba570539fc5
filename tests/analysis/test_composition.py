"""What whom a variant was asked about may add to a question's span."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from statistics import fmean

import pytest
from scipy.stats import t

from jevbias.analysis.analyse import analyse
from jevbias.catalogue.models import VARIANTS
from jevbias.report.run_report import RunReport
from tests.analysis.runs import MERIT, Design, Someone, make_dataset, make_probes, without

SIX = Design(bases=6, scenarios={"hiring": 2}, anchor_replicates=3)
NOTE = "The variants of a case were met by different mixes of people"
OWN = (0.03, -0.02, 0.09, -0.04, 0.0, -0.01)
"""What each base adds to an answer under `full`, and half of it under `name_only`."""


def by_base(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    """An answer that depends on the case, the condition and whose copy it is about."""
    own = OWN[person.base or 0]
    return MERIT[variant] + own if condition == "full" else MERIT[variant] + 0.1 + own / 2


def flat_by_base(person: Someone, scenario: str, question: str, variant: str, condition: str) -> float:
    """The same, whatever the case: all of the span is between people."""
    return by_base(person, scenario, question, "mid", condition)


def report_of(design: Design, expect: object = by_base, **options: float) -> RunReport:
    return analyse(make_dataset(design, make_probes(design, expect, noise=0.0, **options)))  # type: ignore[arg-type]


def test_the_sd_is_between_bases_of_one_variant_and_the_reach_is_its_t_interval() -> None:
    mean = [0.75 * own for own in OWN]
    met = {variant: mean[place::3] for place, variant in enumerate(VARIANTS)}
    squares = sum((value - fmean(values)) ** 2 for values in met.values() for value in values)
    for row in report_of(SIX).validity:
        assert row.bases == dict.fromkeys(VARIANTS, 2)
        assert row.base_sd == pytest.approx(sqrt(squares / 3), rel=1e-5)
        reach = t.ppf(0.975, 3) * sqrt(squares / 3) * sqrt(1 / 2 + 1 / 2)
        assert row.base_reach == pytest.approx(reach, rel=1e-5)
        assert (row.within_bases, row.flag) == (False, "ok")


def test_a_span_that_people_make_is_marked_and_flagged_by_the_rule_all_the_same() -> None:
    report = report_of(SIX, flat_by_base)
    for row in report.validity:
        assert row.span == pytest.approx(0.75 * (fmean(OWN[2::3]) - fmean(OWN[::3])), rel=1e-4)
        assert row.within_bases
        assert row.flag == "ok", "no flag allows for it"
    (note,) = (note for note in report.notes if note.startswith(NOTE))
    assert "(each by 2 of 6 bases)" in note
    assert note.endswith("for 2 of 2 questions: hiring.q0 and hiring.q1.")


def test_answers_that_no_person_changes_leave_nothing_to_mark() -> None:
    report = analyse(make_dataset(SIX, make_probes(SIX, noise=0.0)))
    assert {(row.base_sd, row.base_reach, row.within_bases) for row in report.validity} == {(0.0, 0.0, False)}
    assert not any(note.startswith(NOTE) for note in report.notes)


def test_one_base_a_variant_cannot_tell_people_from_cases() -> None:
    report = report_of(replace(SIX, bases=3))
    assert {(row.base_sd, row.base_reach) for row in report.validity} == {(None, None)}
    (note,) = (note for note in report.notes if note.startswith(NOTE))
    assert note.endswith("cannot be told: no variant met two bases.")


def test_variants_that_were_met_by_the_same_people_owe_them_nothing() -> None:
    """Everybody meets every variant, so that bases differ and no span does by that."""
    probes = [
        replace(probe, variant=variant, favourability={q: v + shift for q, v in probe.favourability.items()})
        for probe in make_probes(SIX, flat_by_base, noise=0.0)
        for variant, shift in zip(VARIANTS, (-0.001, 0.0, 0.001), strict=True)
    ]
    report = analyse(make_dataset(SIX, probes))
    for row in report.validity:
        assert row.bases == dict.fromkeys(VARIANTS, 6)
        assert row.base_sd is not None
        assert row.base_sd > 0.01
        assert (row.base_reach, row.within_bases) == (0.0, False)
    assert not any(note.startswith(NOTE) for note in report.notes)


def test_bases_that_never_answered_a_question_are_not_counted_for_it() -> None:
    probes = make_probes(SIX, by_base, noise=0.0)
    first_base = range(6)
    dataset = make_dataset(SIX, [without(p, "q0") if p.person in first_base else p for p in probes])
    first, second = analyse(dataset).validity
    assert first.bases == {"weak": 1, "mid": 2, "strong": 2}
    assert second.bases == dict.fromkeys(VARIANTS, 2)
    assert first.base_reach is not None
    assert second.base_reach is not None
    assert first.base_reach != second.base_reach
