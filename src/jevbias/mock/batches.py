"""Batches: submitted, listed, looked at until they end, each going the way its fault plan says."""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import dataclass, field
from typing import Any

from jevbias.mock.batch_submission import ENDPOINT, WINDOW, BatchedBody, read_submission
from jevbias.mock.chat import ChatMock, routed_model
from jevbias.mock.chat_request import read_chat
from jevbias.mock.fault_plan import BatchLife, FaultReply
from jevbias.mock.faults import Faults
from jevbias.mock.ledger import Ledger
from jevbias.mock.listing import ListedModel
from jevbias.mock.model import MockModel
from jevbias.mock.refusal import RefusedRequest, error_object

MOST_LISTED = 100
_WITH_RESULTS = ("completed", "expired")
_TURN = 50
"""So many requests of a batch are answered before others get their turn."""


@dataclass
class _Batch:
    id: str
    model: ListedModel
    life: BatchLife
    custom_ids: tuple[str, ...]
    created: float = field(default_factory=time.time)
    gets: int = 0
    results: list[dict[str, Any]] = field(default_factory=list)

    @property
    def found(self) -> bool:
        """Whether a get finds it yet."""
        old_enough = time.time() - self.created >= self.life.not_found_seconds
        return self.gets > self.life.not_found_gets and old_enough

    @property
    def status(self) -> str:
        """What the latest look saw."""
        looks = max(0, self.gets - self.life.not_found_gets - 1)
        return self.life.statuses[min(looks // self.life.looks, len(self.life.statuses) - 1)]

    def content(self) -> dict[str, Any]:
        """The batch without its results."""
        ended = self.status in _WITH_RESULTS
        well = sum(
            1 for row in self.results if row["error"] is None and row["response"]["status_code"] == 200
        )
        content: dict[str, Any] = {
            "id": self.id,
            "object": "batch",
            "endpoint": ENDPOINT,
            "model": self.model.name,
            "completion_window": WINDOW,
            "status": self.status,
            "created_at": int(self.created),
            "request_counts": {
                "total": len(self.custom_ids),
                "completed": well if ended else 0,
                "failed": len(self.results) - well if ended else 0,
            },
        }
        if self.life.shows_requests:
            content["requests"] = [{"custom_id": custom_id} for custom_id in self.custom_ids]
        if self.status == "failed":
            content["error"] = {"code": "batch_failed", "message": "The batch could not be processed."}
        return content


class Batches:
    """All batches of one mock. A batch's requests are answered when it is submitted, whatever it shows of
    itself later, at half the price; each has a row of its own in the ledger.
    """

    def __init__(self, model: MockModel, chat: ChatMock, faults: Faults, ledger: Ledger) -> None:
        self._model, self._chat, self._faults, self._ledger = model, chat, faults, ledger
        self._batches: dict[str, _Batch] = {}
        self._submitted = 0

    async def submit(self, body: bytes, path: str) -> dict[str, Any]:
        """Take a batch; the answer to a 202. Raises RefusedRequest for one that is not in order."""
        submission = read_submission(body)
        self._submitted += 1
        digest = hashlib.sha256(body).hexdigest()
        life = self._faults.life_of_batch(self._submitted)
        batch = _Batch(
            f"batch_{digest[:16]}_{self._submitted}", submission.model, life, tuple(submission.bodies)
        )
        answered = round(life.answered * len(submission.bodies)) if life.asked else 0
        for index, (custom_id, asked) in enumerate(list(submission.bodies.items())[:answered]):
            batch.results.append(self._result(batch, path, custom_id, asked))
            if index % _TURN == _TURN - 1:
                await asyncio.sleep(0)
        self._batches[batch.id] = batch
        return batch.content()

    def look(self, batch_id: str) -> dict[str, Any]:
        """The batch as it is now, with `results` once it has ended; every look brings it further. Raises
        RefusedRequest (404).
        """
        batch = self._batches.get(batch_id)
        if batch is not None:
            batch.gets += 1
        if batch is None or not batch.found:
            raise RefusedRequest(404, f"there is no batch {batch_id[:60]}")
        content = batch.content()
        return {**content, "results": batch.results} if batch.status in _WITH_RESULTS else content

    def listing(self, limit: int = MOST_LISTED, after: str | None = None) -> dict[str, Any]:
        """All batches that are shown, newest first, or those older than `after`."""
        shown = [batch for batch in reversed(self._batches.values()) if batch.life.listed]
        ids = [batch.id for batch in shown]
        start = ids.index(after) + 1 if after in ids else 0
        page = shown[start : start + limit]
        return {
            "object": "list",
            "data": [batch.content() for batch in page],
            "has_more": start + limit < len(shown),
        }

    def _result(self, batch: _Batch, path: str, custom_id: str, asked: BatchedBody) -> dict[str, Any]:
        body = asked.canonical
        row = self._ledger.enter("batch_request", path, body, batch=batch.id, custom_id=custom_id)
        with self._faults.during("batch_request", path, body) as fault:
            if fault is not None and fault.cut is not None:
                error = {"code": "request_failed", "message": "The request was not answered."}
                return {"custom_id": custom_id, "response": None, "error": error}
            status, content = _given(fault) if fault is not None and fault.replaces else (0, None)
            if not status:
                status, content = self._answer(batch.model, asked)
        row["status"] = status
        return {"custom_id": custom_id, "response": {"status_code": status, "body": content}, "error": None}

    def _answer(self, model: ListedModel, asked: BatchedBody) -> tuple[int, object]:
        arrival = self._model.arrival(asked.canonical)
        try:
            request = read_chat({**asked.content, "model": model.name})
            return 200, self._chat.complete(request, arrival, routed_model(request), model.price.halved())
        except RefusedRequest as refused:
            return refused.status, refused.content


def _given(fault: FaultReply) -> tuple[int, object]:
    status = 200 if fault.status is None else fault.status
    if "json_" in fault.model_fields_set:
        return status, fault.json_
    return status, fault.body if fault.body is not None else error_object(status)
