"""What recipients asked, byte for byte where it matters: for the tests of a client."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from .tokens import Token

MAXIMUM_LOGGED = 10_000


@dataclass(slots=True)
class LoggedRequest:
    method: str
    path: str
    """With its query, as it was sent."""
    last_event_id: str | None
    recipient: str | None = None
    content_type: str | None = None
    body: str | None = None
    status: int | None = None
    """None: not answered yet, or never."""

    def json(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "path": self.path,
            "status": self.status,
            "lastEventId": self.last_event_id,
            "contentType": self.content_type,
            "body": self.body,
        }


_ENTRY = web.RequestKey("entry", LoggedRequest)


class RequestLog:
    """The newest requests that brought a token of somebody, expired or not."""

    def __init__(self) -> None:
        self._requests: deque[LoggedRequest] = deque(maxlen=MAXIMUM_LOGGED)

    def of(self, recipient: str) -> list[LoggedRequest]:
        return [entry for entry in self._requests if entry.recipient == recipient]

    def begin(self, request: web.Request, token: Token) -> LoggedRequest:
        entry = LoggedRequest(
            method=request.method,
            path=_printable(request.raw_path),
            last_event_id=_printable(request.headers.get("Last-Event-ID", "")) or None,
            recipient=token.recipient,
        )
        self._requests.append(entry)
        request[_ENTRY] = entry
        return entry

    async def read_body(self, request: web.Request, entry: LoggedRequest) -> None:
        if request.method in {"POST", "PATCH"}:
            entry.content_type = _printable(request.headers.get("Content-Type", "")) or None
            entry.body = (await request.read()).decode("utf-8", "replace") or None

    async def note_status(self, request: web.Request, response: web.StreamResponse) -> None:
        """For `on_response_prepare`: a stream is answered long before it ends, and a dropped request never is."""
        hung_up = request.transport is None or request.transport.is_closing()
        if _ENTRY in request and not hung_up:
            request[_ENTRY].status = response.status


def _printable(text: str) -> str:
    # aiohttp reads bytes that are no UTF-8 as lone surrogates, which cannot be written again.
    return text.encode("utf-8", "replace").decode()
