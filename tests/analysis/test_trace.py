"""Every figure of a report leads to its evidence, and the evidence adds up to the figure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import pytest
from sqlalchemy import Row

from jevbias.analysis.analyse import analyse
from jevbias.analysis.trace.comparisons import trace_comparison
from jevbias.analysis.trace.conditions import BaseMean
from jevbias.analysis.trace.evidence import CellRow, Trace
from jevbias.analysis.trace.failures import FailurePair, UnusableProbe
from jevbias.analysis.trace.ids import figure_ids
from jevbias.analysis.trace.moved import CellSlope
from jevbias.analysis.trace.pair_choice import choose_pair
from jevbias.analysis.trace.trace import trace_with
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.validity import VariantMean
from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.plan.confirm import Hypothesis
from jevbias.report.comparison import Comparison
from jevbias.report.factorial import Contrast, Interaction
from jevbias.report.rounding import round_figure
from jevbias.report.run_report import RunReport
from jevbias.store.connections import writing
from jevbias.store.engine import open_store
from jevbias.store.hypotheses import freeze, write_hypotheses
from jevbias.store.runs import find_run
from tests.analysis.answered_runs import Replies, answer, plan
from tests.analysis.report_rows import rows_of


@dataclass(frozen=True)
class Traced:
    """A run and the report of it."""

    run: TracedRun
    report: RunReport

    def trace(self, identifier: str) -> Trace:
        found = trace_with(self.run, identifier)
        assert isinstance(found, Trace)
        return found


def lost(row: Row[Any]) -> str:
    """Some probes end without an answer, a few are still to be sent, one swap is refused often."""
    if row.swapped_level == "muslim" and row.position % 3 == 0:
        return "refused"
    return {0: "failed", 1: "pending"}.get(row.position % 41, "answered")


def silent(row: Row[Any], question: str) -> bool:
    return bool((row.position + len(question)) % 17 == 0)


@pytest.fixture(scope="module")
def pilot(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Traced]:
    """A pilot with placebos, two models and hypotheses, in which much went missing."""
    engine = open_store(str(tmp_path_factory.mktemp("pilot") / "runs.db"))
    run = plan(engine, catalogue, placebos=True)
    answer(engine, run, Replies(status=lost, silent=silent, models=2))
    asked = [
        Hypothesis("full/religion=muslim", "down", 0.02, 0.05),
        Hypothesis("full/no=such", "up", 0.02, 0.05),
    ]
    with writing(engine) as connection:
        write_hypotheses(connection, run.id or 0, freeze(asked, run.plan_hash, "explore"))
    traced = TracedRun.load(engine, find_run(engine, None))
    yield Traced(traced, analyse(traced.dataset))
    engine.dispose()


@pytest.fixture(scope="module")
def factorial(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Traced]:
    engine = open_store(str(tmp_path_factory.mktemp("factorial") / "runs.db"))
    few = ("name_culture", "gender", "age_band", "religion")
    smaller = replace(catalogue, attributes={key: catalogue.attributes[key] for key in few}, incompatible=())
    narrowed: dict[str, Any] = {"people": 40, "scenarios": ["hiring_screen"], "replicate_subjects": 8}
    run = plan(engine, smaller, "factorial", **narrowed)
    answer(engine, run, Replies(status=lost))
    traced = TracedRun.load(engine, find_run(engine, None))
    yield Traced(traced, analyse(traced.dataset))
    engine.dispose()


def same(one: float | None, other: float | None) -> bool:
    """Whether two figures are one at the report's rounding; ties with zero are zero."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=6e-6, abs_tol=1e-9)


def comparisons(report: RunReport) -> list[Comparison]:
    placebos = report.placebos.comparisons if report.placebos else []
    return [*report.comparisons, *placebos]


@pytest.fixture(scope="module")
def opened(pilot: Traced) -> dict[str, Trace | None]:
    """The evidence of every comparison, by its id."""
    return {row.id: trace_comparison(pilot.run, row.id) for row in comparisons(pilot.report)}


def test_the_pairs_of_every_comparison_add_up_to_its_delta(
    pilot: Traced, opened: dict[str, Trace | None]
) -> None:
    checked = 0
    for row in comparisons(pilot.report):
        found = opened[row.id]
        assert found is not None, row.id
        pairs = [pair for pair in found.pairs if pair.difference is not None]
        assert len(pairs) == row.pairs
        total = math.fsum(pair.weight * (pair.difference or 0.0) for pair in pairs)
        assert same(total, row.delta if pairs else 0.0), row.id
        assert same(math.fsum(pair.weight for pair in pairs), 1.0 if pairs else 0.0)
        assert all(same(pair.contribution, pair.weight * (pair.difference or 0)) for pair in pairs)
        assert all(pair.problem for pair in found.pairs if pair.difference is None)
        checked += bool(pairs)
    assert checked > 700
    assert {row.question is None for row in comparisons(pilot.report)} == {True, False}


def test_a_pair_s_difference_is_the_mean_over_the_questions_that_enter(
    pilot: Traced, opened: dict[str, Trace | None]
) -> None:
    entered = set()
    for row in comparisons(pilot.report):
        found = opened[row.id]
        assert found is not None
        for pair in found.pairs:
            parts = [part for part in found.questions[pair.base, pair.scenario] if part.enters]
            entered.add(len(parts))
            if pair.difference is None or pair.swap is None or pair.anchor is None:
                assert not parts
                continue
            assert same(fmean(part.difference or 0.0 for part in parts), pair.difference)
            assert same(fmean(part.swap or 0.0 for part in parts), pair.swap)
            assert same(pair.swap - pair.anchor, pair.difference)
    assert len(entered) > 2, "answers went missing"


def test_the_strongest_pair_is_chosen_wherever_it_stands(
    pilot: Traced, opened: dict[str, Trace | None]
) -> None:
    places = set()
    for row in comparisons(pilot.report)[:200]:
        found = opened[row.id]
        assert found is not None
        pair, questions = choose_pair(found, None)
        known = [abs(each.contribution) for each in found.pairs if each.contribution is not None]
        assert abs(pair.contribution or 0.0) == max(known, default=0.0)
        assert questions == found.questions[pair.base, pair.scenario]
        places.add(found.pairs.index(pair))
    assert len(places) > 1


def test_the_printed_sum_is_the_report_s_figure(pilot: Traced) -> None:
    row = pilot.report.comparisons[0]
    says = pilot.trace(row.id).listings[0].sums[-1]
    assert row.delta is not None
    assert says.endswith(f"= {row.delta:+.6g} (the report's: {row.delta:+.6g})")


def test_every_id_of_a_report_leads_to_the_row_it_names(pilot: Traced, factorial: Traced) -> None:
    kinds: Counter[str] = Counter()
    for traced in (pilot, factorial):
        for row in rows_of(traced.report):
            if isinstance(row, Comparison) and row.question is not None and row.level != "muslim":
                continue
            kinds[type(row).__name__] += 1
            if isinstance(row, Contrast | Interaction) and kinds[type(row).__name__] % 20:
                continue
            found = traced.trace(row.id)
            whole = row.model_dump()
            if isinstance(row, Contrast | Interaction):
                assert found.row == {name: whole[name] for name in found.row}, row.id
                assert {
                    "id",
                    "people",
                    "delta" if isinstance(row, Contrast) else "contrast",
                } <= found.row.keys()
            else:
                assert found.row == whole, row.id
            assert found.id == row.id
            assert found.says
    assert kinds.keys() == {
        *("Comparison", "NoisePool", "ConditionRatio", "NoiseRatio", "Drift", "ModelShift", "ValidityRow"),
        *("ConditionRow", "FailureRow", "PlaceboRange", "HypothesisRow"),
        *("Contrast", "CellMean", "Interaction"),
    }


def test_every_id_of_a_report_is_known_without_computing_it(pilot: Traced, factorial: Traced) -> None:
    for traced in (pilot, factorial):
        ids = {row.id for row in rows_of(traced.report) if not isinstance(row, Interaction)}
        known = figure_ids(traced.run)
        # Which placebo has a delta is not known beforehand.
        assert ids <= set(known)
        assert all(name.startswith(("placebos/", "noise/all/")) for name in set(known) - ids)
        assert len(known) == len(set(known))


def squares(cells: tuple[CellRow, ...]) -> tuple[float, int]:
    degrees = [len(cell.values) - 1 for cell in cells]
    apart = [math.fsum((value - fmean(cell.values)) ** 2 for value in cell.values) for cell in cells]
    return math.fsum(apart), sum(degrees)


def test_the_cells_of_a_noise_pool_join_to_its_sd(pilot: Traced) -> None:
    floor = pilot.report.noise_floor
    pools = [*floor.by_question.values(), *floor.by_scenario.values(), *floor.by_condition.values()]
    for pool in pools:
        (listing,) = pilot.trace(pool.id).listings
        total, degrees = squares(listing.rows)
        assert degrees == pool.degrees_of_freedom
        assert len(listing.rows) == pool.cells
        assert same(math.sqrt(total / degrees), pool.measured_sd), pool.id
        assert same(fmean(cell.sd for cell in listing.rows), pool.mean_sd)
        sds = [cell.sd for cell in listing.rows]
        assert sds == sorted(sds, reverse=True)


@pytest.mark.parametrize(("kind", "name"), [("answers", "answer_sd"), ("probes", "probe_sd")])
def test_the_pools_of_the_noise_floor_join_to_it(pilot: Traced, kind: str, name: str) -> None:
    traced = pilot.trace(f"noise/all/{kind}")
    (listing,) = traced.listings
    freedom = sum(row.degrees_of_freedom for row in listing.rows)
    squares = sum(row.degrees_of_freedom * row.sd**2 for row in listing.rows)
    expected = getattr(pilot.report.noise_floor, name)
    assert math.sqrt(squares / freedom) == pytest.approx(expected, abs=1e-6)
    assert traced.row[name] == pytest.approx(expected, abs=1e-6)
    for row in listing.rows:
        assert pilot.trace(row.id).row["sd"] == row.sd


def test_ratios_drift_and_shifts_are_made_of_the_cells_that_are_listed(pilot: Traced) -> None:
    floor = pilot.report.noise_floor
    ratios: list[Any] = [*floor.condition_ratios, floor.swapped_against_anchor]
    for ratio in ratios:
        first, second = (squares(listing.rows) for listing in pilot.trace(ratio.id).listings)
        spread = math.sqrt(first[0] / first[1]) / math.sqrt(second[0] / second[1])
        assert same(spread, ratio.ratio), ratio.id
    assert floor.drift is not None
    moved = [(floor.drift.id, floor.drift.total), *((row.id, row.shift) for row in floor.models)]
    assert len(moved) == 3
    for identifier, slope in moved:
        cells: tuple[CellSlope, ...] = pilot.trace(identifier).listings[0].rows
        products = [
            math.fsum(
                (x - fmean(cell.covariate)) * (y - fmean(cell.values))
                for x, y in zip(cell.covariate, cell.values, strict=True)
            )
            for cell in cells
        ]
        parts = [math.fsum((x - fmean(cell.covariate)) ** 2 for x in cell.covariate) for cell in cells]
        assert same(math.fsum(products) / math.fsum(parts), slope), identifier


def test_the_cells_of_a_question_average_to_its_means_per_variant(pilot: Traced) -> None:
    for row in pilot.report.validity:
        first, *variants = pilot.trace(row.id).listings
        means: dict[str, list[float]] = {}
        part: VariantMean
        for part in first.rows:
            means.setdefault(part.variant, []).append(part.mean)
        assert {name: round_figure(fmean(several)) for name, several in means.items()} == pytest.approx(
            row.means, rel=2e-6
        )
        assert sum(part.cells for part in first.rows) == sum(len(listing.rows) for listing in variants)
        for listing in variants:
            for cell in listing.rows:
                assert same(cell.mean, fmean(cell.values))


def test_the_bases_of_a_condition_average_to_its_mean_and_shift(pilot: Traced, factorial: Traced) -> None:
    shifted = 0
    for traced in (pilot, factorial):
        for row in traced.report.conditions:
            bases: tuple[BaseMean, ...] = traced.trace(row.id).listings[0].rows
            for figure, name in ((row.mean, "mean"), (row.shift, "shift")):
                own: dict[int | None, list[float]] = {}
                for base in bases:
                    if getattr(base, name) is not None:
                        own.setdefault(base.base, []).append(getattr(base, name))
                assert same(fmean(map(fmean, own.values())) if own else None, figure), row.id
            shifted += row.shift is not None
    assert shifted > 10


def test_the_probes_of_a_failure_rate_are_named_with_their_errors(pilot: Traced) -> None:
    row = next(row for row in pilot.report.failures.by_level if row.id == "failures/full/religion=muslim")
    assert row.unusable > 0
    pairs, swap, anchors = pilot.trace(row.id).listings
    assert (len(swap.rows), len(anchors.rows)) == (row.unusable, row.anchor_unusable)
    probe: UnusableProbe
    for probe in (*swap.rows, *anchors.rows):
        assert probe.error == f"nothing in it, says {probe.probe}"
        assert probe.status in ("refused", "failed")
    pair: FailurePair
    counted = {"only swap": 0, "only anchor": 0}
    for pair in pairs.rows:
        if pair.first in counted:
            counted[pair.first] += 1
    assert counted == {"only swap": row.only_swap, "only anchor": row.only_anchor}
    assert sum(pair.swap_probes for pair in pairs.rows) == row.probes
    assert sum(pair.anchor_probes for pair in pairs.rows) == row.anchor_probes


def test_the_people_of_a_factorial_figure_make_it(factorial: Traced) -> None:
    report = factorial.report.factorial
    assert report is not None
    for contrast in report.contrasts[:40]:
        people, reference = (listing.rows for listing in factorial.trace(contrast.id).listings)
        assert (len(people), len(reference)) == (contrast.people, contrast.reference_people)
        if contrast.delta is not None:
            delta = fmean(row.mean for row in people) - fmean(row.mean for row in reference)
            assert same(delta, contrast.delta), contrast.id
    for cell in report.cells:
        (listing,) = factorial.trace(cell.id).listings
        assert len(listing.rows) == cell.people
    for interaction in report.interactions[:40]:
        both, second, first, neither = (
            fmean(row.mean for row in listing.rows) for listing in factorial.trace(interaction.id).listings
        )
        assert same(both - second - first + neither, interaction.contrast), interaction.id


@pytest.mark.parametrize(
    ("identifier", "said"),
    [
        ("full/religion=muslin", "nearest are full/religion=muslim"),
        (
            "full/religion=muslim/hiring_screen.advanc",
            "nearest are full/religion=muslim/hiring_screen.advance",
        ),
        ("full/religion=muslim/tenancy.offer", "has no figure 'full/religion=muslim/tenancy.offer'"),
        ("noise/hiring_screen.nothing", "has no figure"),
        ("cells/full/gender=woman+name_culture=jewish", "only factorial runs have these"),
        ("", "ids look like full/religion=muslim"),
        ("\x1b[31m/x", "has no figure '?[31m/x'"),
        ("probe/0", "has no probe '0'; its probes are 1 to "),
        ("probe/-1", "has no probe '-1'"),
    ],
)
def test_an_id_that_is_none_is_one_line_with_the_nearest(pilot: Traced, identifier: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        trace_with(pilot.run, identifier)
    assert said in str(refused.value)
    assert str(refused.value).isprintable()
