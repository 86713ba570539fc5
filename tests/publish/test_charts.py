"""The pictures: drawn on the server, to scale, said in words too, and without what a text may smuggle in."""

from __future__ import annotations

import re
from html import unescape

import pytest

from jevbias.publish.charts.axes import Axis, round_step
from jevbias.publish.charts.case_lines import case_lines
from jevbias.publish.charts.contrast_forest import contrast_forest
from jevbias.publish.charts.control_quantiles import control_quantiles
from jevbias.publish.charts.forest import FEWEST, MOST, forest
from jevbias.publish.charts.power_curve import power_curve
from jevbias.publish.findings import Reading
from jevbias.publish.found import element_id
from jevbias.publish.page import render_page
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_page, made_report, parsed_page
from tests.publish.reports import with_rows


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_every_picture_is_named_or_hidden_from_those_who_cannot_see_it(name: str) -> None:
    for tag, attributes in parsed_page(name).tags:
        if tag == "svg":
            named = attributes.get("role") == "img" and attributes.get("aria-label")
            assert named or attributes.get("aria-hidden") == "true"


def test_a_deep_page_has_every_picture_and_a_quiet_one_says_that_nothing_moved() -> None:
    page = made_page("deep")
    for said in (
        "Forest plot. 30 differences in favourability",
        "From a weak case to a strong one",
        "Pooled: sorted p-values of controls",
        "On single questions: sorted p-values of controls",
        "Power against effect size.",
        'id="matrix-table"',
    ):
        assert said in unescape(page), said
    assert f"No pooled score moved beyond the noise: the {FEWEST} that came closest" in made_page("quiet")
    assert "<strong>Differences, none of them judged</strong>" in made_page("untested")
    still = with_rows(made_report("exact"), lambda row: {"verdict": "unclear"} if row.visible else {})
    drawn = forest(Reading(still))
    assert drawn is not None
    assert drawn.heading == f"No pooled score moved by the margin or more: the {FEWEST} largest differences"


def test_the_forest_draws_delta_both_intervals_and_margin_on_one_scale() -> None:
    reading = Reading(made_report("confirm"))
    drawn = forest(reading)
    assert drawn is not None
    assert [row.mark for row in drawn.rows][:4] == ["down", "down", "down", "up"]
    start, width = float(drawn.margin.start), float(drawn.margin.width)
    scale = width / (2 * reading.report.run.margin)
    for row, comparison in zip(drawn.rows, reading.visible, strict=False):
        for value, at in ((comparison.delta, row.dot), (0.0, drawn.zero)):
            assert value is not None
            assert float(at) == pytest.approx(start + (value + reading.report.run.margin) * scale, abs=0.2)
        for bounds, bar in ((comparison.ci_noise, row.noise), (comparison.ci_people, row.people)):
            assert bounds is not None
            assert bar is not None
            assert float(bar.width) == pytest.approx((bounds[1] - bounds[0]) * scale, abs=0.3)


def exact_with_general() -> RunReport:
    """An exact run that is shown to differ on these cases by less than the margin, and over others not."""

    def wide(row: Comparison) -> dict[str, object]:
        if not row.visible or row.question is not None:
            return {
                "verdict": "worse" if row.visible and row.question == "hiring_screen.advance" else row.verdict
            }
        delta = row.delta or 0.0
        return {
            "verdict": "no difference",
            "ci_people": (delta - 0.004, delta + 0.004),
            "ci_general": (delta - 0.03, delta + 0.03),
        }

    return with_rows(made_report("exact"), wide)


def test_an_exact_forest_draws_the_interval_over_cases_and_says_what_no_difference_rests_on() -> None:
    report = exact_with_general()
    drawn = forest(Reading(report))
    assert drawn is not None
    assert drawn.has_general
    assert "90% interval over bases" in drawn.rests_on
    scale = float(drawn.margin.width) / (2 * report.run.margin)
    for row in drawn.rows:
        assert row.general is not None
        assert row.people is not None
        assert float(row.general.width) == pytest.approx(0.06 * scale, abs=0.3)
        assert float(row.people.width) == pytest.approx(0.008 * scale, abs=0.3)
    page = render_page(report)
    assert "95% interval over bases and scenarios: other cases too." in page
    assert page.count('class="general"') == len(drawn.rows) + 1
    assert "general" not in "".join(
        re.findall(r'<div class="forest-row.*?</div>', made_page("confirm"), re.DOTALL)
    )


def test_a_forest_where_no_pooled_score_moved_leads_to_what_moved_on_questions() -> None:
    report = exact_with_general()
    number = sum(row.verdict in {"worse", "these cases"} for row in report.comparisons)
    page = render_page(report)
    assert f'<a href="#on-questions">{number} comparisons on single questions moved: ' in page
    assert "No pooled score moved by the margin or more" in page
    assert "#on-questions" not in made_page("quiet")
    unpooled = forest(
        Reading(with_rows(made_report("unpooled"), lambda row: {"verdict": "unclear"} if row.visible else {}))
    )
    assert unpooled is not None
    assert unpooled.on_questions == ""
    assert unpooled.heading.startswith("No comparison on a single question moved by the margin or more")


def test_the_label_of_the_margin_stands_clear_of_the_curve() -> None:
    page = parsed_page("confirm")
    drawn = power_curve(Reading(made_report("confirm")))
    assert drawn is not None
    highest = min(float(y) for curve in drawn.curves for y in re.findall(r" ([\d.]+)", curve.line))
    (label,) = (at for tag, at in page.tags if tag == "text" and at.get("class") == "start limit")
    assert float(label["y"] or "") + 8 < highest


def test_a_forest_holds_the_surest_findings_and_says_how_many_more_there_are() -> None:
    many = with_rows(
        made_report("deep"),
        lambda row: {"verdict": "worse"} if row.visible and row.question is None else {},
    )
    drawn = forest(Reading(many))
    assert drawn is not None
    assert len(drawn.rows) == MOST
    assert drawn.heading == f"The {MOST} surest of 120 that moved"


def test_nothing_is_drawn_where_there_is_nothing() -> None:
    reading = Reading(made_report("empty"))
    assert forest(reading) is None
    assert power_curve(reading) is None
    assert control_quantiles(reading) is None
    assert case_lines(reading.report) == ()
    assert control_quantiles(Reading(made_report("exact"))) is None


def test_a_question_that_is_not_pooled_is_drawn_broken_and_names_its_flag() -> None:
    lines = {line.described: line for scenario in case_lines(made_report("deep")) for line in scenario.lines}
    held = [described for described, line in lines.items() if line.held]
    assert [described.rpartition("; ")[2] for described in held] == ["uniform", "midpoint", "inverted"]
    assert all(len(line.points) == 3 for line in lines.values())


def test_uniform_p_values_lie_on_the_line_of_the_quantile_picture() -> None:
    report = made_report("deep")
    hidden = [row.id for row in report.comparisons if not row.visible and row.question is None]
    uniform = {name: (place + 0.5) / len(hidden) for place, name in enumerate(hidden)}
    drawn = control_quantiles(
        Reading(with_rows(report, lambda row: {"p_noise": uniform.get(row.id, row.p_noise)}))
    )
    assert drawn is not None
    pooled = drawn.families[0]
    assert "farthest from the line 0.01" in pooled.caption
    points = [tuple(map(float, point)) for point in re.findall(r"M([\d.]+) ([\d.]+)h0", pooled.dots)]
    assert len(points) == 100
    for x, y in points:
        assert (x - 34) / 236 == pytest.approx((246 - y) / 224, abs=0.002)


def test_the_power_curves_pass_through_the_smallest_effects_of_the_report() -> None:
    drawn = power_curve(Reading(made_report("confirm")))
    assert drawn is not None
    assert [curve.name for curve in drawn.curves] == [
        "(a) noise",
        "(a) noise, corrected",
        "(b) people",
        "(b) people, corrected",
    ]
    for curve in drawn.curves:
        points = [tuple(map(float, point.split())) for point in curve.line[1:].split("L")]
        before = max(point for point in points if point[0] <= float(curve.at))
        after = min(point for point in points if point[0] >= float(curve.at))
        assert after[1] - 0.2 <= float(drawn.level) <= before[1] + 0.2


def test_no_text_of_a_report_becomes_a_mark_in_a_picture() -> None:
    page = made_page("hostile")
    pictures = "".join(re.findall(r"<figure.*?</figure>", page, re.DOTALL))
    assert "&lt;img src=x onerror=alert(1)&gt;" in pictures
    assert not re.search(r"<img|<script|\x1b|\u202e|\u2066", pictures)
    tags = set(re.findall(r"<([a-z]+)", pictures))
    assert tags <= {
        *("figure", "figcaption", "strong", "span", "svg", "symbol", "path", "circle", "rect", "use", "text"),
        *("div", "p", "a", "small", "b", "wbr", "ul", "li"),
    }


def test_an_axis_has_round_ticks_and_keeps_what_lies_beyond_it_at_its_edge() -> None:
    axis = Axis(-0.031, 0.052, 1, 99)
    assert [tick.label for tick in axis.ticks(5, signed=True)] == ["\u22120.02", "0.00", "+0.02", "+0.04"]
    assert axis.at(-1) == "1"
    assert axis.at(1) == "99"
    assert [round_step(step) for step in (0.011, 0.021, 0.03, 0.7, 1)] == pytest.approx(
        [0.02, 0.025, 0.05, 1, 1]
    )


def test_a_factorial_run_has_a_forest_of_its_contrasts_drawn_to_scale() -> None:
    report = made_report("factorial")
    assert report.factorial is not None
    drawn = contrast_forest(report.factorial, report.run.margin)
    assert drawn is not None
    assert "Forest plot. " in unescape(made_page("factorial"))
    found = [
        row for row in report.factorial.contrasts if row.significant and row.visible and not row.question
    ]
    assert [row.mark != "dot" for row in drawn.rows] == [
        place < len(found) for place in range(max(len(found), FEWEST))
    ]
    by_id = {element_id(row.id): row for row in report.factorial.contrasts}
    scale = float(drawn.margin.width) / (2 * report.run.margin)
    for row in drawn.rows:
        contrast = by_id[row.element_id]
        assert contrast.delta is not None
        assert float(row.dot) == pytest.approx(float(drawn.zero) + contrast.delta * scale, abs=0.2)
        if contrast.interval is not None:
            assert row.people is not None
            at = float(drawn.zero) + contrast.interval[0] * scale
            assert float(row.people.start) == pytest.approx(at, abs=0.2)
