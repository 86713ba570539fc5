"""Serving the mock to a user: two lines when it is ready, a clean end, a port that is taken."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import UsageError
from jevbias.mock.app import create_app
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock, serve

SERVE = """
from jevbias.catalogue.load import load_catalogue
from jevbias.mock.app import create_app
from jevbias.mock.model import MockModel
from jevbias.mock.serve import serve
serve(create_app(MockModel(load_catalogue())), 0, flags=" --catalogue mine")
"""


def test_it_says_where_it_listens_and_how_to_ask_it_and_ctrl_c_ends_it_cleanly() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        ready = re.fullmatch(
            r"mock model on (http://127\.0\.0\.1:\d+) \(Ctrl-C stops it\)\n", server.stderr.readline()
        )
        assert ready is not None
        command = f"TYPESAFE_BASE_URL={ready[1]} jevbias run --driver jev --profile pilot --name mock-pilot"
        assert server.stderr.readline() == f"ask it: {command} --catalogue mine\n"
        with urllib.request.urlopen(f"{ready[1]}/ledger") as response:
            assert response.read() == b"[]"
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=30)
        assert (server.returncode, out, err) == (0, "", "")


def test_a_port_that_is_taken_is_one_line(catalogue: Catalogue) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port {port}: .*in use") as caught:
            serve(create_app(MockModel(catalogue)), port)
        assert "\n" not in str(caught.value)


def test_a_mock_in_a_thread_ends_with_its_block_even_when_that_fails(catalogue: Catalogue) -> None:
    urls = []

    def fail() -> None:
        with running_mock(MockModel(catalogue)) as mock:
            urls.append(mock.base_url)
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        fail()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{urls[0]}/ledger")
