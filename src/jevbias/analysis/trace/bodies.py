"""The body of an ask, rendered again as the run's driver did, and whether it is what was sent."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from jevbias.analysis.trace.evidence import ProbeEvidence
from jevbias.analysis.trace.wording import counted
from jevbias.drivers.select import render_body
from jevbias.errors import UsageError
from jevbias.store.asks import AskReader
from jevbias.store.tables import Run


@dataclass(frozen=True)
class Body:
    """The bytes, or why there are none."""

    content: bytes | None
    problem: str | None = None

    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the bytes, hex."""
        return None if self.content is None else hashlib.sha256(self.content).hexdigest()

    def is_that_of(self, sha256: str | None) -> bool | None:
        """Whether a request with this SHA-256 had this body; None where one of them is not known."""
        return None if sha256 is None or self.content is None else sha256 == self.sha256


def render_asked(run: Run, reader: AskReader, connection: Connection, asks: Sequence[int]) -> dict[int, Body]:
    """The bodies of these asks as the run's driver, model and reasoning effort make them, by the ask's id."""
    return {ask: _rendered(run, reader, connection, ask) for ask in dict.fromkeys(asks)}


def verified(body: Body, probes: Iterable[ProbeEvidence]) -> tuple[bool | None, str]:
    """Whether what was sent of these probes is the body that is shown, None where nothing is known of it; and
    the same in a sentence.
    """
    sends = [(probe, send) for probe in probes for send in probe.sends]
    known = [(probe, send) for probe, send in sends if send.as_rendered is not None]
    differ = [(probe, send) for probe, send in known if not send.as_rendered]
    if body.content is None:
        return None, f"not verified: {body.problem}"
    if not sends:
        return None, "not sent yet"
    if not known:
        return None, f"not verified: no SHA-256 was kept of {counted(len(sends), 'request')}"
    unknown = len(sends) - len(known)
    rest = f"; none was kept of {counted(unknown, 'more request')}" if unknown else ""
    if not differ:
        return True, f"as sent, SHA-256 verified against {counted(len(known), 'request')}{rest}"
    named = ", ".join(
        f"probe {probe.probe} attempt {send.number} ({(send.body_sha256 or '')[:16]})"
        for probe, send in differ[:5]
    )
    more = f" and {len(differ) - 5} more" if len(differ) > 5 else ""
    return False, (
        f"NOT as sent: {len(differ)} of {counted(len(known), 'request')} had another SHA-256 than this body: "
        f"{named}{more}{rest}"
    )


def _rendered(run: Run, reader: AskReader, connection: Connection, ask_id: int) -> Body:
    try:
        ask = reader.load(connection, [ask_id])[ask_id]
    except (zlib.error, ValueError, KeyError, TypeError):
        return Body(None, "the ask was altered in the database and cannot be read back")
    try:
        return Body(render_body(run.driver, run.model, ask, run.settings.get("reasoning_effort")))
    except UsageError as error:
        return Body(None, f"the body cannot be rendered: {error}")
