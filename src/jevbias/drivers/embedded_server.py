"""The child process that serves an embedded model: `python -m jevbias.drivers.embedded_server MODEL`.

It runs `sparrow-decider --model MODEL serve --port 0` with three things added: the port it was given is
written to stdout once it listens, its backlog takes more than the five connections of the standard library
(further ones are reset or wait a second), and it ends when its stdin closes, which happens however its
parent ends.
"""

from __future__ import annotations

import os
import socketserver
import sys
import threading

BACKLOG = 512


def serve(model: str) -> None:
    """Serve one model on a free loopback port until stdin closes."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    socketserver.TCPServer.request_queue_size = BACKLOG
    activate = socketserver.TCPServer.server_activate

    def activate_and_tell(server: socketserver.TCPServer) -> None:
        activate(server)
        sys.stdout.write(f"{server.socket.getsockname()[1]}\n")
        sys.stdout.flush()

    socketserver.TCPServer.server_activate = activate_and_tell  # type: ignore[method-assign,assignment]
    from sparrow_decider.cli import main

    main(["--model", model, "serve", "--port", "0"])


def _end_with_parent() -> None:
    while os.read(0, 1024):  # not through sys.stdin: its lock would be held when the interpreter ends
        pass
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
