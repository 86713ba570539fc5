"""The reports that the tests publish: each a run that a user may have."""

from __future__ import annotations

import random
from collections.abc import Callable

from jevbias.report.calibration import Calibration, CalibrationCounts, CalibrationFamily
from jevbias.report.comparison import Comparison
from jevbias.report.failures import Failures
from jevbias.report.noise import NoiseFloor
from jevbias.report.run_report import RunReport, ValidityFlag
from tests.publish.extras import with_checks, with_contrasts, with_hypotheses
from tests.publish.making import Shape, make_report
from tests.publish.swaps import OTHER_ATTRIBUTES, PILOT_ATTRIBUTES, QUESTIONS, Swapped

PILOT_EFFECTS = {
    ("full", "religion", "muslim"): -0.06,
    ("full", "name_culture", "black_american"): -0.05,
    ("name_only", "name_culture", "black_american"): -0.05,
}


def pilot_report() -> RunReport:
    """The mock's pilot: three effects, 23 controls, ten questions of which one is withheld."""
    return make_report(
        Shape(
            PILOT_ATTRIBUTES,
            ("hiring_screen", "clinical_triage"),
            2,
            PILOT_EFFECTS,
            {"hiring_screen.salary_band": "flat"},
        )
    )


def deep_report() -> RunReport:
    """220 pooled and 7,700 per-question comparisons, a quarter of the visible ones moved."""
    order = {**PILOT_ATTRIBUTES, **OTHER_ATTRIBUTES}
    draw = random.Random(7)
    effects = {
        ("full", attribute, level): round(draw.choice([0, 0, draw.gauss(-0.02, 0.035)]), 4)
        for attribute, (_, _, _, levels) in order.items()
        for level in levels
    }
    effects |= PILOT_EFFECTS
    flags: dict[str, ValidityFlag] = {
        "credibility.handling": "inverted",
        "tenancy.deposit": "midpoint",
        "lending.limit": "uniform",
    }
    return with_checks(
        make_report(
            Shape(
                order,
                tuple(QUESTIONS),
                6,
                effects,
                flags,
                calls=12_000,
                people=666,
                name="jev-latest-jev-latest-deep",
            )
        )
    )


def confirm_report() -> RunReport:
    """A confirmatory run: 16 drawn anchors, hypotheses, all three claims within reach."""
    attributes = {
        key: PILOT_ATTRIBUTES[key]._replace(levels=PILOT_ATTRIBUTES[key].levels[:4])
        for key in ("name_culture", "gender", "religion", "age_band")
    }
    scenarios = ("hiring_screen", "clinical_triage", "admissions")
    effects = PILOT_EFFECTS | {("full", "gender", "nonbinary"): 0.04}
    made = make_report(Shape(attributes, scenarios, 16, effects, seed=5, name="jev-latest-confirm"))
    return with_hypotheses(with_checks(made))


def old_report() -> RunReport:
    """A report as an earlier jevbias made it: no verdict on any comparison."""
    return make_report(
        Shape(PILOT_ATTRIBUTES, ("hiring_screen", "clinical_triage"), 2, PILOT_EFFECTS, judged=False)
    )


def unpooled_report() -> RunReport:
    """An exact model whose questions all failed the validity check: every finding is on a question."""
    flags: dict[str, ValidityFlag] = {
        f"hiring_screen.{question}": "flat" if place % 2 else "uniform"
        for place, question in enumerate(QUESTIONS["hiring_screen"])
    }
    made = make_report(Shape(PILOT_ATTRIBUTES, ("hiring_screen",), 2, PILOT_EFFECTS, flags, exact=True))
    nothing = {"delta": None, "sd": None, "cohens_d": None, "delta_all_questions": None, "verdict": "unclear"}
    rows = [
        row.model_copy(
            update={}
            if row.question
            else nothing | ({} if row.visible else {"verdict": "control"}) | {"missing_claim": None}
        )
        for row in made.comparisons
    ]
    return made.model_copy(update={"comparisons": rows})


def factorial_report() -> RunReport:
    """People who differ in everything at once: contrasts, and no comparison."""
    made = pilot_report()
    run = made.run.model_copy(update={"design": "factorial", "bases": None, "people": 160})
    return with_contrasts(
        made.model_copy(update={"run": run, "comparisons": [], "generalisation": None}), PILOT_ATTRIBUTES
    )


def sampler_report() -> RunReport:
    """Small, with one of everything: up, down, a false positive, a withheld question, an untested row."""
    religion = PILOT_ATTRIBUTES["religion"]
    attributes = {
        "gender": PILOT_ATTRIBUTES["gender"],
        "religion": religion._replace(levels=religion.levels[:3]),
        "hair_colour": OTHER_ATTRIBUTES["hair_colour"],
        "veteran": OTHER_ATTRIBUTES["veteran"],
    }
    effects = {
        ("full", "religion", "muslim"): -0.06,
        ("full", "hair_colour", "dyed_bright"): 0.05,
        ("name_only", "veteran", "yes"): -0.04,
    }
    flags: dict[str, ValidityFlag] = {
        "hiring_screen.salary_band": "flat",
        "clinical_triage.urgency": "uniform",
    }
    made = make_report(Shape(attributes, ("hiring_screen", "clinical_triage"), 2, effects, flags))
    untested = {"p_noise": None, "q": None, "significant": False, "ci_noise": None}
    lost = {"full/gender=woman", "full/gender=woman/hiring_screen.advance"}
    rows = [row.model_copy(update=untested if row.id in lost else {}) for row in made.comparisons]
    return made.model_copy(update={"comparisons": rows})


def exact_report() -> RunReport:
    """A model that repeats itself: no p, no q, findings by the margin."""
    return make_report(
        Shape(PILOT_ATTRIBUTES, ("hiring_screen", "clinical_triage"), 2, PILOT_EFFECTS, exact=True)
    )


def untested_report() -> RunReport:
    """A smoke run: one base, one variant, too few repeats for any null."""
    attributes = {key: PILOT_ATTRIBUTES[key] for key in ("name_culture", "gender")}
    flags: dict[str, ValidityFlag] = {
        f"hiring_screen.{question}": "untested" for question in QUESTIONS["hiring_screen"]
    }
    return make_report(
        Shape(
            attributes,
            ("hiring_screen",),
            1,
            {},
            flags,
            tested=False,
            calls=15,
            people=11,
            name="jev-latest-smoke",
        )
    )


def quiet_report() -> RunReport:
    """Tested throughout, and nothing moved."""
    return make_report(Shape(PILOT_ATTRIBUTES, ("hiring_screen", "clinical_triage"), 2, {}, seed=3))


def empty_report() -> RunReport:
    """A run that brought no answer: its questions and swaps are known, and nothing else."""
    report = pilot_report()
    asked: dict[str, object] = {
        "means": {},
        "span": None,
        "range": None,
        "noise": None,
        "flag": "untested",
        "pooled": True,
    }
    counts = CalibrationCounts(tests=0, significant=0, raw_below_05=0, interval=None)
    family = CalibrationFamily(visible=counts, controls=counts, controls_share_of_discoveries=None)
    return report.model_copy(
        update={
            "run": report.run.model_copy(
                update={
                    "answered": 0,
                    "answers": 0,
                    "models_answered": [],
                    "input_tokens": None,
                    "output_tokens": None,
                    "cost": None,
                    "mean_latency_ms": None,
                    "started_at": None,
                    "finished_at": None,
                    "swept": [],
                }
            ),
            "noise_floor": NoiseFloor(
                answer_sd=None,
                probe_sd=None,
                mean_sd=None,
                cells=0,
                degrees_of_freedom=0,
                exact=False,
                grid_step=None,
                by_question={},
                by_scenario={},
            ),
            "validity": [row.model_copy(update=asked) for row in report.validity],
            "conditions": [],
            "generalisation": None,
            "comparisons": [_unmeasured(row) for row in report.comparisons],
            "calibration": Calibration(pooled=family, per_question=family),
            "failures": Failures(
                by_status={"failed": 388}, by_kind={"timeout": 380, "http_500": 8}, missing_answers={}
            ),
            "notes": ["No answer came back, so nothing could be estimated."],
        }
    )


def _unmeasured(row: Comparison) -> Comparison:
    kept = {
        *("id", "condition", "question", "attribute", "attribute_label", "level", "level_phrase"),
        *("reference", "protected", "visible"),
    }
    nothing = dict.fromkeys(("delta", "sd", "cohens_d", "effective_n", "p_noise", "q", "p_people"))
    return Comparison.model_validate(
        row.model_dump(include=kept)
        | nothing
        | {"pairs": 0, "significant": False, "verdict": "unclear" if row.visible else "control"}
    )


HOSTILE = "</script><img src=x onerror=alert(1)>[/b]\x1b[31m\u202eevil\u2066\x00\u2028'\"&`=cmd()"


def hostile_report() -> RunReport:
    """Every text that a user or a model may choose, chosen badly."""
    attributes = {
        f"{key}{HOSTILE}": Swapped(
            f"{label}{HOSTILE}",
            protected,
            f"{reference}{HOSTILE}",
            tuple(f"{level}{HOSTILE}" for level in levels),
        )
        for key, (label, protected, reference, levels) in list(PILOT_ATTRIBUTES.items())[1:3]
    }
    made = make_report(Shape(attributes, ("hiring_screen",), 2, {}))
    run = made.run.model_copy(
        update={
            name: f"{getattr(made.run, name)}{HOSTILE}"
            for name in (
                "name",
                "profile",
                "design",
                "driver",
                "model",
                "base_url",
                "instrument",
                "plan_hash",
                "catalogue_hash",
                "jevbias_version",
                "started_at",
            )
        }
        | {
            "models_answered": [f"jev{HOSTILE}", "مهند"],
            "scenarios": [f"hiring{HOSTILE}"],
            "conditions": [f"full{HOSTILE}"],
        }
    )
    comparisons = [
        row.model_copy(
            update={
                "condition": f"{row.condition}{HOSTILE}",
                "level_phrase": f"{row.level_phrase}{HOSTILE}",
                "question": row.question and f"{row.question}{HOSTILE}",
                "missing_claim": row.missing_claim and f"{row.missing_claim}{HOSTILE}",
                "id": f"{row.condition}{HOSTILE}/{row.attribute}={row.level}"
                + (f"/{row.question}{HOSTILE}" if row.question else ""),
            }
        )
        for row in made.comparisons
    ]
    validity = [
        row.model_copy(
            update={
                "question": f"{row.question}{HOSTILE}",
                "id": f"validity/{row.question}{HOSTILE}",
                "kind": HOSTILE,
                "measures": HOSTILE,
            }
        )
        for row in made.validity
    ]
    return made.model_copy(
        update={
            "run": run,
            "comparisons": comparisons,
            "validity": validity,
            "notes": [HOSTILE],
            "failures": Failures(by_status={HOSTILE: 3}, by_kind={HOSTILE: 3}, missing_answers={HOSTILE: 2}),
        }
    )


def with_rows(report: RunReport, change: Callable[[Comparison], dict[str, object]]) -> RunReport:
    """The report with every comparison changed."""
    rows = [row.model_copy(update=change(row)) for row in report.comparisons]
    return report.model_copy(update={"comparisons": rows})
