"""Asking a mock over HTTP, without a client's opinion of what comes back."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass
from typing import Any

import httpx

from jevbias.mock.serve import RunningMock
from tests.mock.payloads import compact

TIMEOUT = 60.0
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nothing here speaks TLS, and reading the system's certificates for every request is slow."""


@dataclass(frozen=True)
class Got:
    """A reply that arrived whole."""

    status: int
    content: Any
    headers: httpx.Headers
    raw: bytes


def post(mock: RunningMock, path: str, body: object) -> Got:
    """Send bytes as they are, and anything else as JSON."""
    return _sent("POST", mock.base_url + path, body if isinstance(body, bytes) else compact(body).encode())


def get(mock: RunningMock, path: str) -> Got:
    return _sent("GET", mock.base_url + path, None)


def _sent(method: str, url: str, body: bytes | None) -> Got:
    response = httpx.request(
        method, url, content=body, timeout=TIMEOUT, verify=NO_CERTIFICATES, trust_env=False
    )
    try:
        content = json.loads(response.content)
    except ValueError:
        content = None
    return Got(response.status_code, content, response.headers, response.content)
