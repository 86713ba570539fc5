"""The page as a file: complete, self-contained, deterministic, and safe whatever a text says."""

from __future__ import annotations

import gzip
import json
import re
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files
from math import isfinite, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jevbias.publish import battery_page, compared_page, figures
from jevbias.publish.findings import Reading
from jevbias.publish.found import element_id
from jevbias.publish.packed_columns import FOLLOWING, packed
from jevbias.publish.page import SCRIPTS, STYLES, render_page
from jevbias.publish.page_data import FIGURES, packed_data
from jevbias.publish.row_figures import row_figures
from jevbias.report.rounding import round_figure
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_page, made_report, parsed_page, printed
from tests.publish.parsed_page import ParsedPage

EVERY = pytest.mark.parametrize("name", sorted(MAKERS))


@EVERY
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    again = RunReport.model_validate_json(made_report(name).model_dump_json())
    assert render_page(again, nav=[("Mock", "mock.html")]) == made_page(name)


@EVERY
def test_every_page_is_well_formed_and_its_ids_are_unique(name: str) -> None:
    page = parsed_page(name)
    assert len(page.ids) == len(set(page.ids))
    assert not any(re.search(r"\s", identifier) for identifier in page.ids)


@EVERY
def test_every_link_inside_the_page_leads_somewhere(name: str) -> None:
    page = parsed_page(name)
    targets = {attributes["href"] or "" for tag, attributes in page.tags if tag == "a"}
    inside = {target[1:] for target in targets if target.startswith("#")}
    assert inside <= set(page.ids)
    labels = {attributes["aria-labelledby"] for _, attributes in page.tags if "aria-labelledby" in attributes}
    assert labels <= set(page.ids)


@EVERY
def test_the_page_names_no_address_outside_itself(name: str) -> None:
    page = parsed_page(name)
    for tag, attributes in page.tags:
        assert tag not in {"img", "iframe", "object", "embed", "base", "video", "audio", "source"}
        assert "style" not in attributes
        assert not any(key.startswith("on") for key in attributes)
        assert "src" not in attributes
        if tag == "link":
            assert (attributes["href"] or "").startswith("data:image/svg+xml,")
        if tag == "a":
            assert re.match(r"#|mock\.html$", attributes["href"] or "")
    for text in page.raw["style"] + page.raw["script"]:
        assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML|eval\(", text)


def test_the_policy_lets_nothing_run_or_load_but_what_the_page_holds() -> None:
    page = parsed_page("pilot")
    (policy,) = (
        attributes["content"] or ""
        for tag, attributes in page.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"

    def digest(text: str) -> str:
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    assert rules["style-src"] == digest(page.raw["style"][0])
    assert rules["script-src"] == digest(page.raw["script"][-1])
    assert "unsafe" not in policy


def test_every_style_sheet_and_script_of_the_package_is_on_the_page() -> None:
    static = files("jevbias.publish").joinpath("static")
    for folder, names in (
        ("style", {*STYLES, *compared_page.STYLES, *battery_page.STYLES}),
        ("script", SCRIPTS),
    ):
        assert sorted(names) == sorted(file.name for file in static.joinpath(folder).iterdir())


def test_every_pooled_comparison_is_in_the_html_with_its_figures() -> None:
    report = made_report("deep")
    rows = parsed_page("deep").tables["pooled-table"][1:]
    reading = Reading(report)
    assert len(rows) == 220
    for cells, row in zip(rows, reading.pooled, strict=True):
        assert row.ci_noise is not None
        assert cells[0].startswith(row.attribute_label)
        assert f"against {row.reference}" in cells[0]
        assert ("protected" in cells[0]) == row.protected
        assert cells[1].startswith(row.level)
        assert cells[2].startswith(row.condition)
        assert ("control" in cells[2]) == (not row.visible)
        assert cells[3].startswith(reading.outcome_text(row))
        for line in row_figures(row):
            assert f"{line.about}{line.text}" in cells[3]
        assert f"tracejevbias trace {row.id} --run {report.run.name}" in cells[3]
        assert cells[4:] == [
            reading.claims(row).marks,
            figures.delta(row.delta),
            "",
            figures.half_width(row.ci_noise),
            figures.p_value(row.q),
            figures.half_width(row.ci_people),
            figures.p_value(row.p_people),
            figures.p_value(row.q_people),
            figures.interval(row.ci_general),
            figures.pairs(row.pairs, row.effective_n),
            figures.spread(row.mde_noise),
            figures.spread(row.mde_people),
        ]


def test_the_figures_of_a_row_hold_all_that_the_report_says_of_it() -> None:
    row = Reading(made_report("confirm")).found[0]
    text = " ".join(line.text for line in row_figures(row))
    for figure in (
        figures.interval(row.ci_noise),
        figures.p_value(row.p_noise),
        figures.interval(row.ci_people),
        figures.interval(row.ci_people_90),
        figures.p_value(row.p_people),
        figures.p_value(row.p_people_floor),
        figures.p_value(row.p_max_t),
        figures.interval(row.ci_general),
        figures.interval(row.ci_general_99),
        *map(figures.spread, (row.mde_noise, row.mde_noise_adjusted)),
        *map(figures.spread, (row.mde_people, row.mde_people_adjusted)),
        f"{row.pairs} pairs",
        f"effective n {figures.short(row.effective_n)}",
        f"bases down / up {row.bases_down} / {row.bases_up}",
        f"scenarios down / up {row.scenarios_down} / {row.scenarios_up}",
        figures.delta(row.delta_all_questions),
        "beyond placebo range",
    ):
        assert figure in text, figure
    missing = Reading(made_report("deep")).found[0]
    assert ("missing", missing.missing_claim) in row_figures(missing)


def test_the_matrix_holds_every_visible_comparison_with_its_mark() -> None:
    report = made_report("deep")
    rows = [cells for cells in parsed_page("deep").tables["matrix-table"][2:] if len(cells) > 1]
    assert len(rows) == 120
    by_id = {row.id: row for row in report.comparisons}
    questions = [row.question for row in report.validity]
    seen = 0
    attribute = None
    keys = {row.attribute_label: row.attribute for row in report.comparisons}
    for place, cells in enumerate(rows):
        if len(cells) == len(questions) + 3:
            attribute = keys[cells.pop(0).removesuffix(" protected")]
        condition = "full" if place < 110 else "name_only"
        for question, text in zip((None, *questions), cells[1:], strict=True):
            row = by_id[f"{condition}/{attribute}={cells[0]}" + (f"/{question}" if question else "")]
            figure = figures.delta(row.delta, 3)
            marks = {
                "withheld": f"({figure})",
                "worse": f"{figure}*",
                "better": f"{figure}*",
                "these cases": f"{figure}~",
                "small": f"{figure}\u2248",
            }
            assert text == marks.get(row.verdict or "", figure), row.id
            seen += 1
    assert seen == 120 * 36


def test_the_matrix_marks_columns_that_are_withheld_or_not_pooled() -> None:
    heads = parsed_page("deep").tables["matrix-table"][1]
    assert [head for head in heads if not head.isidentifier()] == ["limit‡", "deposit†", "handling†"]


def unpacked(page: ParsedPage) -> dict[str, Any]:
    """The page's data, undone as its script undoes it."""
    data: dict[str, Any] = json.loads(gzip.decompress(b64decode(page.raw["script"][0])))
    for table in (data["pooled"], data["perQuestion"]):
        for name, formula in FOLLOWING.items():
            if name in table["packed"]:
                table[name] = put_back(table, formula, **table["packed"][name])
    return data


def put_back(
    table: dict[str, list[float | None]],
    formula: Callable[[Callable[[str], float], float], float],
    share: float,
    rest: list[float | None],
) -> list[float | None]:
    """A column, from what follows from others and what has to be added to it."""

    def figure(place: int) -> float | None:
        def at(key: str) -> float:
            value = table[key][place] if key in table else None
            return nan if value is None else value

        missing = rest[place]
        try:
            following = formula(at, share)
        except ZeroDivisionError:
            following = nan
        if missing is None:
            return None
        return float(f"{(following if isfinite(following) else 0.0) + missing:.6g}")

    return [figure(place) for place in range(len(rest))]


@pytest.mark.parametrize("name", ["deep", "sampler", "exact", "confirm", "empty"])
def test_the_script_gets_every_comparison_unrounded(name: str) -> None:
    report = made_report(name)
    data = unpacked(parsed_page(name))
    by_id = {row.id: row for row in report.comparisons}
    seen = set()
    for family in ("pooled", "perQuestion"):
        table = data[family]
        for place in range(len(table["swap"])):
            swap = data["swaps"][table["swap"][place]]
            question = table["question"][place]
            identifier = (
                f"{data['conditions'][table['condition'][place]]['name']}/{swap['key']}={swap['level']}"
            )
            if question is not None:
                identifier += f"/{data['questions'][question]['name']}"
            row = by_id[identifier]
            seen.add(identifier)
            state = data["states"][table["state"][place]]
            assert state["verdict"] == row.verdict
            for key, figure in FIGURES.items():
                assert (table[key][place] if key in table else None) == figure(row), key
            assert table["missing"][place] == row.missing_claim
    pooled = not Reading(report).nothing_pooled
    assert seen == {row.id for row in report.comparisons if row.question or pooled}


small = st.none() | st.floats(-2, 2).map(round_figure)


USED = (*FOLLOWING, "delta", "mde", "peopleLow", "flips", "repeatFlips", "favourable", "anchorFavourable")


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(USED, small)), min_size=1, max_size=4))
def test_a_packed_column_gives_every_figure_back_whatever_the_others_hold(
    rows: list[dict[str, float | None]],
) -> None:
    table = {name: [row[name] for row in rows] for name in USED}
    columns = packed(table)
    left = {name: values for name, values in table.items() if name not in columns}
    for name, column in columns.items():
        left[name] = put_back(left, FOLLOWING[name], column.share, list(column.rest))
    assert left == table


@EVERY
def test_every_page_says_what_it_must_whatever_was_found(name: str) -> None:
    text = " ".join("".join(parsed_page(name).text).split())
    for heading in (
        "What was measured",
        "Can it be believed",
        "What was found",
        "What attaching a person does",
        "What cannot be said",
    ):
        assert heading in text
    assert ("Where it lands" in text) == (name != "factorial")
    assert "lower is worse for the person" in text
    number = "Four" if name in {"factorial", "exact", "unpooled"} else "Five"
    assert f"{number} limits hold for every report" in text
    if any(row.verdict == "these cases" for row in made_report(name).comparisons):
        assert "It does not mean that the model is biased" in text
    for note in made_report(name).notes:
        assert name == "hostile" or note in text


def test_the_exact_page_says_why_there_is_no_p() -> None:
    text = "".join(parsed_page("exact").text)
    assert "the model does not vary, so p and q do not apply" in text
    assert "beyond the model's own noise" not in text


def test_the_empty_page_says_that_there_is_nothing() -> None:
    text = "".join(parsed_page("empty").text)
    assert "None of the 43 swaps that the model could see could be compared with an anchor" in text
    assert "one variant" not in text
    assert "No answers. This run has no answers. Nothing below speaks of any model or of anybody" in text
    assert text.index("This run has no answers.") < text.index("Noise floor")
    assert text.count("This run has no answers.") == 1
    assert "Nobody answered yet: none of the 388 calls to jev-latest" in text
    assert "Does jev-latest decide differently" in " ".join(text.split())
    assert "Model, as it answerednobody answered yetasked for as jev-latest" in "".join(text.split("\n"))
    rows = next(rows for rows in parsed_page("empty").tables.values() if rows[0][-1] == "Pooled")
    assert {cells[-1] for cells in rows[1:]} == {"n/a"}
    assert "This run has no answers." in " ".join(printed(made_report("empty")).split())
    assert "This run has no answers." not in made_page("untested")
    assert "388 calls of 388 (100.0%) brought no usable answer" in text
    assert "neither reported by the model nor in the price table" in text


def test_hostile_text_stays_text() -> None:
    html = made_page("hostile")
    page = parsed_page("hostile")
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert not any(tag == "img" for tag, _ in page.tags)
    assert not re.search("[\x00\x1b\u202e\u2066\u2028]", html)
    assert "</script><img src=x onerror=alert(1)>[/b][31mevil" in "".join(page.text)
    assert "</script><img src=x onerror=alert(1)>" in unpacked(page)["swaps"][0]["level"]
    title = render_page(made_report("pilot"), title="<b>Mine</b>\x1b\u202e")
    assert "<h1>&lt;b&gt;Mine&lt;/b&gt;</h1>" in title


def test_a_blank_title_falls_back_to_the_question() -> None:
    asked = '<h1>Does <span class="whole">jev-1.13.0</span> decide differently'
    assert asked in render_page(made_report("pilot"), title=" \n")


def test_data_for_scripts_has_no_sign_that_html_reads_and_no_nan() -> None:
    text = packed_data({"a": "</script><!--&\u2028\u2029é\ud800", "b": 1.5})
    assert re.fullmatch("[A-Za-z0-9+/=]+", text)
    assert json.loads(gzip.decompress(b64decode(text)))["a"].startswith("</script><!--&\u2028\u2029é")
    with pytest.raises(ValueError, match="not JSON compliant"):
        packed_data({"a": float("nan")})


def test_an_element_id_has_no_sign_that_ends_it() -> None:
    plain = "full/religion=muslim/hiring_screen.advance"
    assert element_id(plain) == plain
    assert element_id('a b"<é') == "a%20b%22%3C%C3%A9"


def test_a_deep_page_is_under_1000_kb_and_drawn_in_under_ten_seconds_of_cpu() -> None:
    report = made_report("deep")
    started = time.process_time()
    page = render_page(report)
    spent = time.process_time() - started
    assert len(report.comparisons) == 7_920
    assert len(page.encode()) < 1_000_000
    assert spent < 10
