"""The `jevbias` command: assembles the families of commands and turns expected failures into one line."""

from __future__ import annotations

import sys
from functools import cache
from typing import Annotated, NoReturn, cast

import typer
from typer.core import TyperGroup

from jevbias.cli import (
    archive,
    batch,
    battery,
    catalogue,
    collab,
    compare,
    confirm,
    design,
    doctor,
    export,
    gate,
    init,
    mock,
    report,
    run,
    runs,
    status,
    testbench,
    trace,
)
from jevbias.cli.hints import remember_flag, with_flag
from jevbias.cli.standard_streams import checked_stdout, forgiving_stderr
from jevbias.errors import JevbiasError, OutputClosed

app = typer.Typer(
    name="jevbias",
    help="Measure whether a decision model decides differently when only the person changes.",
    epilog="A first look, for nothing, at the embedded model: jevbias run --profile pilot --driver local, "
    "then jevbias analyse, then jevbias publish.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for family in (
    *(design, catalogue, run, batch, confirm, status, runs, report, trace, compare, gate),
    *(testbench, collab, battery, export, archive, init, mock, doctor),
):
    family.register(app)


def _print_version(asked: bool) -> None:
    if asked:
        from jevbias import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Measure whether a decision model decides differently when only the person changes."""


def run_app(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 fine, 1 failed, 2 bad usage or input, 3 a gate failed, 130 stopped,
    141 where the reader of stdout has gone.
    """
    with forgiving_stderr():
        code = _run(arguments)
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    remember_flag("")
    try:
        with checked_stdout():
            code: int | None = _command()(args=arguments, prog_name="jevbias", standalone_mode=False)
            return code or 0
    except OutputClosed as error:
        return error.exit_code
    except JevbiasError as error:
        return _complain(with_flag(str(error), _takes_database), error.exit_code)
    except typer.TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        return _complain("stopped", 130)


@cache
def _command() -> TyperGroup:
    """What Typer makes of the families; making it takes longer than many a command."""
    return cast(TyperGroup, typer.main.get_command(app))


def _takes_database(words: list[str]) -> bool:
    """Whether the command that these words begin with has `--db`."""
    commands, parameters = _command().commands, _command().params
    while words and words[0] in commands:
        command, words = commands[words[0]], words[1:]
        commands = command.commands if isinstance(command, TyperGroup) else {}
        parameters = command.params
    return any("--db" in option.opts for option in parameters)


def _complain(message: str, code: int) -> int:
    lines = message.strip().splitlines()
    single = message if len(lines) > 1 and message.startswith(("Usage", "\n")) else " ".join(lines)
    prefix = "" if single.lstrip().startswith("Usage") else "jevbias: "
    sys.stderr.write(f"{prefix}{single.strip()}\n")
    return code
