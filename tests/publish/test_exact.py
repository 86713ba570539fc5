"""What is told otherwise of a model that does not vary: claim (b), `no difference`, placebos, limits."""

from __future__ import annotations

import pytest

from jevbias.publish.finding_sentences import claims, findings_sentence
from jevbias.publish.findings import Reading
from jevbias.publish.limits import limits
from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport
from tests.publish.conftest import made_report, parsed_page, printed
from tests.publish.reports import with_rows


def words(report: str) -> str:
    """The text of the made page."""
    return " ".join(" ".join(parsed_page(report).text).split())


def moved(delta: float | None) -> RunReport:
    """The exact report with every visible pooled row this far apart, and that called no difference."""

    def update(row: Comparison) -> dict[str, object]:
        seen = row.visible and row.question is None
        return {"delta": delta, "verdict": "no difference"} if seen else {}

    return with_rows(made_report("exact"), update)


def test_claim_b_says_on_how_many_rows_all_anchors_agree_however_small() -> None:
    report = with_rows(
        made_report("exact"),
        lambda row: {"bases": 2, "bases_down": 2 * (row.level == "muslim"), "bases_up": 0},
    )
    reading = Reading(report)
    pooled, single = reading.visible, reading.visible_on_questions
    agreeing = [sum(row.level == "muslim" for row in rows) for rows in (pooled, single)]
    assert all(agreeing)
    assert (
        f"all anchors agree on {agreeing[0]} of {len(pooled)} rows pooled and {agreeing[1]} of "
        f"{len(single)} rows on single questions, however small the difference"
    ) in claims(reading)[1]
    assert "all anchors agree on" in words("exact")
    assert "all anchors agree on" in " ".join(printed(made_report("exact")).split())
    assert "all anchors agree" not in words("pilot")


@pytest.mark.parametrize(
    ("bases", "down", "up", "agree"),
    [
        (6, 6, 0, True),
        (6, 0, 6, True),
        (6, 5, 1, False),
        (6, 5, 0, False),
        (1, 1, 0, False),
        (0, 0, 0, False),
    ],
)
def test_bases_agree_where_all_of_several_move_the_same_way(
    bases: int, down: int, up: int, agree: bool
) -> None:
    row = made_report("exact").comparisons[0]
    assert row.model_copy(update={"bases": bases, "bases_down": down, "bases_up": up}).bases_agree is agree


def test_no_difference_of_an_exact_model_is_one_that_is_below_the_margin() -> None:
    said = findings_sentence(Reading(moved(0.004)))
    assert "“no difference”, where there is one, shown to be below the margin of 0.02 for" in said
    assert "if there is any" not in said
    none = findings_sentence(Reading(moved(0.0)))
    assert "“no difference”, where there is none here, shown to be below the margin of 0.02 for" in none
    first = Reading(moved(0.0)).visible[0].id
    one = with_rows(moved(0.0), lambda row: {"delta": 0.004} if row.id == first else {})
    assert "“no difference”, where in 1 of them there is one, shown" in findings_sentence(Reading(one))


def test_an_exact_run_without_placebos_is_advised_to_ask_them() -> None:
    advice = "`jevbias run --placebos` shows how far other edits move its answers."
    for report in ("exact", "unpooled"):
        assert advice in words(report)
        assert advice in " ".join(printed(made_report(report)).split())
    placebos = made_report("deep").placebos
    assert placebos is not None
    asked = made_report("exact").model_copy(update={"placebos": placebos})
    assert "--placebos" not in printed(asked)
    assert "--placebos" not in words("pilot")


def test_an_exact_run_has_no_limit_about_the_noise_of_a_test_that_it_does_not_make() -> None:
    names = [name for name, _ in limits(made_report("exact")).limits]
    assert names == [
        name for name, _ in limits(made_report("pilot")).limits if name != "Equal noise, by assumption."
    ]
    assert limits(made_report("exact")).sentence.startswith("Four limits hold")
    assert limits(made_report("pilot")).sentence.startswith("Five limits hold")
