"""What a reply without an answer means: its verdict, and its reason in one line."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from jevbias.drivers.base import Reply, Verdict
from jevbias.drivers.json_text import BrokenJson, read_json

RETRIED_STATUSES = frozenset({408, 409, 425, 429})
STOPPING_STATUSES = frozenset({401, 402, 403, 404})
MESSAGE_LIMIT = 300

_RETRIED_FAULTS = frozenset({"timeout", "connection", "dns", "truncated"})
_STOPPING_FAULTS = frozenset({"tls", "server_died"})


def verdict_of_status(status: int) -> Verdict:
    """What an HTTP status (or the `code` of an error object) that is no success means for a probe.

    What can pass is retried (408, 409, 425, 429, every 5xx); a refused key, missing credit, an unknown model
    or address, and a redirect stop the run; anything else is this probe's own fault.
    """
    if status in RETRIED_STATUSES or 500 <= status < 600:
        return "retry"
    if status in STOPPING_STATUSES or 300 <= status < 400:
        return "stop"
    return "failed"


def verdict_of_fault(fault: str) -> Verdict:
    """What a transport fault means for a probe."""
    if fault in _RETRIED_FAULTS:
        return "retry"
    return "stop" if fault in _STOPPING_FAULTS else "failed"


def status_line(status: int) -> str:
    """`429 Too Many Requests`, or the bare number where it has no name."""
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def error_message(reply: Reply) -> str:
    """What the body of an error says, in one line; empty where it says nothing a person could use.

    Knows the shapes in use: `detail` as text, as an object with `error_type` and perhaps `message`, or as a
    list of `{loc, msg, type}`; `error` as text or as an object; a bare `message`; plain text.
    """
    text = reply.body.decode("utf-8", errors="replace").strip()
    try:
        content = read_json(text)
    except BrokenJson:
        return "" if text.startswith("<") else one_line(text)
    return one_line(_message_in(content) or text)


def error_object(body: bytes) -> Mapping[str, object]:
    """The `error` object of a body; empty where it has none."""
    try:
        content = read_json(body)
    except BrokenJson:
        return {}
    error = content.get("error") if isinstance(content, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def message_of_error(error: object) -> str:
    """The text of an `error` or `detail` value, in one line; empty where it has none."""
    return one_line(_message_in(error) or "")


def one_line(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Text of a server fit for a terminal and a database: one line, printable, cut at `limit` characters."""
    if len(text) > limit or not text.isprintable():
        text = "".join(ch if ch.isprintable() else " " for ch in text[: 4 * limit])
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def _message_in(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return _locations(content)
    if not isinstance(content, Mapping):
        return None
    kind = content.get("error_type")
    for name in ("message", "msg", "error", "detail"):
        value = content.get(name)
        message = value if isinstance(value, str) else _nested(value)
        if message:
            named = f"{kind}: {message}" if isinstance(kind, str) else message
            return f"{named}{_words_of_another(content)}"
    return kind if isinstance(kind, str) else None


def _nested(content: object) -> str | None:
    """The message one level further down, and no deeper: a hostile body may nest without end."""
    if isinstance(content, list):
        return _locations(content)
    if not isinstance(content, Mapping):
        return None
    kind = next(
        (content[name] for name in ("error_type", "type") if isinstance(content.get(name), str)), None
    )
    message = next((content[name] for name in ("message", "msg") if isinstance(content.get(name), str)), None)
    said = ": ".join(part for part in (kind, message) if part)
    return f"{said}{_words_of_another(content)}" or None


def _words_of_another(error: Mapping[str, object]) -> str:
    """What the server behind a gateway said, which OpenRouter passes on as `metadata.raw`."""
    details = error.get("metadata")
    raw = details.get("raw") if isinstance(details, Mapping) else None
    return f" ({raw})" if isinstance(raw, str) and raw.strip() else ""


def _locations(entries: list[object]) -> str | None:
    parts = []
    for entry in entries:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("msg"), str):
            continue
        location = entry.get("loc")
        steps = location if isinstance(location, list) else []
        path = ".".join(str(step) for step in steps if isinstance(step, str | int) and step != "body")
        parts.append(f"{path}: {entry['msg']}" if path else entry["msg"])
    shown = "; ".join(parts[:3])
    return f"{shown} (and {len(parts) - 3} more)" if len(parts) > 3 else shown or None
