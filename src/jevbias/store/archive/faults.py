"""What is wrong with a line of an archive, said in one line."""

from __future__ import annotations

from pydantic import ValidationError

from jevbias.catalogue.keypath import dotted, one_line


class Fault(Exception):
    """A fault of a line, as a sentence about it."""


def described(error: ValidationError) -> str:
    """The first fault that a validation found: where it is and what is allowed there."""
    first = error.errors(include_url=False, include_input=False)[0]
    place, message = one_line(dotted(first["loc"]), 120), one_line(first["msg"], 200)
    return f"{place}: {message}" if place else message
