"""A report as one self-contained page: no build step, no network, readable without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.publish.brief import brief
from jevbias.publish.charts.case_lines import case_lines
from jevbias.publish.charts.contrast_forest import contrast_forest
from jevbias.publish.charts.control_quantiles import control_quantiles
from jevbias.publish.charts.forest import forest
from jevbias.publish.charts.power_curve import power_curve
from jevbias.publish.conditions import conditions
from jevbias.publish.contrasts import contrasts
from jevbias.publish.credibility import credibility
from jevbias.publish.document import environment, policy, scripts, styles
from jevbias.publish.findings import Reading
from jevbias.publish.found import found
from jevbias.publish.hypotheses import hypotheses_section
from jevbias.publish.limits import limits
from jevbias.publish.matrix import matrix
from jevbias.publish.measured import answering_model, measured
from jevbias.publish.nav import nav_links
from jevbias.publish.page_data import packed_data, page_data
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import RunReport

STYLES = ("page.css", "tables.css", "matrix.css", "charts.css", "small_screens.css", "print.css")
SCRIPTS = (
    "unpack.js",
    "figures.js",
    "rows.js",
    "row_figures.js",
    "csv.js",
    "comparison_table.js",
    "question_rows.js",
    "trace.js",
    "fit_figures.js",
    "links.js",
    "matrix.js",
    "start.js",
)
"""In this order they are one script: each uses what stands before it."""


def render_page(report: RunReport, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()) -> str:
    """The page of a run, drawn from its report alone; the same report gives the same bytes.

    `title` replaces the page's question as its heading; `nav` holds (label, address) pairs for links to other
    pages, relative or https. Raises UsageError for any other address.
    """
    links = nav_links(nav)
    reading = Reading(report)
    style, script = styles(STYLES), scripts(SCRIPTS)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            title=printable(title).strip() if title and printable(title).strip() else _question(report),
            run=report.run,
            nav=links,
            brief=brief(reading),
            measured=measured(report),
            credibility=credibility(reading),
            hypotheses=hypotheses_section(report.hypotheses),
            contrasts=contrasts(report.factorial),
            found=found(reading),
            exact=reading.exact,
            forest=forest(reading),
            contrast_forest=contrast_forest(report.factorial, report.run.margin),
            case_lines=case_lines(report),
            quantiles=control_quantiles(reading),
            power=power_curve(reading),
            matrix=matrix(reading),
            conditions=conditions(report),
            limits=limits(report),
            data=packed_data(page_data(reading)),
            style=style,
            script=script,
            policy=policy(style, script),
        )
    )


def _question(report: RunReport) -> str:
    run = report.run
    model = answering_model(run) if run.answered else printable(run.model)
    return f"Does {model} decide differently when only the person changes?"
