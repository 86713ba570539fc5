"""OpenRouter's batches: chat requests that are handed over together and answered within a day."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote

from jevbias.catalogue.canonical import canonical_json
from jevbias.drivers.advice import advice_on
from jevbias.drivers.base import Reply
from jevbias.drivers.failures import error_message, status_line
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.drivers.provider_batch import UNSAID, ProviderBatch, read_batch
from jevbias.drivers.providers import PROVIDERS

PATH = "/batches"
MOST_REQUESTS = 5_000
LARGEST_BODY = 200_000_000
"""Bytes of one batch; with `MOST_REQUESTS`, what the provider takes at once."""
LARGEST_REPLY = 400_000_000
"""Bytes of a batch with its results."""

_ENDPOINT = "/v1/chat/completions"
_WINDOW = "24h"
_BUSY = frozenset({425, 429})
_TURNED_AWAY = frozenset({400, 401, 402, 403, 404, 405, 406, 411, 414, 415, 421, 422, 431, 451})
"""Statuses that say the batch was not taken; any other error may come after it was (408, 409 among them)."""
_PAGE = 100
_MOST_PAGES = 200


@dataclass(frozen=True)
class BatchRequest:
    """One request of a batch: its name there, and the body as a chat driver renders it."""

    custom_id: str
    body: bytes


class Fate(Enum):
    """What became of a submission."""

    ACCEPTED = "the provider has it"
    REFUSED = "the provider does not have it"
    TOO_LARGE = "it is larger than the provider takes"
    BUSY = "the provider does not have it and may take it later"
    UNKNOWN = "it may have arrived"


@dataclass(frozen=True)
class Submission:
    """What became of a submission, in one line where it was not accepted. `retry_after` is the server's hint
    in seconds.
    """

    fate: Fate
    batch: ProviderBatch | None = None
    error: str = ""
    retry_after: float | None = None


@dataclass(frozen=True)
class Look:
    """One look at a batch: what it is, or in one line why it could not be seen.

    `missing`: the provider knows none of this id (for some seconds after a submission it may still come).
    `stop`: no further look will succeed either (a refused key).
    """

    batch: ProviderBatch | None = None
    error: str = ""
    missing: bool = False
    stop: bool = False


@dataclass(frozen=True)
class Listing:
    """The provider's batches; with an error, in one line, those that were listed before it."""

    batches: tuple[ProviderBatch, ...] = ()
    error: str = ""
    stop: bool = False


def batch_body(model: str, requests: Sequence[BatchRequest]) -> bytes:
    """The body of a submission. `requests` comes last, because the provider reads the body as a stream; the
    single bodies carry no `model`.
    """
    head = canonical_json({"endpoint": _ENDPOINT, "model": model, "completion_window": _WINDOW})
    entries = b",".join(
        canonical_json({"custom_id": request.custom_id, "body": _without_model(request.body)})
        for request in requests
    )
    return b'%s,"requests":[%s]}' % (head[:-1], entries)


def _without_model(body: bytes) -> dict[str, object]:
    content = json.loads(body)
    return {name: value for name, value in content.items() if name != "model"}


class OpenRouterBatches:
    """The batches of one account. Faults come back as values; nothing is sent twice by itself."""

    def __init__(self, transport: HttpTransport, model: str) -> None:
        self.base_url = transport.base_url
        self._transport, self._model = transport, model

    async def submit(self, requests: Sequence[BatchRequest]) -> Submission:
        """Hand over a batch, once."""
        return await self.submit_body(batch_body(self._model, requests))

    async def submit_body(self, body: bytes) -> Submission:
        """Hand over what `batch_body` made, once."""
        reply = await self._transport.post(PATH, body)
        if reply.status is None:
            fate = Fate.UNKNOWN if reply.possibly_billed else Fate.REFUSED
            return Submission(fate, error=self._line(reply))
        if 200 <= reply.status < 300:
            batch = _batch_in(reply)
            if batch is None or (batch.error and batch.status == UNSAID):
                what = "without the batch's id" if batch is None else f"with an error: {batch.error}"
                error = f"{self.base_url}{PATH} answered {status_line(reply.status)} {what}"
                return Submission(Fate.UNKNOWN, error=error)
            return Submission(Fate.ACCEPTED, batch)
        if reply.status == 413:
            return Submission(Fate.TOO_LARGE, error=self._line(reply))
        if reply.status in _BUSY:
            return Submission(Fate.BUSY, error=self._line(reply), retry_after=reply.retry_after)
        refused = reply.status in _TURNED_AWAY or 300 <= reply.status < 400
        return Submission(Fate.REFUSED if refused else Fate.UNKNOWN, error=self._line(reply))

    async def get(self, provider_id: str) -> Look:
        """Look at one batch; its results come with it once it has ended."""
        reply = await self._transport.get(f"{PATH}/{quote(provider_id, safe='')}")
        if reply.status is not None and 200 <= reply.status < 300:
            batch = _batch_in(reply)
            if batch is not None and batch.provider_id == provider_id:
                return Look(batch)
            what = "something that is no batch" if batch is None else f"another batch, {batch.provider_id}"
            return Look(error=f"{self.base_url}{PATH} answered with {what}")
        return Look(error=self._line(reply), missing=reply.status == 404, stop=_is_final(reply))

    async def list(self) -> Listing:
        """Every batch of the account, page by page."""
        found: dict[str, ProviderBatch] = {}
        after: str | None = None
        for _ in range(_MOST_PAGES):
            page = f"{PATH}?limit={_PAGE}" + (f"&after={quote(after, safe='')}" if after else "")
            reply = await self._transport.get(page)
            if reply.status is None or not 200 <= reply.status < 300:
                return Listing(tuple(found.values()), self._line(reply), _is_final(reply))
            content = _object_in(reply) or {}
            entries = content.get("data")
            if not isinstance(entries, list):
                error = f"{self.base_url}{PATH} answered with something that is no list of batches"
                return Listing(tuple(found.values()), error)
            batches = [batch for raw in entries if (batch := read_batch(raw)) is not None]
            new = [batch for batch in batches if batch.provider_id not in found]
            found.update({batch.provider_id: batch for batch in new})
            # A full page that does not say whether there is more is followed by another look.
            if not entries or not content.get("has_more", len(entries) >= _PAGE):
                return Listing(tuple(found.values()))
            if not new:
                error = f"{self.base_url}{PATH} lists the same batches again instead of the rest"
                return Listing(tuple(found.values()), error)
            after = batches[-1].provider_id
        return Listing(tuple(found.values()), f"more than {_MOST_PAGES * _PAGE:,} batches are listed")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    def _line(self, reply: Reply) -> str:
        """What is wrong with a reply, and what can be done about it."""
        where = f"{self.base_url}{PATH}"
        if reply.status is None:
            return f"{where}: {reply.fault_message or reply.fault}"
        message = error_message(reply)
        line = f"{where} answered {status_line(reply.status)}" + (f": {message}" if message else "")
        if reply.status in (401, 402, 403, 404) or 300 <= reply.status < 400:
            sends_key = self._transport.sends_key
            advice = advice_on(
                reply.status,
                PROVIDERS["openrouter"],
                self._model,
                self.base_url,
                sends_key=sends_key,
                location=reply.location,
            )
            return f"{line}; {advice}"
        return line


def _is_final(reply: Reply) -> bool:
    """Whether every further look would end so too."""
    if reply.status is None:
        return reply.fault in ("tls", "invalid")
    return reply.status in (400, 401, 402, 403) or 300 <= reply.status < 400


def _object_in(reply: Reply) -> Mapping[str, object] | None:
    try:
        content = read_json(reply.body)
    except BrokenJson:
        return None
    return content if isinstance(content, Mapping) else None


def _batch_in(reply: Reply) -> ProviderBatch | None:
    """The batch of a reply, which may stand under `data`."""
    content = _object_in(reply)
    if content is None:
        return None
    return read_batch(content) or read_batch(content.get("data"))
