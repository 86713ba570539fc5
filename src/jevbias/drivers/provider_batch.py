"""A batch as the provider describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from jevbias.drivers.base import Reply
from jevbias.drivers.failures import message_of_error, one_line

COMPLETED = "completed"
UNSAID = "unknown"
"""The status of a batch whose status the provider does not say."""
FINAL_STATUSES = frozenset({COMPLETED, "failed", "expired", "cancelled"})
"""What a batch never leaves; any other status, known or not, is waited for."""

_LARGEST_COUNT = 10**9
_LONGEST_ID = 200


@dataclass(frozen=True)
class BatchResult:
    """What came of one request. `reply` is the model server's, as if the request had gone alone; None where
    none came: then `error_code`, and `error` as a JSON body like that of a failed reply, say why, if the
    provider does.
    """

    custom_id: str
    reply: Reply | None
    error_code: str | None = None
    error: bytes | None = None


@dataclass(frozen=True)
class ProviderBatch:
    """A batch at the provider. What it does not say is None: `custom_ids` are the names of its requests, as
    far as requests or results are shown, `results` what came of them. Times are seconds since the epoch.
    """

    provider_id: str
    status: str
    model: str | None = None
    created_at: float | None = None
    requests: int | None = None
    completed: int | None = None
    failed: int | None = None
    custom_ids: frozenset[str] | None = None
    results: tuple[BatchResult, ...] | None = None
    error: str | None = None

    @property
    def is_final(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in FINAL_STATUSES


def read_batch(raw: object) -> ProviderBatch | None:
    """A batch from the provider's JSON, read by what is needed of it; None for what has no id, or none that
    is short and printable: another could not be asked for again.
    """
    if not isinstance(raw, Mapping):
        return None
    provider_id = raw.get("id")
    if not isinstance(provider_id, str) or not provider_id or _text(provider_id) != provider_id:
        return None
    counts = raw.get("request_counts")
    counts = counts if isinstance(counts, Mapping) else {}
    listed = raw.get("requests")
    results = _results(raw.get("results"))
    return ProviderBatch(
        provider_id=provider_id,
        status=_text(raw.get("status"), 40).lower() or UNSAID,
        model=_text(raw.get("model"), _LONGEST_ID) or None,
        created_at=_time(raw.get("created_at")),
        requests=_count(counts.get("total")),
        completed=_count(counts.get("completed")),
        failed=_count(counts.get("failed")),
        custom_ids=_custom_ids(listed, results),
        results=results,
        error=_error(raw),
    )


def _results(raw: object) -> tuple[BatchResult, ...] | None:
    if not isinstance(raw, list):
        return None
    entries = [
        entry for entry in raw if isinstance(entry, Mapping) and isinstance(entry.get("custom_id"), str)
    ]
    return tuple(_result(entry) for entry in entries)


def _result(raw: Mapping[str, object]) -> BatchResult:
    error = raw.get("error")
    code = error.get("code") if isinstance(error, Mapping) else error
    named = isinstance(code, str | int) and not isinstance(code, bool)
    return BatchResult(
        custom_id=str(raw["custom_id"]),
        reply=_reply(raw.get("response")),
        error_code=one_line(str(code), 40) if named else None,
        error=None if error is None else _json({"error": error}).encode(),
    )


def _reply(raw: object) -> Reply | None:
    """The reply to one request; None where there is none, or none with a status."""
    if not isinstance(raw, Mapping):
        return None
    status = _status(raw.get("status_code"))
    if status is None:
        return None
    body = raw.get("body")
    text = body if isinstance(body, str) else _json(body)
    request_id = _text(raw.get("request_id"), _LONGEST_ID)
    return Reply(status, text.encode("utf-8", errors="replace"), 0.0, request_id=request_id or None)


def _status(raw: object) -> int | None:
    """An HTTP status, also one that is written as text or with decimals: its reply was paid for."""
    text = str(raw) if isinstance(raw, str | int | float) and not isinstance(raw, bool) else ""
    number, _, decimals = text.partition(".")
    plain = len(number) == 3 and number.isascii() and number.isdigit() and not decimals.strip("0")
    return int(number) if plain and 100 <= int(number) < 600 else None


def _json(content: object) -> str:
    """JSON again, in ASCII; what stood twice under one name is null, what nests too deep is nothing."""
    try:
        return json.dumps(content, default=lambda _: None)
    except RecursionError:
        return ""


def _custom_ids(listed: object, results: tuple[BatchResult, ...] | None) -> frozenset[str] | None:
    if isinstance(listed, list):
        named = [entry.get("custom_id") for entry in listed if isinstance(entry, Mapping)]
        found = frozenset(name for name in named if isinstance(name, str))
        if found:
            return found
    return frozenset(result.custom_id for result in results) if results else None


def _error(raw: Mapping[str, object]) -> str | None:
    for name in ("error", "errors"):
        value = raw.get(name)
        if isinstance(value, Mapping) and isinstance(value.get("data"), list) and value["data"]:
            value = value["data"][0]
        if value and (message := message_of_error(value)):
            return message
    return None


def _text(raw: object, limit: int = _LONGEST_ID) -> str:
    return one_line(raw, limit) if isinstance(raw, str) else ""


def _count(raw: object) -> int | None:
    whole = isinstance(raw, int) and not isinstance(raw, bool)
    return raw if whole and isinstance(raw, int) and 0 <= raw <= _LARGEST_COUNT else None


def _time(raw: object) -> float | None:
    """A moment given in seconds since the epoch or as an ISO date."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int | float):
        return float(raw) if 0 < raw < 1e11 else None
    try:
        moment = datetime.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        return None
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
