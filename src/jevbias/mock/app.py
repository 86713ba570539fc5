"""The mock as a web application, in the wire formats of the real servers."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from jevbias.mock.batches import MOST_LISTED, Batches
from jevbias.mock.chat import ChatMock, model_for, routed_model
from jevbias.mock.chat_request import read_chat
from jevbias.mock.decisions import decide
from jevbias.mock.fault_plan import Face, FaultPlan
from jevbias.mock.faults import NO_FAULTS, Faults
from jevbias.mock.ledger import Ledger
from jevbias.mock.listing import model_list
from jevbias.mock.model import MockModel
from jevbias.mock.refusal import RefusedRequest, error_object
from jevbias.mock.replies import given_reply, with_fault
from jevbias.mock.request import UnprocessableRequest

Answer = Callable[[Request, bytes], Awaitable[Response]]


def create_app(model: MockModel, *, latency_ms: float = 0, faults: FaultPlan | None = None) -> Starlette:
    """Serves System One (`POST /v1/systemone`), decisions (`POST /api/alpha/decisions`), chat completions
    (`POST /v1/chat/completions`, and under `/api` as OpenRouter does), batches (`POST` and `GET
    /api/v1/batches`, `GET /api/v1/batches/{id}`), the models (`GET /v1/models`, `GET /api/v1/models`), and
    `GET /ledger`: a list with one row per request that puts a question, and one for each in a batch, with its
    face and path, its body's SHA-256, when it came (seconds since the epoch), the status it got (null: no
    reply), and `n`, how often that body had come by then. A body in a batch is hashed as canonical JSON.

    Every answer takes `latency_ms` longer; `faults` says what goes wrong (None: nothing).
    """
    desk = _Desk(model, latency_ms / 1000, faults or NO_FAULTS)
    routes = [
        desk.route("/v1/systemone", "systemone", desk.system_one),
        desk.route("/api/alpha/decisions", "decisions", desk.decisions),
        desk.route("/v1/chat/completions", "chat", desk.compatible_chat),
        desk.route("/api/v1/chat/completions", "chat", desk.routed_chat),
        desk.route("/v1/models", "models", desk.models, method="GET"),
        desk.route("/api/v1/models", "models", desk.models, method="GET"),
        desk.route("/api/v1/batches", "batch_submit", desk.submit_batch),
        desk.route("/api/v1/batches", "batch_list", desk.list_batches, method="GET"),
        desk.route("/api/v1/batches/{id}", "batch_get", desk.look_at_batch, method="GET"),
        Route("/ledger", desk.show_ledger, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _explain})


class _Desk:
    """Takes requests in, has them answered, and lets their faults befall them."""

    def __init__(self, model: MockModel, latency: float, plan: FaultPlan) -> None:
        self._model, self._latency, self._faults = model, latency, Faults(plan)
        self._ledger, self._chat = Ledger(), ChatMock(model)
        self._batches = Batches(model, self._chat, self._faults, self._ledger)

    def route(self, path: str, face: Face, answer: Answer, *, method: str = "POST") -> Route:
        """One face at one path."""

        async def endpoint(request: Request) -> Response:
            return await self._handle(request, face, answer)

        return Route(path, endpoint, methods=[method])

    async def _handle(self, request: Request, face: Face, answer: Answer) -> Response:
        body = await request.body()
        asks = request.method == "POST"
        path = request.url.path
        row = self._ledger.enter(face, path, body) if asks else {}
        with self._faults.during(face, path, body) as fault:
            if fault is not None and fault.replaces:
                response = given_reply(face, fault)
            else:
                try:
                    response = await answer(request, body)
                except RefusedRequest as refused:
                    response = JSONResponse(refused.content, status_code=refused.status)
            if fault is None or fault.cut != "close":
                row["status"] = response.status_code
            wait = (self._latency if asks else 0) + (fault.delay_ms / 1000 if fault is not None else 0)
            if wait > 0:
                await asyncio.sleep(wait)
            return response if fault is None else with_fault(response, fault)

    async def system_one(self, _: Request, body: bytes) -> Response:
        try:
            status, content = 200, self._model.answer(body)
        except UnprocessableRequest as invalid:
            status, content = 422, {"detail": invalid.detail}
        digest = hashlib.sha256(body).hexdigest()
        headers = {"x-typesafe-request-id": f"mock-{digest[:16]}-{self._model.times_asked(digest)}"}
        return JSONResponse(content, status_code=status, headers=headers)

    async def decisions(self, _: Request, body: bytes) -> Response:
        return JSONResponse(decide(self._model, body))

    async def compatible_chat(self, _: Request, body: bytes) -> Response:
        arrival, request = self._model.arrival(body), read_chat(body)
        return JSONResponse(self._chat.complete(request, arrival, model_for(request), None))

    async def routed_chat(self, _: Request, body: bytes) -> Response:
        arrival, request = self._model.arrival(body), read_chat(body)
        listed = routed_model(request)
        return JSONResponse(self._chat.complete(request, arrival, listed, listed.price))

    async def models(self, request: Request, _: bytes) -> Response:
        return JSONResponse(model_list(request.query_params.get("output_modalities", "text")))

    async def submit_batch(self, request: Request, body: bytes) -> Response:
        return JSONResponse(await self._batches.submit(body, request.url.path), status_code=202)

    async def list_batches(self, request: Request, _: bytes) -> Response:
        limit = request.query_params.get("limit", "")
        shown = min(int(limit), MOST_LISTED) if limit.isdecimal() else MOST_LISTED
        return JSONResponse(self._batches.listing(shown, request.query_params.get("after")))

    async def look_at_batch(self, request: Request, _: bytes) -> Response:
        return JSONResponse(self._batches.look(request.path_params["id"]))

    async def show_ledger(self, _: Request) -> Response:
        return JSONResponse(self._ledger.rows)


async def _explain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for nothing else
    openrouter = request.url.path.startswith("/api/")
    content = error_object(error.status_code) if openrouter else {"detail": error.detail}
    return JSONResponse(content, status_code=error.status_code, headers=error.headers)
