"""Parts that only some made reports have: checks of the null, placebos, hypotheses, contrasts."""

from __future__ import annotations

import random
from itertools import product

from jevbias.report.calibration import Calibration, CalibrationFamily
from jevbias.report.factorial import CellMean, Contrast, ContrastCounts, Factorial, Interaction
from jevbias.report.failures import FailureRow
from jevbias.report.hypotheses import Hypotheses, HypothesisOutcome, HypothesisRow
from jevbias.report.noise import ConditionRatio, Drift, ModelShift, NoisePool, NoiseRatio
from jevbias.report.placebos import PlaceboRange, Placebos
from jevbias.report.run_report import RunReport
from tests.publish.swaps import Swapped


def with_checks(report: RunReport) -> RunReport:
    """The report with every check of the null, placebos, and failures by level."""
    noise = report.noise_floor.model_copy(
        update={
            "by_condition": {
                name: NoisePool(
                    id=f"noise/condition/{name}",
                    sd=sd,
                    mean_sd=sd,
                    cells=90,
                    degrees_of_freedom=360,
                    measured_sd=sd,
                )
                for name, sd in (("full", 0.0051), ("name_only", 0.0044))
            },
            "condition_ratios": [
                ConditionRatio(
                    id="noise/condition/name_only/ratio",
                    condition="name_only",
                    against="full",
                    ratio=0.86,
                    interval=(0.77, 0.96),
                )
            ],
            "swapped_against_anchor": NoiseRatio(
                id="noise/swapped",
                condition="full",
                ratio=1.31,
                interval=(1.12, 1.52),
                swap_cells=40,
                anchor_cells=90,
            ),
            "drift": Drift(
                id="noise/drift", hours=1.49, repeats=2150, total=-0.0013, interval=(-0.0031, 0.0005), p=0.152
            ),
            "models": [
                ModelShift(
                    id="noise/model/jev-1.13.0",
                    model="jev-1.13.0",
                    probes=11000,
                    shift=0.0002,
                    interval=(-0.001, 0.0014),
                ),
                ModelShift(
                    id="noise/model/jev-1.13.1", model="jev-1.13.1", probes=984, shift=None, interval=None
                ),
            ],
        }
    )
    marked = [
        row.model_copy(update={"within_placebo_range": abs(row.delta or 0.0) < 0.0123})
        if row.visible
        else row
        for row in report.comparisons
    ]
    return report.model_copy(
        update={
            "noise_floor": noise,
            "comparisons": marked,
            "calibration": Calibration(
                pooled=_expected(report.calibration.pooled),
                per_question=_expected(report.calibration.per_question),
            ),
            "placebos": _placebos(report),
            "failures": report.failures.model_copy(update={"by_level": _by_level(report)}),
        }
    )


def _expected(family: CalibrationFamily) -> CalibrationFamily:
    raw = 14 if family.controls.tests < 1000 else family.controls.raw_below_05 + 40
    most = 3 if family.controls.tests < 1000 else family.controls.significant + 3
    controls = family.controls.model_copy(
        update={"expected_significant": (0, most), "expected_raw_below_05": (0, raw), "uniformity_p": 0.41}
    )
    return family.model_copy(update={"controls": controls})


def _placebos(report: RunReport) -> Placebos:
    draw = random.Random(11)
    sample = next(row for row in report.comparisons if row.question is None)
    rows = [
        sample.model_copy(
            update={
                "id": f"full/placebo={level}",
                "attribute": "placebo",
                "attribute_label": "Placebo",
                "level": level,
                "protected": False,
                "delta": round(draw.gauss(0, 0.005), 5),
                "verdict": None,
                "missing_claim": None,
            }
        )
        for level in (f"edit_{number}" for number in range(20))
    ]
    ranges = [
        PlaceboRange(
            id=f"placebos/full/{question or 'pooled'}",
            condition="full",
            question=question,
            number=20,
            median=0.0031,
            percentile_95=0.0111,
            maximum=0.0123,
            limit=0.0123,
            significant=2,
        )
        for question in (None, *(row.question for row in report.validity[:5]))
    ]
    return Placebos(levels=20, ranges=ranges, comparisons=rows)


def _by_level(report: RunReport) -> list[FailureRow]:
    rows = []
    for row in report.comparisons:
        if row.question is None and row.visible:
            worst = row.id == "full/religion=muslim"
            rows.append(
                FailureRow(
                    id=f"failures/{row.id}",
                    condition=row.condition,
                    attribute=row.attribute,
                    level=row.level,
                    probes=48,
                    unusable=9 if worst else 0,
                    anchor_probes=144,
                    anchor_unusable=1,
                    pairs=48,
                    only_swap=9 if worst else 0,
                    only_anchor=0,
                    p=0.0039 if worst else 1.0,
                    q=0.031 if worst else 1.0,
                    significant=worst,
                )
            )
    return rows


def with_hypotheses(report: RunReport) -> RunReport:
    """The report as that of a confirmatory run with one hypothesis of each outcome."""
    outcomes: tuple[tuple[str, HypothesisOutcome], ...] = (
        ("full/religion=muslim", "confirmed"),
        ("full/name_culture=black_american", "unclear"),
        ("full/gender=nonbinary", "not confirmed: opposite"),
        ("full/age_band=sixties", "not confirmed: equivalent"),
    )
    by_id = {row.id: row for row in report.comparisons}
    rows = [
        HypothesisRow(
            id=f"hypotheses/{name}",
            comparison=name,
            direction="down",
            margin=0.02,
            alpha=0.05,
            delta=by_id[name].delta,
            p=0.0002,
            p_holm=0.0008,
            ci_people_90=by_id[name].ci_people_90,
            ci_general=by_id[name].ci_general,
            outcome=outcome,
            reason="Holm-adjusted p is below alpha and the general interval excludes zero.",
        )
        for name, outcome in outcomes
    ]
    hypotheses = Hypotheses(
        source_run="jev-latest-deep",
        frozen_hash="ab12cd34" * 8,
        frozen_at="2026-09-19T08:00:00Z",
        intact=True,
        rows=rows,
    )
    return report.model_copy(update={"hypotheses": hypotheses})


def with_contrasts(report: RunReport, attributes: dict[str, Swapped]) -> RunReport:
    """The report as that of a factorial run."""
    draw = random.Random(3)
    questions = [None, *(row.question for row in report.validity)]
    contrasts = [
        _contrast(draw, condition, question, attribute, swapped, level)
        for condition in ("blind", "name_only", "full")
        for attribute, swapped in attributes.items()
        for level in swapped.levels
        for question in questions
    ]
    contrasts.sort(key=lambda row: (2.0 if row.q is None else row.q, -abs(row.delta or 0.0), row.id))
    cells = [
        CellMean(
            id=f"{condition}/gender={gender}+name_culture={culture}",
            condition=condition,
            levels={"gender": gender, "name_culture": culture},
            people=people,
            mean=0.5 + draw.gauss(0, 0.02) if people else None,
            interval=(0.45, 0.55) if people > 2 else None,
        )
        for condition in ("full",)
        for gender, culture in product(
            ("man", "woman", "nonbinary"), ("anglo", *attributes["name_culture"].levels)
        )
        for people in (0 if (gender, culture) == ("nonbinary", "jewish") else draw.randint(1, 9),)
    ]
    interactions = [
        Interaction(
            id=f"full/gender=woman+religion={level}",
            condition="full",
            levels={"gender": "woman", "religion": level},
            people=14,
            fewest=2,
            interval=(-0.06, 0.02),
            contrast=-0.041 if level == "muslim" else 0.003,
            p=0.0001 if level == "muslim" else 0.6,
            q=0.004 if level == "muslim" else 0.9,
            significant=level == "muslim",
        )
        for level in attributes["religion"].levels
    ]

    def counts(visible: bool, pooled: bool = True) -> ContrastCounts:
        rows = [row for row in contrasts if row.visible is visible and (row.question is None) is pooled]
        rows = [row for row in rows if not row.in_case]
        return ContrastCounts(
            tests=len(rows),
            significant=sum(row.significant for row in rows),
            raw_below_05=sum((row.p or 1) < 0.05 for row in rows),
        )

    factorial = Factorial(
        people=160,
        permutations=20_000,
        most_permutations=200_000,
        bootstrap=2_000,
        parameters=34,
        degrees_of_freedom=126,
        contrasts=contrasts,
        cells=cells,
        empty_cells=["gender=nonbinary and name_culture=jewish"],
        interactions=interactions,
        interactions_untested=12,
        visible=counts(True),
        hidden=counts(False),
        visible_per_question=counts(True, pooled=False),
        hidden_per_question=counts(False, pooled=False),
        adjusted_visible=counts(True),
        adjusted_hidden=counts(False),
        adjusted_visible_per_question=counts(True, pooled=False),
        adjusted_hidden_per_question=counts(False, pooled=False),
    )
    return report.model_copy(update={"factorial": factorial})


def _contrast(
    draw: random.Random, condition: str, question: str | None, attribute: str, swapped: Swapped, level: str
) -> Contrast:
    effect = -0.07 if (condition, level) == ("full", "muslim") else 0.0
    delta = effect + draw.gauss(0, 0.01)
    p = 0.0001 if effect else max(0.06, draw.random())
    visible = condition == "full" or (condition == "name_only" and attribute in {"name_culture", "gender"})
    return Contrast(
        id=f"{condition}/{attribute}={level}" + (f"/{question}" if question else ""),
        condition=condition,
        question=question,
        attribute=attribute,
        attribute_label=swapped.label,
        level=level,
        reference=swapped.reference,
        protected=swapped.protected,
        visible=visible,
        in_case=not visible and level == "late_twenties",
        people=18,
        reference_people=17,
        delta=delta,
        interval=(delta - 0.02, delta + 0.02),
        cohens_d=delta / 0.05,
        p=p,
        q=min(1.0, 20 * p),
        significant=p < 0.001,
        adjusted=delta * 0.9,
        adjusted_error=0.011,
        adjusted_p=p,
        adjusted_q=min(1.0, 20 * p),
    )
