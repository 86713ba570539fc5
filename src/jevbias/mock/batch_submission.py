"""A batch as clients submit one, and what is refused in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jevbias.catalogue.canonical import canonical_json
from jevbias.mock.listing import ListedModel, find_model
from jevbias.mock.refusal import RefusedRequest

MOST_REQUESTS = 5_000
MOST_BYTES = 200_000_000
ENDPOINT = "/v1/chat/completions"
WINDOW = "24h"


@dataclass(frozen=True)
class BatchedBody:
    """The body of one request of a batch, and the bytes by which it is told from others: canonical JSON."""

    content: dict[str, Any]
    canonical: bytes


@dataclass(frozen=True)
class Submission:
    """A batch that is in order: its model, and custom id → body, as they came."""

    model: ListedModel
    bodies: Mapping[str, BatchedBody]


def read_submission(body: bytes) -> Submission:
    """Read a submission. Raises RefusedRequest: 413 for more than 200 MB, 404 for a model that takes no
    batches, else 400.
    """
    if len(body) > MOST_BYTES:
        raise RefusedRequest(413, f"the batch has more than {MOST_BYTES // 1_000_000} MB")
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedRequest(400, "the batch is not JSON") from None
    if not isinstance(content, dict):
        raise RefusedRequest(400, "the batch is no JSON object")
    for key in ("endpoint", "model", "completion_window", "requests"):
        if key not in content:
            raise RefusedRequest(400, f"{key} is missing")
    if list(content)[-1] != "requests":
        raise RefusedRequest(400, "requests must be the last key: the body is read as it arrives")
    for key, only in (("endpoint", ENDPOINT), ("completion_window", WINDOW)):
        if content[key] != only:
            raise RefusedRequest(400, f"{key} must be {only}")
    return Submission(_model(content["model"]), _bodies(content["requests"]))


def _model(name: object) -> ListedModel:
    found = find_model(name) if isinstance(name, str) else None
    if found is None:
        raise RefusedRequest(400, f"{str(name)[:60]} is not a valid model ID")
    if not found.batch:
        raise RefusedRequest(404, f"{found.name} cannot be asked in batches")
    return found


def _bodies(requests: object) -> Mapping[str, BatchedBody]:
    if not isinstance(requests, list) or not 1 <= len(requests) <= MOST_REQUESTS:
        raise RefusedRequest(400, f"requests must be a list of 1 to {MOST_REQUESTS}")
    bodies: dict[str, BatchedBody] = {}
    for index, request in enumerate(requests):
        where = f"requests[{index}]"
        custom_id = request.get("custom_id") if isinstance(request, dict) else None
        body = request.get("body") if isinstance(request, dict) else None
        if not isinstance(custom_id, str) or not custom_id or not isinstance(body, dict):
            raise RefusedRequest(400, f"{where} must have a custom_id and a body")
        if custom_id in bodies:
            raise RefusedRequest(400, f"{where}: custom_id {custom_id[:60]} comes twice")
        if "model" in body:
            raise RefusedRequest(400, f"{where}: the batch names the model, a body must not")
        try:
            bodies[custom_id] = BatchedBody(body, canonical_json(body))
        except (ValueError, RecursionError):
            raise RefusedRequest(400, f"{where}: the body is no JSON that can be sent on") from None
    return bodies
