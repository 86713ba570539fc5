"""Imported by the fork server of `processes`: does what each of its children would do again."""

import contextlib
import io

from jevbias.cli.main import run_app
from tests.cli import shipped
from tests.conftest import CHECKOUT

shipped.read_files(CHECKOUT)
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    run_app(["--version"])  # builds the command line
