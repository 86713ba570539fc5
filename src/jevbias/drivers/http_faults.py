"""What went wrong on the way of a request, and whether it may have been processed all the same."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass

import httpcore

from jevbias.drivers.unpacking import BrokenBody

WIRE_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
    ssl.SSLError,  # httpcore translates it only while it connects
)
"""Everything that a connection raises when a request or its reply is lost."""


@dataclass(frozen=True)
class Fault:
    """`kind` is one of those that `base.Reply` names; `message` has one line or more and may hold a key.
    `billed` says whether the request may have been processed.
    """

    kind: str
    message: str
    billed: bool


def fault_of(error: Exception) -> Fault:
    """What one of the WIRE_ERRORS, or a BrokenBody, means."""
    text = str(error) or type(error).__name__
    if isinstance(error, BrokenBody):
        return Fault(error.kind, text, billed=True)
    if isinstance(error, httpcore.TimeoutException):
        unsent = isinstance(error, httpcore.ConnectTimeout)
        return Fault("timeout", "no connection in time" if unsent else "no answer in time", billed=not unsent)
    if isinstance(error, httpcore.ConnectError | httpcore.ProxyError):
        return _unconnected(error, text)
    if isinstance(error, httpcore.RemoteProtocolError):
        return _broken_off(text)
    if isinstance(error, httpcore.NetworkError | ssl.SSLError):
        return Fault("connection", f"the connection broke ({text})", billed=True)
    return Fault("invalid", f"the request could not be sent ({text})", billed=False)


def _unconnected(error: Exception, text: str) -> Fault:
    causes = _causes(error)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Fault("dns", f"the host name cannot be resolved ({text})", billed=False)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return Fault("tls", f"the server's certificate is not accepted ({text})", billed=False)
    return Fault("connection", f"no connection ({text})", billed=False)


def _broken_off(text: str) -> Fault:
    """A reply that breaks the rules of HTTP; the texts are those of h11."""
    if "without sending complete message body" in text or "incomplete chunked read" in text:
        return Fault("truncated", "the connection was closed in the middle of the reply", billed=True)
    if "disconnected without sending a response" in text:
        return Fault("connection", "the connection was closed before any reply", billed=True)
    return Fault("invalid", f"the reply is not HTTP ({text})", billed=True)


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain
