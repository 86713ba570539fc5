"""Text that every server can read as it was meant, or a refusal before it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jevbias.drivers.failures import one_line
from jevbias.errors import UsageError
from jevbias.plan.model import Ask


class UnsendableText(UsageError, ValueError):
    """Text with half of a surrogate pair, which no server could read as it was meant."""


@contextmanager
def sendable(ask: Ask) -> Iterator[None]:
    """Inside, an ask is made into UTF-8. Raises UnsendableText, naming the scenario, where it cannot be."""
    try:
        yield
    except UnicodeEncodeError as error:
        around = one_line(error.object[max(0, error.start - 20) : error.start])
        place = f"{ask.frame.scenario}, {ask.frame.variant}"
        raise UnsendableText(f"{place}: half of a surrogate pair after '…{around}' cannot be sent") from None
