"""Makes reports whose figures hang together as those of a real run do."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import exp

from jevbias.analysis import generalisation
from jevbias.analysis.verdicts import Declared, Evidence, judge
from jevbias.report.calibration import Calibration, CalibrationCounts, CalibrationFamily
from jevbias.report.comparison import Comparison, Decisions
from jevbias.report.failures import Failures
from jevbias.report.generalisation import FamilyReach, Generalisation
from jevbias.report.noise import NoiseFloor, NoisePool
from jevbias.report.rounding import round_figure
from jevbias.report.run_report import ConditionRow, RunInfo, RunReport, ValidityFlag, ValidityRow
from tests.publish.noted import analysed
from tests.publish.swaps import NEGATIVE, ON_THE_NAME, QUESTIONS, Swapped


@dataclass(frozen=True)
class Shape:
    """What a made report looks like."""

    attributes: dict[str, Swapped]
    scenarios: tuple[str, ...]
    bases: int
    effects: dict[tuple[str, str, str], float]
    """(condition, attribute, level): the pooled effect."""
    flags: dict[str, ValidityFlag] = field(default_factory=dict)
    exact: bool = False
    tested: bool = True
    seed: int = 1
    calls: int = 388
    people: int = 68
    name: str = "jev-latest-pilot"
    judged: bool = True
    """Whether comparisons have a verdict; those of older reports have none."""


OTHER_PEOPLE = "other people"
HELD = {"inverted", "midpoint", "flat"}
GRADED = {"salary_band", "urgency", "rate_tier", "limit", "severity", "action", "supervision"}
ALPHA, MARGIN = 0.05, 0.02


def make_report(shape: Shape) -> RunReport:
    """A report of that shape; the figures hang together as those of a real one do."""
    draw = random.Random(shape.seed)
    questions = [f"{scenario}.{question}" for scenario in shape.scenarios for question in QUESTIONS[scenario]]
    comparisons = _comparisons(shape, draw, questions)
    validity = [_validity(draw, question, shape) for question in questions]
    sd = 0.0 if shape.exact else 0.0093
    degrees = 80 if shape.tested else 4
    pools = {
        question: NoisePool(
            id=f"noise/{question}", sd=sd, mean_sd=sd, cells=degrees // 3 + 1, degrees_of_freedom=degrees
        )
        for question in questions
    }
    return RunReport(
        run=RunInfo(
            name=shape.name,
            profile=shape.name.partition("jev-latest-")[2],
            design="counterfactual",
            driver="local" if shape.exact else "jev",
            model="jev-latest",
            models_answered=["sparrow-nano-general-v1.1" if shape.exact else "jev-1.13.0"],
            base_url="https://api.typesafe.ai",
            instrument="The model returns a distribution over the options of each question.",
            seed=20260920,
            bases=shape.bases,
            people=shape.people,
            scenarios=list(shape.scenarios),
            conditions=["full", "name_only"] if shape.tested else ["full"],
            swept=list(shape.attributes),
            calls=shape.calls,
            answered=shape.calls - 16 if shape.bases == 6 else shape.calls,
            answers=shape.calls * 9 // 2,
            input_tokens=9_604_753,
            output_tokens=1_402_837,
            cost=None if shape.exact else 0.4034,
            mean_latency_ms=6.3 if shape.exact else 295.0,
            plan_hash="9f2c1e7ab0d34455" * 4,
            catalogue_hash="41d0e77aa2" * 6,
            margin=MARGIN,
            alpha=ALPHA,
            started_at="2026-09-20T10:02:11Z",
            finished_at="2026-09-20T11:31:40Z",
            jevbias_version="0.1.0",
        ),
        noise_floor=NoiseFloor(
            answer_sd=sd,
            probe_sd=sd / 2,
            mean_sd=sd * 0.9,
            cells=1435 if shape.tested else 3,
            degrees_of_freedom=degrees * 10 if shape.tested else 4,
            exact=shape.exact,
            grid_step=None if shape.exact else 0.01,
            by_question=pools,
            by_scenario={},
        ),
        validity=validity,
        conditions=_conditions(shape, draw, questions),
        comparisons=comparisons,
        calibration=Calibration(
            pooled=_family([row for row in comparisons if row.question is None]),
            per_question=_family([row for row in comparisons if row.question is not None]),
        ),
        generalisation=_reach(shape, comparisons),
        failures=Failures(
            by_status={"failed": 12, "refused": 4} if shape.bases == 6 else {},
            by_kind={"timeout": 12, "refusal": 4} if shape.bases == 6 else {},
            missing_answers={"tenancy.offer": 3} if shape.bases == 6 else {},
        ),
        notes=analysed("exact" if shape.exact else "varied" if shape.tested else "brief").notes,
    )


def _comparisons(shape: Shape, draw: random.Random, questions: list[str]) -> list[Comparison]:
    rows = []
    for condition in ("full", "name_only") if shape.tested else ("full",):
        for attribute, (label, protected, reference, levels) in shape.attributes.items():
            for level in levels:
                about: dict[str, object] = {
                    "condition": condition,
                    "attribute": attribute,
                    "attribute_label": label,
                    "level": level,
                    "level_phrase": None
                    if attribute.startswith("name_culture")
                    else level.replace("_", " ").capitalize(),
                    "reference": reference,
                    "protected": protected,
                    "visible": condition == "full" or attribute in ON_THE_NAME,
                }
                effect = shape.effects.get((condition, attribute, level), 0.0)
                for question in (None, *questions):
                    own = effect if question is None else effect * draw.uniform(0.0, 2.0)
                    rows.append(_comparison(shape, draw, about, question, own))
    return rows


def _comparison(
    shape: Shape, draw: random.Random, about: dict[str, object], question: str | None, own: float
) -> Comparison:
    pooled = question is None
    visible = bool(about["visible"])
    se = 0.0 if shape.exact else 0.003 if pooled else 0.006
    delta = own + (draw.gauss(0, se or 0.004) if visible or not shape.exact else 0.0)
    down = sum(
        draw.random() < (0.5 if abs(delta) < 0.01 else 0.95 if delta < 0 else 0.05)
        for _ in range(shape.bases)
    )
    up = shape.bases - down
    if shape.exact and not visible:
        down = up = 0
    held = shape.flags.get(question or "") in HELD
    row: dict[str, object] = {
        **about,
        "id": f"{about['condition']}/{about['attribute']}={about['level']}"
        + (f"/{question}" if question else ""),
        "question": question,
        "pairs": shape.bases * (len(shape.scenarios) if pooled else 1),
        "bases": shape.bases,
        "delta": delta,
        "sd": abs(delta) + 0.004,
        "cohens_d": delta / (abs(delta) + 0.004),
        "effective_n": float(shape.bases),
        **_noise(shape, delta, se),
        **_beyond(shape, delta, pooled),
        "bases_down": down,
        "bases_up": up,
        "scenarios_down": len(shape.scenarios) * down // shape.bases if pooled else 0,
        "scenarios_up": len(shape.scenarios) * up // shape.bases if pooled else 0,
        "delta_all_questions": 0.8 * delta if pooled else None,
        "decisions": _decisions(draw, delta) if visible and question and not _is_graded(question) else None,
    }
    if shape.judged:
        evidence = Evidence(
            visible=visible,
            withheld=held,
            pooled=pooled,
            **{name: row[name] for name in Evidence._fields[3:]},  # type: ignore[arg-type]
        )
        verdict = judge(evidence, Declared(ALPHA, MARGIN, shape.exact, _whom(shape)))
        row |= {"verdict": verdict.name, "missing_claim": verdict.missing}
    return Comparison.model_validate({name: _rounded(value) for name, value in row.items()})


def _rounded(value: object) -> object:
    """Figures as the analysis rounds them before rows are made of them."""
    if isinstance(value, tuple):
        return tuple(_rounded(bound) for bound in value)
    return round_figure(value) if isinstance(value, float) else value


def _noise(shape: Shape, delta: float, se: float) -> dict[str, object]:
    """Claim (a)."""
    p = _p(delta, se) if shape.tested and not shape.exact else None
    q = None if p is None else min(1.0, 4 * p)
    return {
        "p_noise": p,
        "q": q,
        "significant": q is not None and q < ALPHA,
        "ci_noise": None if p is None else _around(delta, 1.98 * se),
        "mde_noise": None if p is None else 2.83 * se,
        "mde_noise_adjusted": None if p is None else 4.4 * se,
    }


def _beyond(shape: Shape, delta: float, pooled: bool) -> dict[str, object]:
    """Claims (b) and (c), as far as the bases and scenarios of the shape allow them."""
    if not shape.judged:
        missing = ("q_people", "q_general", "ci_people", "ci_people_90", "ci_general_99")
        return dict.fromkeys(missing)
    bases = shape.bases
    se = (0.012 if pooled else 0.02) / bases**0.5
    floor = 2.0 ** (1 - bases)
    p = max(floor, _p(delta, se))
    enough = bases >= 3
    general = pooled and enough and len(shape.scenarios) >= 3
    return {
        "p_people": p,
        "p_people_floor": floor,
        "q_people": min(1.0, 4 * p),
        "p_max_t": min(1.0, 8 * p),
        "ci_people": _around(delta, 2.4 * se) if enough else None,
        "ci_people_90": _around(delta, 1.9 * se) if enough else None,
        "ci_general": _around(delta, 2.9 * se) if general else None,
        "ci_general_99": _around(delta, 4.1 * se) if general else None,
        "p_general": _p(delta, 1.5 * se) if general else None,
        "q_general": min(1.0, 3 * _p(delta, 1.5 * se)) if general else None,
        "mde_people": 3.4 * se if enough and floor <= ALPHA else None,
        "mde_people_adjusted": 6.0 * se if bases >= 13 else None,
    }


def _decisions(draw: random.Random, delta: float) -> Decisions:
    flips, repeats = round(0.08 + abs(delta), 4), round(draw.uniform(0.02, 0.08), 4)
    anchor = round(draw.uniform(0.4, 0.6), 4)
    swap = round(max(anchor + 2 * delta, 0.0), 4)
    return Decisions(
        flip_rate=flips,
        repeat_flip_rate=repeats,
        excess_flips=round_figure(flips - repeats),
        favourable_swap=swap,
        favourable_anchor=anchor,
        four_fifths=round_figure(swap / anchor),
        log_odds=round_figure(5 * delta),
    )


def _is_graded(question: str) -> bool:
    return question.partition(".")[2] in GRADED


def _p(delta: float, se: float) -> float:
    z = abs(delta) / se
    return min(1.0, 2.2 * exp(-0.5 * z * z - 0.35 * z))


def _around(delta: float, half: float) -> tuple[float, float]:
    return (delta - half, delta + half)


def _whom(shape: Shape) -> str:
    """Whom claim (b) is about: backgrounds are drawn in runs with many bases."""
    return OTHER_PEOPLE if shape.bases > 6 else "other names and case mixes"


def _reach(shape: Shape, comparisons: list[Comparison]) -> Generalisation | None:
    if not shape.judged:
        return None
    floor = 2.0 ** (1 - shape.bases)

    def family(pooled: bool) -> FamilyReach:
        tests = sum(row.visible and (row.question is None) is pooled for row in comparisons)
        return FamilyReach(
            tests=tests,
            lone_q=min(1.0, floor * tests),
            bases_needed=next(number for number in range(2, 64) if 2.0 ** (1 - number) * tests < ALPHA),
            discoveries_needed=int(floor * tests / ALPHA) + 1 if floor < ALPHA else None,
        )

    drawn = _whom(shape) == OTHER_PEOPLE
    return Generalisation(
        bases=shape.bases,
        scenarios=len(shape.scenarios),
        drawn=["religion"] if drawn else [],
        over_people=generalisation.NOBODY
        if shape.bases == 1
        else generalisation.OTHER_PEOPLE
        if drawn
        else generalisation.OTHER_NAMES,
        p_floor=floor,
        pooled=family(True),
        per_question=family(False),
    )


def _validity(draw: random.Random, question: str, shape: Shape) -> ValidityRow:
    flag = shape.flags.get(question, "ok")
    weak = draw.uniform(0.12, 0.4)
    strong = weak + draw.uniform(0.25, 0.5)
    if flag == "inverted":
        weak, strong = strong, weak
    if flag in {"flat", "uniform"}:
        strong = weak + 0.004
    if flag == "midpoint":
        weak, strong = 0.49, 0.51
    means = {"weak": weak, "mid": (weak + strong) / 2, "strong": strong}
    if shape.bases == 2:
        means.pop("strong")
    if shape.bases == 1:
        means = {"weak": weak}
    span = None if len(means) < 2 else list(means.values())[-1] - weak
    return ValidityRow(
        id=f"validity/{question}",
        question=question,
        kind="score" if _is_graded(question) else "noul",
        direction="-" if question.partition(".")[2] in NEGATIVE else "+",
        measures=question.partition(".")[2].replace("_", " "),
        means={key: round_figure(value) for key, value in means.items()},
        span=None if span is None else round_figure(span),
        range=None if span is None else round_figure(abs(span)),
        noise=0.0 if shape.exact else 0.0093,
        flag=flag,
        non_monotone=False,
        pooled=flag in {"ok", "untested"},
    )


def _conditions(shape: Shape, draw: random.Random, questions: list[str]) -> list[ConditionRow]:
    rows = []
    for condition in ("name_only", "full") if shape.tested else ("full",):
        for question in (None, *questions):
            baseline = "name_only" if condition == "full" and shape.tested else None
            by_base = {str(base): round_figure(draw.gauss(-0.01, 0.02)) for base in range(shape.bases)}
            rows.append(
                ConditionRow(
                    id=f"conditions/{condition}/{question or 'all'}",
                    condition=condition,
                    question=question,
                    mean=round_figure(draw.uniform(0.4, 0.6)),
                    shift=round_figure(sum(by_base.values()) / shape.bases) if baseline else None,
                    baseline=baseline,
                    by_base=by_base,
                )
            )
    return rows


def _family(rows: list[Comparison]) -> CalibrationFamily:
    def counts(visible: bool) -> CalibrationCounts:
        some = [row for row in rows if row.visible is visible and row.p_noise is not None]
        hits = sum(row.significant for row in some)
        return CalibrationCounts(
            tests=len(some),
            significant=hits,
            raw_below_05=sum((row.p_noise or 1) < 0.05 for row in some),
            interval=(0.0, 0.0362) if some else None,
        )

    visible, controls = counts(True), counts(False)
    found = visible.significant + controls.significant
    return CalibrationFamily(
        visible=visible,
        controls=controls,
        controls_share_of_discoveries=controls.significant / found if found else None,
    )
