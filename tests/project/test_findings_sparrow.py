"""What is said about the shipped runs is what their reports say: every number is found there again."""

from __future__ import annotations

import json
import re

import pytest
from embedded_reports import drawn
from findings.embedded_page import embedded_page
from findings.embedded_text import PAGE, embedded_text
from findings.shipped import (
    COMPARED,
    Shipped,
    ShippedRun,
    placebo_archive,
    placebo_report,
    read_shipped,
)
from shipped_runs import held
from sparrow_decider import Decider

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.system_one import render_system_one
from jevbias.plan.build import build_plan
from tests.project.commands import commands_in, options_that_do_not_exist
from tests.project.sparrow_counts import (
    CHECKOUT,
    Plain,
    Row,
    interval,
    of_both,
    signed,
    size,
    stored,
    written,
)

TEXT = (CHECKOUT / "FINDINGS-sparrow.md").read_text(encoding="utf-8").replace("−", "-")
MODELS = ("sparrow-nano-general-v1.1", "sparrow-nano-robot-v1.2")
OPPOSITES = (
    r"`(\w+)=(\w+)` \(([-+][\d.]+)\) and `(\w+)` \(([-+][\d.]+)\) "
    r"are both `(worse|better)` on `([\w.]+)`"
)
SPELT = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.fixture(scope="module")
def shipped() -> Shipped:
    """The reports as the text is made from them."""
    return read_shipped(CHECKOUT)


@pytest.fixture(scope="module")
def models() -> tuple[Plain, Plain]:
    """Both models' reports as plain JSON."""
    first, second = (Plain(model) for model in MODELS)
    return first, second


@pytest.fixture(scope="module")
def compared() -> Row:
    """The comparison of both deep runs as plain JSON."""
    found: Row = stored(COMPARED)["pairs"][0]
    return found


def table(start: str) -> list[list[str]]:
    """The cells of the first table at or below a line that begins so, heads left out."""
    lines = TEXT[TEXT.index(f"\n{start}") + 1 :].splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
    return rows[2:]


def test_a_drifted_figure_changes_the_text(shipped: Shipped) -> None:
    report = shipped.runs[0].report
    assert embedded_text(shipped).replace("−", "-") == TEXT
    drifted = max(
        (row for row in report.comparisons if row.verdict == "worse"), key=lambda row: abs(row.delta or 0)
    )
    rows = [
        row.model_copy(update={"delta": (row.delta or 0) - 0.0002}) if row is drifted else row
        for row in report.comparisons
    ]
    run = ShippedRun(report.model_copy(update={"comparisons": rows}), shipped.runs[0].placebos)
    assert embedded_text(Shipped((run, shipped.runs[1]), shipped.compared)).replace("−", "-") != TEXT


def test_the_table_of_questions_is_the_validity_of_both_reports(models: tuple[Plain, Plain]) -> None:
    rows = table("## Which questions")
    first, second = (model.deep["validity"] for model in models)
    assert len(rows) == len(first) == len(second)
    for cells, *pair in zip(rows, first, second, strict=True):
        expected = [pair[0]["question"]]
        for row in pair:
            assert row["question"] == expected[0]
            odd = row["flag"] == "ok" and row["non_monotone"]
            expected += [written(row["means"][variant], 3) for variant in ("weak", "mid", "strong")]
            expected.append(f"{row['flag']}{', not monotone' if odd else ''}")
        assert cells == expected


def test_the_pooled_table_has_the_strongest_swap_of_every_attribute(models: tuple[Plain, Plain]) -> None:
    rows = table("## The largest differences")
    assert {row[0] for row in rows} == {row["attribute"] for row in models[0].pooled}
    for attribute, protected, *cells in rows:
        for model, (level, delta, over) in zip(models, (cells[:3], cells[3:]), strict=True):
            strongest = max((r for r in model.pooled if r["attribute"] == attribute), key=size)
            assert level.split("`")[0] == strongest["level"]
            assert ("name only" in level) == (strongest["condition"] == "name_only")
            assert (delta, over) == (signed(strongest["delta"]), interval(strongest["ci_people"]))
            assert (protected == "yes") == strongest["protected"]
            assert strongest["verdict"] == "no difference"
    assert f"each of the other {2 * len(models[0].pooled) - 2 * len(rows)}." in TEXT
    assert all(row["verdict"] == "no difference" for model in models for row in model.pooled)


@pytest.mark.parametrize("place", [0, 1])
def test_the_tables_of_what_moved_are_rows_of_the_report(models: tuple[Plain, Plain], place: int) -> None:
    model = models[place]
    rows = table(f"`{MODELS[place]}`, {len(model.moved)} comparisons")
    strongest: dict[str, Row] = {}
    for row in sorted(model.moved, key=lambda row: (-size(row), row["id"])):
        strongest.setdefault(row["attribute"], row)
    assert len(rows) == len(strongest)
    for cells, row in zip(rows, strongest.values(), strict=True):
        names = row["condition"] == "name_only"
        swap = f"{row['attribute']}={row['level']}" + ("` (name only)" if names else "")
        beyond = "not asked" if names else "yes" if model.beyond(row) else "no"
        bases = f"{row['bases_down']}, {row['bases_up']}"
        same, others = model.other_levels(row)
        alike = f"{len(same)} of {len(others)}" if others else "no others"
        figures = [signed(row["delta"]), interval(row["ci_people"]), bases, row["verdict"], alike, beyond]
        assert cells == [swap, row["question"], *figures]


def test_the_tables_of_placebos_are_rows_of_their_reports(models: tuple[Plain, Plain]) -> None:
    expected = []
    for name, model in zip(MODELS, models, strict=True):
        readable = [row for row in model.placebos if row["question"] in model.questions]
        for row in sorted(readable, key=lambda row: (-size(row), row["id"]))[:3]:
            figures = [signed(row["delta"]), interval(row["ci_people"])]
            swap, bases = f"{row['attribute']}={row['level']}", f"{row['bases_down']}, {row['bases_up']}"
            expected.append([name, swap, row["question"], *figures, bases])
    assert table("## Placebos") == expected


def test_swaps_and_placebos_are_counted_on_the_same_questions(models: tuple[Plain, Plain]) -> None:
    counts, reach, beyond = table("Side by side")
    for place, model in enumerate(models):
        swaps, placebos = (
            [row for row in rows if row["question"] in model.questions]
            for rows in (model.worded, model.placebos)
        )
        for column, rows in ((1 + 2 * place, swaps), (2 + 2 * place, placebos)):
            some = len(model.like_shown(rows))
            assert counts[column] == f"{len(rows):,}"
            assert reach[column] == f"{some} ({written(100 * some / len(rows), 1)}%)"
        further = sum(map(model.beyond, swaps))
        assert beyond[1 + 2 * place] == f"{further} ({written(100 * further / len(swaps), 1)}%)"


def test_what_made_swaps_worse_or_better_is_what_is_counted_of_placebos(models: tuple[Plain, Plain]) -> None:
    for model in models:
        worded = [row for row in model.worded if row["question"] in model.questions]
        shown = [row for row in worded if row["verdict"] in ("worse", "better")]
        assert model.like_shown(worded) == shown
    typeface = max((row for row in models[1].placebos if row["question"] in models[1].questions), key=size)
    assert typeface["attribute"] == "typeface"
    assert typeface["ci_people"][1] < -models[1].margin
    assert typeface["bases_down"] == typeface["bases"]


def test_every_number_of_the_prose_is_counted_in_the_reports(
    models: tuple[Plain, Plain], compared: Row
) -> None:
    known = {value for model in models for value in model.counted().values()}
    known |= set(of_both(models, compared).values())
    known |= {0, 1, 0.03, 2 * len(models[0].pooled) - 2 * len(table("## The largest differences"))}
    said = "\n".join(line for line in TEXT.splitlines() if not line.startswith("|"))
    said = re.sub(OPPOSITES, "", said)
    said = re.sub(r"(?s)```.*?```|`[^`]*`|\]\([^)]*\)", "]", re.sub(r"(?m)^\d+\. ", "", said))
    found = re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?", said)
    assert len(found) > 90
    for number in found:
        plain = number.replace(",", "").rstrip(".")
        places = len(plain.partition(".")[2])
        assert any(
            plain.lstrip("+-") == written(value, places) and (plain[0] != "-" or value < 0) for value in known
        ), number
    for word in re.findall(rf"\b({'|'.join(SPELT[3:])})\b", said, re.IGNORECASE):
        assert SPELT.index(word.lower()) in known, word


def test_what_the_prose_leans_on_stands_where_it_belongs(models: tuple[Plain, Plain], compared: Row) -> None:
    a, b = (model.counted() for model in models)
    both = of_both(models, compared)
    for sentence in (
        f"largest is {signed(a['largest pooled'])} and {signed(b['largest pooled'])}, and the margin 0.02.",
        f"{a['shown']} comparisons of {a['told']:,} are `worse` or `better` on their question in the first",
        f"in the first model, {b['shown']} of {b['told']:,} in the second.",
        f"On {a['as far']} and {b['as far']} of the {a['questions']} questions the typical placebo",
        f"the span of {a['within bases']} of {a['questions']} questions in the first model and of "
        f"{b['within bases']} in the second is no larger than that alone may make it; of those that are `ok`,"
        f" {SPELT[int(a['ok within bases'] + b['ok within bases'])]}.",
        f"these are withheld: {a['withheld']} questions in the first model, {b['withheld']} in the second",
        f"on {a['swap beats case']} of the {a['questions']} questions in the first model and "
        f"{b['swap beats case']} in the second some single attribute",
        f"on {a['shift beats swap']} and {b['shift beats swap']} questions the step from the name alone",
        f"{a['not still']:,} are other than zero in the first model and {b['not still']:,} in the second",
        f"{a['at margin']} and {b['at margin']} reach it, {a['moved']} and {b['moved']} of them on questions",
        f"in {a['worded one way']:,} of {a['worded']:,} such comparisons on single questions all anchors "
        f"move one way in the first model, in {b['worded one way']:,} in the second",
        f"from {a['together']:,} of them on, all of them pass. Here {a['one way']:,} and {b['one way']:,} do",
        f"{a['shown pooled']} and {b['shown pooled']} are on questions that respond to "
        f"the case in order and enter the pooled score; {a['shown uneven']} and "
        f"{SPELT[int(b['shown uneven'])]} are on questions that respond out of order",
        f"{a['shown uniform']} and {SPELT[int(b['shown uniform'])]} on questions with practically one answer",
        f"In {a['all alike']} of the {a['with others']} rows of the first model whose attribute has other "
        f"levels, all of these move the answer the same way, and in {SPELT[int(b['all alike'])]} of "
        f"{b['with others']} in the second",
        f"{a['named one way']} of {a['named']} comparisons move one way in the first model and "
        f"{b['named one way']} in the second",
        f"{a['shown']} and {b['shown']} are shown for other names and case mixes; {a['these cases']} and",
        f"Of those that do not reach it, {a['unclear']} and {b['unclear']} are `unclear`",
        f"excludes zero for {SPELT[int(a['beyond cases'])]} of {a['pooled']} swaps in the first model",
        f"of {a['yes or no']} and {b['yes or no']} comparisons on yes/no questions that reach the margin, "
        f"{SPELT[int(a['flipped'])]} and {SPELT[int(b['flipped'])]} decide",
        f"Of the first model's {a['worded moved']} swaps that reach the margin, {a['moved beyond']} move "
        f"further than every placebo on their question; of the second's {b['worded moved']}, "
        f"{SPELT[int(b['moved beyond'])]} do.",
        f"by {signed(a['again'])} instead of {signed(a['before'])} in the first model",
        f"by {signed(b['again'])} instead of {signed(b['before'])} in the second",
        f"{both['differs little']} differ by less than the margin, {both['alike']} are alike within it",
        f"The sign is the same for {both['agree']} of {both['of']} pooled and for "
        f"{both['agree on questions']} of {both['of on questions']} on single questions",
        f"{both['apart']} of {compared['question_tests']} differ by more than lies inside the margin, and in "
        f"{both['opposite']} of them",
        f"took {a['minutes']} min and {b['minutes']} min",
    ):
        assert sentence in TEXT


def test_opposite_levels_that_share_a_verdict_are_rows_of_the_report(models: tuple[Plain, Plain]) -> None:
    short = TEXT.partition("can come out alike.** In the first model ")[2].partition("\n")[0]
    said = TEXT.partition("Opposites can even share a verdict: ")[2].partition("\n")[0]
    halves = zip(short.split("; in the second "), said.split(" in the first model; "), strict=True)
    for model, half in zip(models, map("".join, halves), strict=True):
        found = re.findall(OPPOSITES, half)
        assert found
        for attribute, first, delta, second, other, verdict, question in found:
            for level, figure in ((first, delta), (second, other)):
                row = model.by_id[f"full/{attribute}={level}/{question}"]
                assert (signed(row["delta"]), row["verdict"]) == (figure, verdict)


def test_its_page_is_what_the_reports_make_of_it_and_its_links_lead_somewhere(shipped: Shipped) -> None:
    page = (CHECKOUT / "docs" / PAGE).read_text(encoding="utf-8")
    assert page == embedded_page(shipped), "run scripts/findings_pages.py"
    assert "Published elsewhere" not in page
    assert "<script" not in page
    for link in re.findall(r'href="([^"#:]+)"', page):
        assert (CHECKOUT / "docs" / link).exists(), link


def test_the_comparison_is_of_the_runs_whose_reports_ship(models: tuple[Plain, Plain], compared: Row) -> None:
    assert compared["basis"] == "pairs"
    assert [compared["first"], compared["second"]] == [model.deep["run"]["name"] for model in models]
    flags = [{r["question"]: r["pooled"] for r in model.deep["validity"]} for model in models]
    assert compared["questions"] == [key for key in flags[0] if flags[0][key] and flags[1][key]]
    for row in compared["rows"]:
        if row["visible"] and row["question"] is not None:
            sides = [model.by_id[row["id"]]["delta"] for model in models]
            assert [row["first"]["delta"], row["second"]["delta"]] == pytest.approx(sides, abs=1e-6)
            assert row["difference"] == pytest.approx(sides[1] - sides[0], abs=2e-6)


def test_a_run_with_placebos_says_what_its_report_says() -> None:
    report = held(CHECKOUT / placebo_report(MODELS[1]))
    assert drawn(CHECKOUT / placebo_archive(MODELS[1])) == report, "run scripts/embedded_reports.py"


@pytest.mark.parametrize("placebos", [False, True])
def test_some_requests_are_longer_than_a_model_reads(catalogue: Catalogue, placebos: bool) -> None:
    update = {"placebos": placebos, "swept": ["veteran"]}
    profile = catalogue.profiles["jev-latest-deep"].model_copy(update=update)
    scenarios = ("hiring_screen", "lending")
    made = build_plan(catalogue, "deep", profile, 20260920, scenarios=scenarios, anchor_reference=True)
    states = [
        (ask.frame.scenario, json.loads(render_system_one("", ask))["state"]) for ask in made.asks.values()
    ]
    for model, cut in zip(MODELS, (scenarios[:placebos], scenarios[: 1 + placebos]), strict=True):
        reader = Decider.load(model).static
        texts = [(scenario, json.dumps(state, indent=2, ensure_ascii=False)) for scenario, state in states]
        long = {key for key, text in texts if len(reader.tok.encode(text, len(text))) > reader.max_len}
        assert long == set(cut)


def test_both_runs_are_about_the_same_anchors_and_the_model_never_varies(models: tuple[Plain, Plain]) -> None:
    for model in models:
        assert model.deep["noise_floor"]["exact"]
        assert model.placebo["noise_floor"]["exact"]
        assert model.deep["run"]["seed"] == model.placebo["run"]["seed"]
        assert model.deep["run"]["model"] == model.placebo["run"]["model"]
        assert model.deep["run"]["scenarios"] == model.placebo["run"]["scenarios"]
    assert models[0].deep["run"]["plan_hash"] == models[1].deep["run"]["plan_hash"]
    assert models[0].placebo["run"]["plan_hash"] == models[1].placebo["run"]["plan_hash"]


def test_its_commands_take_their_options_and_its_links_lead_somewhere() -> None:
    given = commands_in(TEXT)
    assert len(given) > 10
    assert options_that_do_not_exist(given) == []
    for link in re.findall(r"\]\(([^)]+)\)", TEXT):
        assert (CHECKOUT / link).exists(), link
