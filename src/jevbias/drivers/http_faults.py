"""What went wrong on the way of a request, and whether it may have been processed all the same."""

from __future__ import annotations

import ssl
from dataclasses import dataclass

import aiohttp
from aiohttp.http_exceptions import ContentLengthError, HttpProcessingError, TransferEncodingError

from jevbias.drivers.unpacking import BrokenBody

WIRE_ERRORS = (aiohttp.ClientError, HttpProcessingError, ssl.SSLError, OSError)
"""Everything that a request or the reading of its reply raises when either is lost."""


class NeverSent(aiohttp.ClientError):
    """No connection came about, for the reason that is its cause: the request was not sent."""


@dataclass(frozen=True)
class Fault:
    """`kind` is one of those that `base.Reply` names; `message` has one line or more and may hold a key.
    `billed` says whether the request may have been processed.
    """

    kind: str
    message: str
    billed: bool


def fault_of(error: Exception, timeout: float) -> Fault:
    """What one of the WIRE_ERRORS, or a BrokenBody, means; a plain TimeoutError is that of `timeout` seconds
    for the whole request.
    """
    if isinstance(error, BrokenBody):
        return Fault(error.kind, str(error), billed=True)
    if type(error) is TimeoutError and error.errno is None:
        return Fault("timeout", f"no answer within {timeout:g} s", billed=True)
    reason = error.__cause__ if isinstance(error, NeverSent) else error
    kind, message, billed = _meaning(reason or error)
    text = message.format(str(reason) or type(reason).__name__)
    return Fault(kind, text, billed=billed and reason is error)


def _meaning(error: BaseException) -> tuple[str, str, bool]:
    if isinstance(error, aiohttp.ClientPayloadError):
        cause = error.__cause__
        ended = cause is None or isinstance(cause, ContentLengthError | TransferEncodingError | OSError)
        return _CUT_SHORT if ended else _NOT_HTTP
    for kinds, meaning in _MEANINGS:
        if isinstance(error, kinds):
            return meaning
    return "connection", "the connection broke ({})", True


_NOT_HTTP = "invalid", "the reply is not HTTP ({})", True
_CUT_SHORT = "truncated", "the connection was closed in the middle of the reply", True
_MEANINGS: tuple[tuple[type[Exception] | tuple[type[Exception], ...], tuple[str, str, bool]], ...] = (
    (aiohttp.ConnectionTimeoutError, ("timeout", "no connection in time", False)),
    (aiohttp.ClientConnectorDNSError, ("dns", "the host name cannot be resolved ({})", False)),
    (
        aiohttp.ClientConnectorCertificateError,
        ("tls", "the server's certificate is not accepted ({})", False),
    ),
    (aiohttp.ClientHttpProxyError, ("connection", "the proxy makes no connection ({})", False)),
    (aiohttp.ClientConnectorError, ("connection", "no connection ({})", False)),
    (aiohttp.ServerDisconnectedError, ("connection", "the connection was closed before any reply", True)),
    ((aiohttp.ClientResponseError, HttpProcessingError), _NOT_HTTP),
    (aiohttp.InvalidURL, ("invalid", "the request could not be sent ({})", False)),
)
"""Kind, text and whether the request may have been processed; the first that fits counts."""
