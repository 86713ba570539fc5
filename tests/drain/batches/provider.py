"""A provider of batches on loopback that a test sees through: what was posted, and what becomes of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = tuple[int, Any]


def chat_body(value: float = 0.625, cost: float | None = 0.25) -> dict[str, Any]:
    """A chat model's answer to both questions of the small plan."""
    usage: dict[str, Any] = {"prompt_tokens": 100, "completion_tokens": 7}
    usage["prompt_tokens_details"] = {"cached_tokens": 80}
    if cost is not None:
        usage["cost"] = cost
    content = json.dumps({"advance": value, "trust": value})
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    return {"id": "gen-1", "model": "chat/model-1", "choices": [choice], "usage": usage}


def answered(custom_id: str, value: float = 0.625) -> dict[str, Any]:
    """The result of a request that was answered."""
    response = {"status_code": 200, "request_id": "req-1", "body": chat_body(value)}
    return {"custom_id": custom_id, "response": response, "error": None}


@dataclass
class HeldBatch:
    """A batch as the provider has it; a test changes it at will."""

    id: str
    custom_ids: list[str]
    content: dict[str, Any]
    status: str = "in_progress"
    results: list[Any] | None = None
    shows_requests: bool = False
    hidden: int = 0
    """For so many looks the provider does not know it."""

    def shown(self, *, whole: bool) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": self.id,
            "object": "batch",
            "status": self.status,
            "model": self.content["model"],
            "created_at": 4_000_000_000,
            "request_counts": {"total": len(self.custom_ids), "completed": 0, "failed": 0},
        }
        if self.shows_requests:
            shown["requests"] = [{"custom_id": name} for name in self.custom_ids]
        if whole and self.results is not None:
            shown["results"] = self.results
            replies = [row.get("response") for row in self.results if isinstance(row, dict)]
            good = [reply for reply in replies if reply and reply["status_code"] == 200]
            shown["request_counts"]["completed"] = len(good)
        return shown

    def complete(self, *, status: str = "completed", only: int | None = None) -> None:
        """End, with answers to the first `only` requests (None: to all)."""
        self.status = status
        self.results = [answered(name) for name in self.custom_ids[:only]]


@dataclass
class Provider:
    """What was posted, the batches there are, and what a test wants to happen.

    `on_post` gets the content and its place among all posts: what it returns is answered in place of taking
    the batch, None takes it. `after_post` is called once a batch is taken and before that is answered; what
    it returns is answered instead of the 202.
    """

    posts: list[bytes] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    batches: dict[str, HeldBatch] = field(default_factory=dict)
    on_post: Callable[[dict[str, Any], int], Answer | None] = field(default=lambda content, place: None)
    after_post: Callable[[HeldBatch], Answer | None] = field(default=lambda batch: None)
    listing: Answer | None = None
    look: Answer | None = None
    page: int = 100
    looks: int = 0
    url: str = ""

    @property
    def only(self) -> HeldBatch:
        """The one batch that there is."""
        (batch,) = self.batches.values()
        return batch

    def complete_all(self) -> None:
        for batch in self.batches.values():
            batch.complete()

    def post(self, raw: bytes) -> Answer:
        content = json.loads(raw)
        self.posts.append(raw)
        answer = self.on_post(content, len(self.posts) - 1)
        if answer is not None:
            return answer
        names = [request["custom_id"] for request in content["requests"]]
        batch = HeldBatch(f"batch_{len(self.posts)}", names, content)
        self.batches[batch.id] = batch
        return self.after_post(batch) or (202, batch.shown(whole=False))

    def get(self, path: str) -> Answer:
        parts = urlsplit(path)
        if parts.path == "/api/v1/batches":
            return self.listing or (200, self._listed(parse_qs(parts.query)))
        self.looks += 1
        batch = self.batches.get(parts.path.rpartition("/")[2])
        if self.look is not None:
            return self.look
        if batch is None or batch.hidden > 0:
            if batch is not None:
                batch.hidden -= 1
            return 404, {"error": {"code": 404, "message": "no such batch"}}
        return 200, batch.shown(whole=True)

    def _listed(self, query: dict[str, list[str]]) -> dict[str, Any]:
        ids = list(reversed(self.batches))
        start = ids.index(query["after"][0]) + 1 if "after" in query else 0
        page = [self.batches[name].shown(whole=False) for name in ids[start : start + self.page]]
        return {"object": "list", "data": page, "has_more": start + self.page < len(ids)}


@contextmanager
def serving(provider: Provider) -> Iterator[Provider]:
    """Serve the provider on a loopback port, in a thread of this process."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            provider.heads.append(dict(self.headers))
            self._answer(provider.post(self.rfile.read(int(self.headers["content-length"]))))

        def do_GET(self) -> None:
            self._answer(provider.get(self.path))

        def _answer(self, answer: Answer) -> None:
            status, content = answer
            self.close_connection = True
            if not status:  # no reply at all
                return
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.send_header("connection", "close")
            if status == 429:
                self.send_header("retry-after-ms", "10")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that was killed does not read its answer."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    provider.url = f"http://127.0.0.1:{server.server_port}/api/v1"
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
