"""The command line in an empty folder, as its own tests run it."""

from tests.cli.conftest import jevbias

__all__ = ["jevbias"]
