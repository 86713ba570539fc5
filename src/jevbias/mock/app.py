"""The mock as a web application in the real wire format."""

from __future__ import annotations

import asyncio
import hashlib
import time

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from jevbias.mock.model import MOCK_MODEL, MockModel
from jevbias.mock.request import UnprocessableRequest


def create_app(model: MockModel, *, latency_ms: float = 0) -> Starlette:
    """Serves `POST /v1/systemone`, `GET /v1/models`, and `GET /ledger`: a list with one row per request, with
    its body's SHA-256, when it came (seconds since the epoch), the status it got, and `n`, how often that
    body had come by then. Every answer takes `latency_ms` longer.
    """
    ledger: list[dict[str, object]] = []

    async def system_one(request: Request) -> JSONResponse:
        body = await request.body()
        arrived = time.time()
        digest = hashlib.sha256(body).hexdigest()
        try:
            status, content = 200, model.answer(body)
        except UnprocessableRequest as invalid:
            status, content = 422, {"detail": invalid.detail}
        count = model.times_asked(digest)
        ledger.append({"sha256": digest, "at": arrived, "status": status, "n": count})
        if latency_ms > 0:
            await asyncio.sleep(latency_ms / 1000)
        headers = {"x-typesafe-request-id": f"mock-{digest[:16]}-{count}"}
        return JSONResponse(content, status_code=status, headers=headers)

    async def models(_: Request) -> JSONResponse:
        return JSONResponse({"models": MODELS})

    async def show_ledger(_: Request) -> JSONResponse:
        return JSONResponse(ledger)

    return Starlette(
        routes=[
            Route("/v1/systemone", system_one, methods=["POST"]),
            Route("/v1/models", models, methods=["GET"]),
            Route("/ledger", show_ledger, methods=["GET"]),
        ],
        exception_handlers={HTTPException: _explain},
    )


MODELS = [
    {"name": name, "description": description, "release_date": "2026-01-01"}
    for name, description in (
        (MOCK_MODEL, "Answers on the merits of the case, with noise and effects that are known."),
        ("jev-latest", f"Another name of {MOCK_MODEL}."),
    )
]


async def _explain(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for nothing else
    return JSONResponse({"detail": error.detail}, status_code=error.status_code, headers=error.headers)
