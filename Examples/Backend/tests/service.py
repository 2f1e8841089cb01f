"""The service as a process of its own, and a client that holds every answer against openapi.json."""

import hashlib
import http.client
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

BACKEND = Path(__file__).parent.parent
OPENAPI = json.loads((BACKEND / "openapi.json").read_text("utf-8"))
_REGISTRY: Registry[Any] = Registry().with_resource("urn:openapi", Resource(OPENAPI, DRAFT202012))


def schema_errors(name: str, value: object) -> list[str]:
    """What is wrong with a value by a schema of openapi.json."""
    return _errors({"$ref": f"urn:openapi#/components/schemas/{name}"}, value)


def _errors(schema: dict[str, Any], value: object) -> list[str]:
    validator = Draft202012Validator(schema, registry=_REGISTRY, format_checker=FormatChecker())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Service:
    """Use with `with`: it ends the process that it started."""

    def __init__(self, database: Path, *options: str) -> None:
        self._errors: str | None = None
        command = [sys.executable, "-m", "portico_backend", "serve", "--port", "0", "--database", str(database)]
        self.process = subprocess.Popen(
            [*command, *options], cwd=BACKEND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if not line.startswith("listening on http://127.0.0.1:"):
            _, errors = self.process.communicate(timeout=10)
            raise AssertionError(f"the service did not start: {line!r} {errors}")
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        errors = self.stop()
        assert errors == "", errors

    def stop(self, number: signal.Signals = signal.SIGTERM) -> str:
        """What the service wrote to standard error."""
        if self._errors is None:
            self.process.send_signal(number)
            _, self._errors = self.process.communicate(timeout=10)
        return self._errors

    def raw(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def call(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        """As `raw`, and the answer must be one that openapi.json describes."""
        answer = self.raw(method, path, body, headers)
        _check_described(method, urlsplit(path).path, answer)
        return answer

    def post(self, value: object, **headers: str) -> Answer:
        return self.call(
            "POST", "/v1/scans", json.dumps(value).encode(), {"Content-Type": "application/json", **headers}
        )

    def upload(self, device: str, *events: dict[str, Any], after: str | None = None) -> Any:
        answer = self.post(batch(device, *events, after=after))
        assert answer.status == 200, answer.body
        return answer.json

    def set_faults(self, faults: str, seed: int = 0) -> None:
        body = json.dumps({"faults": faults, "seed": seed}).encode()
        answer = self.call("PUT", "/v1/faults", body, {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body

    def scans(self, device: str, query: str = "") -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = self.call("GET", f"/v1/scans?deviceId={device}{query}").json["events"]
        return events

    def statistics(self) -> Any:
        return self.call("GET", "/v1/statistics").json


def _check_described(method: str, path: str, answer: Answer) -> None:
    responses = OPENAPI["paths"][path][method.lower()]["responses"]
    described = responses.get(str(answer.status)) or responses.get(f"{answer.status // 100}XX")
    assert described is not None, f"{method} {path} answered {answer.status}, which openapi.json does not know"
    if "$ref" in described:
        described = OPENAPI["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
    content_type = answer.headers.get_content_type()
    assert content_type in described["content"], f"{method} {path} answered {content_type}"
    for name in described.get("headers", {}):
        assert name in answer.headers, f"{method} {path} {answer.status} lacks {name}"
    errors = _errors(_anchored(described["content"][content_type]["schema"]), answer.json)
    assert errors == [], errors


def _anchored(schema: dict[str, Any]) -> dict[str, Any]:
    return {"$ref": f"urn:openapi{schema['$ref']}"} if "$ref" in schema else schema


# What is sent


def batch(device: str, *events: dict[str, Any], after: str | None = None) -> dict[str, Any]:
    whole: dict[str, Any] = {"schema": "portico.scans/1", "deviceId": device, "events": list(events)}
    if after is not None:
        whole["after"] = after
    return whole


def event_id(device: str, sequence: int) -> str:
    digest = hashlib.sha256(f"{device} {sequence}".encode()).hexdigest()
    return f"019ac3a1-{digest[:4]}-7{digest[4:7]}-8{digest[7:10]}-{digest[10:22]}"


def admitted(device: str, sequence: int, ticket_id: str, /, **changes: Any) -> dict[str, Any]:
    """A valid event; a change to None leaves the member out."""
    event = {
        "id": event_id(device, sequence),
        "deviceId": device,
        "gateId": "North",
        "gateEvents": ["summer-night"],
        "sequence": sequence,
        "scannedAt": "2026-07-04T18:00:00.123Z",
        "clock": "trusted",
        "configuration": {"epoch": 1, "version": 12},
        "kind": "entry",
        "decision": "admitted",
        "ticket": {"ticketId": ticket_id, "eventId": "summer-night", "zoneId": "main", "uses": 1},
        **changes,
    }
    return {name: value for name, value in event.items() if value is not None}


def refused(device: str, sequence: int, reason: str, /, **changes: Any) -> dict[str, Any]:
    return admitted(device, sequence, "", **{"decision": "refused", "reason": reason, "ticket": None, **changes})
