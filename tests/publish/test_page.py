"""The page as a file: complete, self-contained, deterministic, and safe whatever a text says."""

from __future__ import annotations

import json
import re
import time
from base64 import b64encode
from hashlib import sha256

import pytest

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.found import anchor
from jevbias.publish.page import render_page
from jevbias.publish.page_data import script_json
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_page, made_report, parsed_page
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


def test_every_pooled_comparison_is_in_the_html_with_its_figures() -> None:
    report = made_report("deep")
    rows = parsed_page("deep").tables["pooled-table"][1:]
    reading = Reading(report)
    assert len(rows) == 220
    for cells, row in zip(rows, reading.pooled, strict=True):
        assert row.ci_noise is not None
        assert row.effective_n is not None
        assert cells[0].startswith(row.attribute_label)
        assert f"against {row.reference}" in cells[0]
        assert ("protected" in cells[0]) == row.protected
        assert cells[1].startswith(row.level)
        assert cells[2].startswith(row.condition)
        assert ("control" in cells[2]) == (not row.visible)
        assert cells[3] == figures.delta(row.delta)
        assert cells[5] == reading.outcome_text(row)
        assert cells[6] == figures.interval(row.ci_noise)
        assert cells[7] == figures.p_value(row.p_noise)
        assert cells[8] == figures.p_value(row.q)
        assert cells[9:12] == ["48", "6", f"{row.bases_down} / {row.bases_up}"]
        assert cells[12] == f"{row.scenarios_down} / {row.scenarios_up}"
        assert cells[13] == figures.delta(row.delta_all_questions)


def test_the_matrix_holds_every_visible_comparison_with_its_mark() -> None:
    report = made_report("deep")
    reading = Reading(report)
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
            outcome = reading.outcome(row)
            mark = {"withheld": f"({figure})", "down": f"{figure}*", "up": f"{figure}*"}.get(outcome, figure)
            assert text == mark, row.id
            seen += 1
    assert seen == 120 * 36


def test_the_matrix_marks_columns_that_are_withheld_or_not_pooled() -> None:
    heads = parsed_page("deep").tables["matrix-table"][1]
    assert [head for head in heads if not head.isidentifier()] == ["limit‡", "deposit†", "handling†"]


def test_the_script_gets_every_comparison_unrounded() -> None:
    report = made_report("deep")
    data = json.loads(parsed_page("deep").raw["script"][0])
    by_id = {row.id: row for row in report.comparisons}
    seen = set()
    for name in ("pooled", "perQuestion"):
        table = data[name]
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
            low, high = row.ci_noise or (None, None)
            assert [table[key][place] for key in ("delta", "low", "high", "p", "q", "n", "pairs")] == [
                row.delta, low, high, row.p_noise, row.q, row.effective_n, row.pairs,
            ]  # fmt: skip
    assert seen == set(by_id)


@EVERY
def test_every_page_says_what_it_must_whatever_was_found(name: str) -> None:
    text = " ".join("".join(parsed_page(name).text).split())
    for heading in (
        "What was measured",
        "Can it be believed",
        "What was found",
        "Where it lands",
        "What attaching a person does",
        "What cannot be said",
    ):
        assert heading in text
    assert "lower is worse for the person" in text
    assert "Five limits hold for every report" in text
    if Reading(made_report(name)).criterion != "none":
        assert "It does not mean that the model is biased" in text
    for note in made_report(name).notes:
        assert name == "hostile" or note in text


def test_the_exact_page_says_why_there_is_no_p() -> None:
    text = "".join(parsed_page("exact").text)
    assert "The model does not vary, so p and q do not apply" in text
    assert "below the margin" in text
    assert "beyond the model's own noise" not in text


def test_the_empty_page_says_that_there_is_nothing() -> None:
    text = "".join(parsed_page("empty").text)
    assert "no comparison of a swapped person with an anchor" in text
    assert "388 calls of 388 (100.0%) brought no usable answer" in text
    assert "neither reported by the model nor in the price table" in text


def test_hostile_text_stays_text() -> None:
    html = made_page("hostile")
    page = parsed_page("hostile")
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert not any(tag == "img" for tag, _ in page.tags)
    assert not re.search("[\x00\x1b\u202e\u2066\u2028]", html)
    assert "</script><img src=x onerror=alert(1)>[/b][31mevil" in "".join(page.text)
    data = json.loads(page.raw["script"][0])
    assert "</script><img src=x onerror=alert(1)>" in data["swaps"][0]["level"]
    title = render_page(made_report("pilot"), title="<b>Mine</b>\x1b\u202e")
    assert "<h1>&lt;b&gt;Mine&lt;/b&gt;</h1>" in title


def test_a_blank_title_falls_back_to_the_question() -> None:
    assert "<h1>Does jev-1.13.0 decide differently" in render_page(made_report("pilot"), title=" \n")


def test_data_for_scripts_has_no_sign_that_html_reads_and_no_nan() -> None:
    text = script_json({"a": "</script><!--&\u2028\u2029é\ud800", "b": 1.5})
    assert not re.search("[<>&\u2028\u2029]", text)
    assert text.isascii()
    assert json.loads(text)["a"].startswith("</script><!--&\u2028\u2029é")
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json({"a": float("nan")})


def test_an_anchor_has_no_sign_that_ends_an_id() -> None:
    assert (
        anchor("full/religion=muslim/hiring_screen.advance") == "full/religion=muslim/hiring_screen.advance"
    )
    assert anchor('a b"<é') == "a%20b%22%3C%C3%A9"


def test_a_deep_page_is_small_and_drawn_in_under_two_seconds() -> None:
    report = made_report("deep")
    started = time.process_time()
    page = render_page(report)
    spent = time.process_time() - started
    assert len(report.comparisons) == 7_920
    assert len(page.encode()) < 1_000_000
    assert spent < 2


def test_more_than_one_model_is_warned_about() -> None:
    report = made_report("pilot")
    run = report.run.model_copy(update={"models_answered": ["jev-1.13.0", "jev-1.14.0"]})
    page = render_page(report.model_copy(update={"run": run}))
    assert "2 models answered under one name" in page
    assert "2 models answered" not in made_page("pilot")


def test_verdicts_get_their_column_once_a_report_has_them() -> None:
    report = made_report("pilot")
    heads = parsed_page("pilot").tables["pooled-table"][0]
    assert "Verdict" not in heads
    rows = [row.model_copy(update={"verdict": row.verdict or "unclear"}) for row in report.comparisons]
    page = ParsedPage(render_page(report.model_copy(update={"comparisons": rows})))
    table = page.tables["pooled-table"]
    place = table[0].index("Verdict")
    assert {cells[place] for cells in table[1:]} == {"unclear", "control"}


def test_conditions_are_told_in_one_sentence_and_one_row_per_question() -> None:
    report = made_report("pilot")
    text = "".join(parsed_page("pilot").text)
    (shift,) = (row for row in report.conditions if row.question is None and row.baseline)
    assert (
        f"moves the mean favourability by {figures.delta(shift.shift)}, to {figures.level(shift.mean)}"
        in text
    )
    for row in report.conditions:
        assert f'id="{row.id}"' in made_page("pilot")
