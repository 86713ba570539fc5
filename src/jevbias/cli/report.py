"""`analyse` and `publish`: what a run says, in the terminal and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("analyse")(analyse)
    app.command("publish")(publish)


def analyse(
    run: options.RunName = None,
    top: Annotated[int, typer.Option("--top", help="How many findings to list.", min=0)] = 10,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="The report [default: reports/<run>.json].", show_default=False
        ),
    ] = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute the report, print its headlines and write it as JSON."""
    from jevbias.analysis.analyse import analyse_run
    from jevbias.cli.console import need_file_name, print_data, say, write_file
    from jevbias.publish.headlines import headlines
    from jevbias.report.write import report_json
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    if out is not None:
        need_file_name(out, "--out", "--json", such_as="report.json")
    report = analyse_run(open_store_to_read(load_settings(db=db).db), run)
    content = report_json(report)
    path = out or Path("reports") / f"{report.run.name}.json"
    write_file(path, content)
    if as_json:
        typer.echo(content.decode("utf-8").rstrip("\n"))
    else:
        print_data(headlines(report, top=top))
    say(f"wrote {path}")


def publish(
    others: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN_B...]", help="With --compare, the other runs.")
    ] = None,
    run: options.RunName = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The page.")] = Path("docs/index.html"),
    title: options.Title = None,
    nav: Annotated[
        list[str] | None,
        typer.Option("--nav", metavar="LABEL=FILE", help="A link to another page; may be repeated."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Publish this report instead of analysing a run.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="RUN_A",
            help="Put other runs beside this one: --compare RUN_A RUN_B; a name in .json is a report file.",
            show_default=False,
        ),
    ] = None,
    db: options.Database = None,
) -> None:
    """Write a run up, or several side by side, as one self-contained static page."""
    from jevbias.analysis.analyse import analyse_run
    from jevbias.cli.console import need_file_name, say, write_file
    from jevbias.errors import UsageError
    from jevbias.publish.page import render_page
    from jevbias.report.write import read_report
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    need_file_name(out, "--out", "--out /dev/stdout")
    links = []
    for link in nav or []:
        label, separator, target = link.partition("=")
        if not (label and separator and target):
            raise UsageError(f"--nav: '{link}' is not LABEL=FILE, such as 'Mock=mock.html'")
        links.append((label, target))
    if report is not None and run is not None:
        raise UsageError("--run and --report: give one of them")
    if compare is not None:
        if run is not None or report is not None:
            raise UsageError("--compare names its runs itself: leave --run and --report out")
        names = [compare, *(others or [])]
        text, drawn = _side_by_side(names, title, links, load_settings(db=db).db), f"runs {', '.join(names)}"
    elif others:
        raise UsageError(f"{others[0]}: name a run with --run, or several with --compare RUN_A RUN_B")
    elif report is not None:
        found = read_report(report)
        text, drawn = render_page(found, title=title, nav=links), f"run {found.run.name}"
    else:
        found = analyse_run(open_store_to_read(load_settings(db=db).db), run)
        text, drawn = render_page(found, title=title, nav=links), f"run {found.run.name}"
    page = text.encode("utf-8")
    write_file(out, page)
    say(f"wrote {out} ({len(page) / 1e6:.2f} MB): {drawn}")


def _side_by_side(names: list[str], title: str | None, nav: list[tuple[str, str]], db: str) -> str:
    from jevbias.analysis.compare import compare_runs
    from jevbias.analysis.compare_sources import read_sources
    from jevbias.publish.compared_page import render_compared
    from jevbias.store.engine import open_store_to_read

    return render_compared(
        compare_runs(read_sources(names, lambda: open_store_to_read(db))), title=title, nav=nav
    )
