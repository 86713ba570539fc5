"""How a trace looks in a terminal: the figure, what adds up to it, and one pair down to its answers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from rich.text import Text

from jevbias.analysis.trace.evidence import Listing, OpenedCell, OpenedPair, ProbeEvidence, Send, Trace
from jevbias.cli.preview_view import diff_text, pretty_body
from jevbias.cli.trace_table import table_lines
from jevbias.cli.visible_text import visible

_INDENT = "  "


def trace_text(trace: Trace, top: int) -> Text:
    """The whole trace; at most `top` rows of each listing, 0 for all."""
    lines = [
        Text(visible(f"{trace.id} of run {trace.run}"), style="bold"),
        Text(_INDENT + visible(trace.says)),
    ]
    for listing in trace.listings:
        lines += _listing(listing, top)
    if trace.opened is not None:
        lines += _pair(trace.opened)
    return Text("\n").join(lines)


def cell_text(cell: OpenedCell) -> Text:
    """One cell: its whole payload and its answers."""
    said = f"{cell.who.label}, {cell.scenario}, {cell.variant}, {cell.condition}"
    lines = [Text(visible(f"{cell.id} of run {cell.run}"), style="bold"), Text(_INDENT + visible(said))]
    lines += _heading("payload")
    if cell.body is not None:
        lines += _block(pretty_body(cell.body.encode("utf-8")))
    lines.append(_verified(cell, "it is:"))
    return Text("\n").join([*lines, *_answers(cell)])


def _listing(listing: Listing, top: int) -> Iterator[Text]:
    yield from _heading(listing.title)
    shown = listing.rows[:top] if top else listing.rows
    for line in table_lines(shown):
        yield Text(_INDENT).append_text(line)
    rest = listing.rows[len(shown) :]
    if rest:
        parts = [getattr(row, "contribution", None) for row in rest]
        known = [part for part in parts if part is not None]
        adding = f", which add {sum(known):+.6f}" if known else ""
        yield Text(f"{_INDENT}and {len(rest):,} more{adding}; --top 0 lists all", style="dim")
    for sentence in listing.sums:
        yield Text(_INDENT + visible(sentence))


def _pair(opened: OpenedPair) -> Iterator[Text]:
    pair, swap, anchor = opened.pair, opened.swap, opened.anchor
    yield from _heading(f"pair {pair.base}/{pair.scenario}/{pair.variant}: {swap.who.full_name}")
    for line in table_lines(opened.questions):
        yield Text(_INDENT).append_text(line)
    yield from _heading(f"payload: {anchor.who.label} (-) against {swap.who.label} (+)")
    if swap.body is not None and anchor.body is not None:
        names = visible(anchor.who.label), visible(swap.who.label)
        for line in diff_text(anchor.body.encode(), swap.body.encode(), *names).split("\n"):
            style = line.spans[0].style if line.spans else line.style
            yield Text(_INDENT + visible(line.plain), style=style)
    yield _verified(anchor, "the anchor's:")
    yield _verified(swap, "the swap's:")
    for side in (swap, anchor):
        yield from _answers(side)


def _verified(cell: OpenedCell, whose: str) -> Text:
    style = {True: "green", False: "bold red", None: "yellow"}[cell.as_sent]
    digest = f" ({cell.body_sha256})" if cell.body_sha256 else ""
    return Text(f"{_INDENT}{whose} {visible(cell.verified)}{digest}", style=style)


def _answers(cell: OpenedCell) -> Iterator[Text]:
    yield from _heading(f"answers about {cell.who.label}: {cell.who.full_name}")
    for probe in cell.probes:
        yield Text(_INDENT + visible(_described(probe)))
        for line in table_lines(probe.answers):
            yield Text(3 * _INDENT).append_text(line)
        if len(probe.sends) != 1 or not probe.sends[0].as_rendered:
            for send in probe.sends:
                yield Text(2 * _INDENT + visible(_sent(send)))
        for send in probe.sends:
            yield from _reply(send.response, f"reply to attempt {send.number}, which did not count")
        yield from _reply(probe.response, "reply as it came")


def _reply(response: str | None, title: str) -> Iterator[Text]:
    if response is not None:
        yield Text(f"{2 * _INDENT}{title}:")
        yield from _block(response, 3 * _INDENT)


def _described(probe: ProbeEvidence) -> str:
    parts = [f"probe {probe.probe}, repeat {probe.replicate}: {probe.status}"]
    if probe.model_answered is not None:
        parts.append(f"model {probe.model_answered}")
    if probe.request_id is not None:
        parts.append(f"request {probe.request_id}")
    if probe.answered_at is not None:
        parts.append(_moment(probe.answered_at))
    if probe.latency_ms is not None:
        parts.append(f"{probe.latency_ms:.1f} ms")
    if probe.error_kind is not None:
        parts.append(f"{probe.error_kind}: {probe.error}")
    return ", ".join(parts)


def _sent(send: Send) -> str:
    body = {True: "the body shown", False: f"another body, {send.body_sha256}", None: "body not known"}
    status = "" if send.http_status is None else f", HTTP {send.http_status}"
    outcome = send.outcome or "in flight"
    return f"attempt {send.number}, {_moment(send.started_at)}: {outcome}{status}, {body[send.as_rendered]}"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _heading(title: str) -> Iterator[Text]:
    yield Text("")
    yield Text(visible(title), style="bold")


def _block(text: str, indent: str = _INDENT) -> Iterator[Text]:
    for line in visible(text, lines=True).split("\n"):
        yield Text(indent + line)
