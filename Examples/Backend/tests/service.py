"""The scan service as a process of its own, and what is sent to it."""

import hashlib
import json
from pathlib import Path
from typing import Any

from description import Answer, Description
from process import BACKEND, ServiceProcess

SCANS = Description(BACKEND / "openapi.json")
OPENAPI = SCANS.document
schema_errors = SCANS.schema_errors


class Service(ServiceProcess):
    def __init__(self, database: Path, *options: str) -> None:
        super().__init__(SCANS, "serve", "--database", str(database), *options)

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
