"""What several tests of connections need."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def certified(tmp_path: Path) -> ssl.SSLContext:
    """What a TLS server on loopback needs; `cert` is the certificate."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate")
    kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-keyout", "key", "-out", "cert", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([openssl, *kind, *files], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    return context
