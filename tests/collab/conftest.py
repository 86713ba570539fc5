"""The command line in an empty folder, as its own tests run it."""

from tests.cli.conftest import _the_shipped_catalogue_is_read_once, jevbias

__all__ = ["_the_shipped_catalogue_is_read_once", "jevbias"]
