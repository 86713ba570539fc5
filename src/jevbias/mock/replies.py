"""Replies that go wrong: given in place of an answer, or an answer that does not arrive whole."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from jevbias.mock.fault_plan import Face, FaultReply
from jevbias.mock.refusal import error_object, status_phrase

TRANSPORT = "jevbias.transport"
"""The extension of an ASGI scope that holds the connection's `asyncio.Transport`."""
_GZIP_TRAILER = 8


def given_reply(face: Face, fault: FaultReply) -> Response:
    """What a fault answers instead of the model; an error without a body is worded as the face does."""
    status = 200 if fault.status is None else fault.status
    if "json_" in fault.model_fields_set:
        return JSONResponse(fault.json_, status_code=status)
    if fault.body is not None:
        return Response(fault.body, status_code=status, media_type="text/plain")
    if status < 400:
        return Response(status_code=status)
    worded: dict[str, Any] = (
        {"detail": status_phrase(status)} if face == "systemone" else error_object(status)
    )
    return JSONResponse(worded, status_code=status)


def with_fault(response: Response, fault: FaultReply) -> Response:
    """A reply with a fault's headers, cut as it says."""
    for name, value in (fault.headers or {}).items():
        response.headers[name] = value
    if fault.cut is None:
        return response
    if fault.cut == "truncate_gzip":
        packed = gzip.compress(bytes(response.body), mtime=0)[:-_GZIP_TRAILER]
        headers = {**response.headers, "content-encoding": "gzip", "content-length": str(len(packed))}
        return Response(packed, response.status_code, headers)
    arriving = len(response.body) // 2 if fault.cut == "half_body" else None
    return _BrokenOff(response, arriving)


class _BrokenOff(Response):
    """A reply whose connection closes after so many bytes of its body; None: before anything of it."""

    def __init__(self, whole: Response, arriving: int | None) -> None:
        super().__init__(bytes(whole.body), whole.status_code, dict(whole.headers))
        self._arriving = arriving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._arriving is not None:
            start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            await send(start)
            part = bytes(self.body)[: self._arriving]
            await send({"type": "http.response.body", "body": part, "more_body": True})
        transport: asyncio.Transport = scope["extensions"][TRANSPORT]
        transport.close()
        while (await receive())["type"] != "http.disconnect":
            pass
