"""The inbox as a process of its own, its recipients, and a reader of streams that takes nothing for granted."""

import http.client
import json
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from description import Answer, Description
from process import BACKEND, ServiceProcess

INBOX = Description(BACKEND / "inbox-openapi.json")
KEY = "the-key-of-operators"
JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"


class Inbox(ServiceProcess):
    def __init__(self, *options: str) -> None:
        super().__init__(INBOX, "inbox", "--api-key", KEY, *options)

    def recipient(self, name: str, expires_in: float = 600) -> "Recipient":
        return Recipient(self, name, self.token(name, expires_in))

    def operator(self, method: str, path: str, value: object = None, key: str = KEY) -> Answer:
        headers = {"X-Api-Key": key}
        if value is None:
            return self.call(method, f"/v1/operator{path}", None, headers)
        return self.call(
            method, f"/v1/operator{path}", json.dumps(value).encode(), {**headers, "Content-Type": "application/json"}
        )

    def done(self, method: str, path: str, value: object = None) -> Any:
        """What an operator asked, which must go well."""
        answer = self.operator(method, path, value)
        assert answer.status < 300, answer.body
        return answer.json if answer.body else None

    def token(self, recipient: str, expires_in: float = 600) -> str:
        token: str = self.done("POST", "/tokens", {"recipient": recipient, "expiresIn": expires_in})["token"]
        return token

    def set_faults(self, faults: str, seed: int = 0) -> None:
        self.done("PUT", "/faults", {"faults": faults, "seed": seed})

    def requests(self, recipient: str) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = self.done("GET", f"/requests?recipient={recipient}")["requests"]
        return requests


class Recipient:
    def __init__(self, inbox: Inbox, name: str, token: str) -> None:
        self.inbox, self.name, self.token = inbox, name, token

    def send(self, **members: Any) -> dict[str, Any]:
        """A message to this recipient, as operators send it."""
        draft = {"recipient": self.name, "kind": "order", "title": "Grüße", "body": "aus der Küche", **members}
        message: dict[str, Any] = self.inbox.done("POST", "/messages", draft)
        return message

    def send_many(self, count: int) -> list[str]:
        """Their ids, newest first."""
        return [self.send(title=f"number {number}")["id"] for number in range(count)][::-1]

    def call(self, method: str, path: str, value: object = None, content_type: str = JSON) -> Answer:
        return self.inbox.call(method, *self._request(path, value, content_type))

    def raw(self, method: str, path: str, value: object = None, content_type: str = JSON) -> Answer:
        """As `call`, and the answer need not be one that the document describes."""
        return self.inbox.raw(method, *self._request(path, value, content_type))

    def get(self, path: str) -> Any:
        return self._good(self.call("GET", path))

    def post(self, path: str, value: object = None) -> Any:
        return self._good(self.call("POST", path, value))

    def patch(self, patch: object) -> Any:
        return self._good(self.call("PATCH", "/preferences", patch, MERGE_PATCH))

    def updates(self, last_event_id: str | None = None) -> "Stream":
        return Stream(self, last_event_id)

    def _request(self, path: str, value: object, content_type: str) -> tuple[str, bytes | None, dict[str, str]]:
        headers = {"Authorization": f"Bearer {self.token}"}
        if value is None:
            return f"/v1/inbox{path}", None, headers
        return f"/v1/inbox{path}", json.dumps(value).encode(), {**headers, "Content-Type": content_type}

    def _good(self, answer: Answer) -> Any:
        assert answer.status in {200, 201}, answer.body
        return answer.json


class Stream:
    """A stream that is read from its bytes. Use with `with`: it hangs up."""

    def __init__(self, recipient: Recipient, last_event_id: str | None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", recipient.inbox.port, timeout=10)
        headers = {"Authorization": f"Bearer {recipient.token}", "Accept": "text/event-stream"}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        self._connection.request("GET", "/v1/inbox/updates", headers=headers)
        self.response = self._connection.getresponse()
        self.status = self.response.status
        self.received = b""
        self.pieces = 0
        self.broken = False
        """It did not end in order."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.response.close()
        self._connection.close()

    @property
    def blocks(self) -> list[list[tuple[str, str]]]:
        """The whole blocks so far, each as its fields; a comment has an empty name."""
        text = self.received.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        return [
            [(name, value.removeprefix(" ")) for name, _, value in (line.partition(":") for line in block.split("\n"))]
            for block in text.split("\n\n")[:-1]
        ]

    @property
    def events(self) -> list[dict[str, str]]:
        return [dict(block) for block in self.blocks if any(name == "data" for name, _ in block)]

    @property
    def begins_after(self) -> str:
        """The id that the first block gives without an event."""
        fields = dict(self.wait_for(lambda: bool(self.blocks)).blocks[0])
        return fields["id"]

    def take(self, count: int) -> list[dict[str, str]]:
        """The first so many events, each held against the document."""
        events = self.wait_for(lambda: len(self.events) >= count).events[:count]
        for event in events:
            INBOX.check_event(event)
        return events

    def wait_for(self, condition: Any, seconds: float = 10) -> Self:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.received[-500:]
            if not self._read():
                assert condition(), self.received[-500:]
        return self

    def rest(self) -> Self:
        """Reads until the stream ends, one way or the other."""
        while self._read():
            pass
        return self

    def _read(self) -> bool:
        try:
            piece = self.response.read1(65_536)
        except (http.client.HTTPException, ConnectionError, ValueError):
            # ValueError: a chunk that ends before its length is told.
            self.broken = True
            return False
        self.received += piece
        self.pieces += 1
        return piece != b""


def told(events: list[dict[str, str]]) -> Iterator[tuple[str, Any]]:
    """What events say, shortly: of a message the title and the revision; of a count not the revision, which rises."""
    counted = -1
    for event in events:
        data = json.loads(event["data"])
        if event["event"] == "message":
            data = (data["title"], data["revision"])
        elif event["event"] == "unread":
            revision = data.pop("unreadRevision")
            assert revision > counted
            counted = revision
        yield event["event"], data
