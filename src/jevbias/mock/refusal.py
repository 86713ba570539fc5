"""What the mock says no with on every face but System One's own."""

from __future__ import annotations

from http import HTTPStatus


class RefusedRequest(Exception):
    """A request that gets an error status and an error object; `message` says in one line why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message

    @property
    def content(self) -> dict[str, object]:
        """The body of the answer."""
        return error_object(self.status, self.message)


def error_object(status: int, message: str | None = None) -> dict[str, object]:
    """An error as OpenRouter and OpenAI word it; without a message, the status says it all."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"code": status, "message": message or status_phrase(status), "type": kind}}


def status_phrase(status: int) -> str:
    """`Too Many Requests`; `Status 529` where a status has no name."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"Status {status}"
