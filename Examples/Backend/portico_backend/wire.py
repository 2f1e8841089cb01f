"""Reads `POST /v1/scans`: what a request must be, and what each event in it must be.

A request of the wrong shape fails as a whole (`Problem`). An event that is wrong by itself is refused alone
(`InvalidEvent`), so that one bad record never holds back the others. `openapi.json` says the same in JSON Schema;
a test holds the two together.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import strict_json
from .checks import Check, integer, matching, members_complaint, object_of, one_of
from .problems import Problem
from .times import LATEST_SECOND, read_milliseconds

SCHEMA = "portico.scans/1"
MAXIMUM_BODY = 1024 * 1024
MAXIMUM_EVENTS = 500
MAXIMUM_CURSOR = 256

UNVERIFIED_REASONS = frozenset({"malformed", "unsupportedFormat", "unknownEvent", "unknownKey", "badSignature"})
"""Refusals given before a signature verified: what such a code says of a ticket is a claim."""


@dataclass(frozen=True, slots=True)
class Redemption:
    """An admission as other devices learn of it."""

    event_id: str
    ticket_id: str
    zone_id: str | None
    gate_id: str | None
    count: int
    uses: int
    at: str
    content_hash: str | None


@dataclass(frozen=True, slots=True)
class ScanEvent:
    """A valid event: what the store indexes, and the event itself as JSON, unknown members included."""

    id: str
    device_id: str
    sequence: int
    json: str
    redemption: Redemption | None


@dataclass(frozen=True, slots=True)
class InvalidEvent:
    id: str
    message: str


@dataclass(frozen=True, slots=True)
class Batch:
    device_id: str
    after: str | None
    events: tuple[ScanEvent | InvalidEvent, ...]
    marks: tuple[frozenset[str], ...]
    """For each event its id and ticketIds, by which a fault can single it out."""


def read_batch(body: bytes) -> Batch:
    """Raises Problem 400 (not JSON, or not the shape) or 413 (too many events)."""
    request = read_json(body)
    if not isinstance(request, dict):
        raise _wrong_shape("the body must be an object")
    if request.get("schema") != SCHEMA:
        raise _wrong_shape(f"schema must be {SCHEMA!r}")
    if (complaint := _device_id(request.get("deviceId"))) is not None:
        raise _wrong_shape(f"deviceId {complaint}")
    after = request.get("after")
    if "after" in request and not (isinstance(after, str) and 1 <= len(after) <= MAXIMUM_CURSOR):
        raise _wrong_shape(f"after must be a cursor of 1 to {MAXIMUM_CURSOR} characters, or absent")
    events = request.get("events")
    if not isinstance(events, list):
        raise _wrong_shape("events must be an array")
    if len(events) > MAXIMUM_EVENTS:
        raise Problem(413, "tooManyEvents", f"{len(events)} events; a batch holds at most {MAXIMUM_EVENTS}")
    device_id: str = request["deviceId"]
    return Batch(
        device_id=device_id,
        after=after,
        events=tuple(_read_event(index, event, device_id) for index, event in enumerate(events)),
        marks=tuple(_marks(event) for event in events),
    )


def event_complaint(event: Mapping[str, Any]) -> str | None:
    """The first thing that is wrong with an event, or None: it is valid."""
    return (
        members_complaint(event, _EVENT_MEMBERS, _EVENT_REQUIRED)
        or _kind_complaint(event)
        or _decision_complaint(event)
    )


def read_json(body: bytes) -> Any:
    """Strict JSON. Raises Problem 400."""
    try:
        return strict_json.read(body)
    except ValueError as error:
        raise Problem(400, "notJSON", f"the body is not JSON: {error}") from error


# The request


def _wrong_shape(detail: str) -> Problem:
    return Problem(400, "wrongShape", detail)


def _read_event(index: int, event: Any, device_id: str) -> ScanEvent | InvalidEvent:
    # An answer names events by id, so an event without a usable one can only be told of with the whole request.
    if not isinstance(event, dict):
        raise _wrong_shape(f"events[{index}] must be an object")
    event_id = event.get("id")
    if not (isinstance(event_id, str) and event_id.isascii() and 1 <= len(event_id) <= 128):
        raise _wrong_shape(f"events[{index}].id must be 1 to 128 ASCII characters")

    if (complaint := event_complaint(event)) is not None:
        return InvalidEvent(event_id, complaint)
    if event["deviceId"] != device_id:
        return InvalidEvent(event_id, "deviceId is not the device that sends the batch")
    text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return InvalidEvent(event_id, "a string holds a lone surrogate")
    return ScanEvent(event_id, device_id, event["sequence"], text, _redemption(event))


def _redemption(event: Mapping[str, Any]) -> Redemption | None:
    if event.get("decision") != "admitted":
        return None
    ticket = event["ticket"]
    return Redemption(
        event_id=ticket["eventId"],
        ticket_id=ticket["ticketId"],
        zone_id=ticket.get("zoneId"),
        gate_id=event.get("gateId"),
        count=event.get("count", 1),
        uses=ticket.get("uses", 1),
        at=event["scannedAt"],
        content_hash=ticket.get("contentHash"),
    )


def _marks(event: Mapping[str, Any]) -> frozenset[str]:
    facts = (event.get("ticket"), event.get("claimed"))
    candidates = (event.get("id"), *(fact.get("ticketId") for fact in facts if isinstance(fact, dict)))
    return frozenset(mark for mark in candidates if isinstance(mark, str))


# What members must be


# Fixed by the ticket format, so that no Unicode version changes a verdict: controls, invisible and bidirectional
# formatting, byte-order mark, interlinear annotation, tags. Surrogates are no scalars.
_REFUSED_IN_IDENTIFIERS = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)


def _identifier(value: object) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    if _REFUSED_IN_IDENTIFIERS.search(value):
        return "holds a code point that identifiers may not hold"
    return None if 1 <= len(value.encode("utf-8")) <= 128 else "must be 1 to 128 UTF-8 bytes"


def _identifiers(value: object) -> str | None:
    if not (isinstance(value, list) and len(value) <= 100):
        return "must be an array of at most 100 identifiers"
    return next((f"[{i}] {c}" for i, item in enumerate(value) if (c := _identifier(item))), None)


def _label(value: object) -> str | None:
    """A name that people gave a gate, a lane, themselves."""
    return None if isinstance(value, str) and 1 <= len(value) <= 256 else "must be 1 to 256 characters"


def _moment(value: object) -> str | None:
    if isinstance(value, str) and read_milliseconds(value) is not None:
        return None
    return "must be a real RFC 3339 time in UTC with milliseconds, as 2026-07-04T18:00:00.123Z"


_device_id = matching(r"[A-Za-z0-9._:-]{1,128}", "1 to 128 of A-Z a-z 0-9 . _ : -")
_sha256 = matching(r"[0-9a-f]{64}", "a SHA-256 in lower-case hexadecimal")
_second = integer(0, LATEST_SECOND)

_FACTS = object_of(
    {
        "ticketId": _identifier,
        "eventId": _identifier,
        "zoneId": _identifier,
        "issuedAt": _second,
        "validFrom": _second,
        "validTo": _second,
        "signature": matching(r"[A-Za-z0-9_-]{85}[AQgw]", "64 bytes in canonical base64url"),
        "keyId": _identifier,
        "uses": integer(1, 1000),
        "category": _identifier,
        "contentHash": _sha256,
    },
    required=("ticketId", "eventId"),
)

_EVENT_MEMBERS: Mapping[str, Check] = {
    "id": matching(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", "a UUIDv7 in lower case"),
    "deviceId": _device_id,
    "gateId": _label,
    "lane": _label,
    "gateEvents": _identifiers,
    "sequence": integer(1),
    "scannedAt": _moment,
    "clock": one_of("trusted", "untrusted", "confirmed"),
    "configuration": object_of({"epoch": integer(0), "version": integer(0)}, required=("epoch", "version")),
    "kind": one_of("entry", "clockConfirmed"),
    "decision": one_of("admitted", "refused"),
    # Any code: gates learn new reasons before servers do.
    "reason": matching(r"[A-Za-z][A-Za-z0-9]{0,63}", "a reason code"),
    "hostCode": matching(r"[A-Za-z0-9._-]{1,32}", "1 to 32 of A-Z a-z 0-9 . _ -"),
    "count": integer(1),
    "operator": _label,
    "repeats": integer(0),
    "ticket": _FACTS,
    "claimed": _FACTS,
    "codeHash": _sha256,
    "codeLength": integer(0),
}
_EVENT_REQUIRED = ("id", "deviceId", "gateEvents", "sequence", "scannedAt", "clock", "kind")


# What members must be to each other


def _kind_complaint(event: Mapping[str, Any]) -> str | None:
    if event["kind"] == "entry":
        return None if "decision" in event else "decision is missing"
    present = [name for name in ("decision", "reason", "hostCode", "ticket", "claimed") if name in event]
    return f"{present[0]} does not belong in {event['kind']}" if present else None


def _decision_complaint(event: Mapping[str, Any]) -> str | None:
    if "ticket" in event and "claimed" in event:
        return "ticket and claimed exclude each other"
    if event.get("decision") == "admitted":
        if "ticket" not in event:
            return "ticket is missing: only a verified ticket is admitted"
        if "reason" in event:
            return "reason does not belong to an admission"
        if event.get("count", 1) > 1000:
            return "count must be at most 1000 for an admission"
    if event.get("decision") == "refused":
        reason = event.get("reason")
        if reason is None:
            return "reason is missing"
        if reason == "hostRule" and "hostCode" not in event:
            return "hostCode is missing"
        if reason in UNVERIFIED_REASONS and "ticket" in event:
            return f"ticket does not belong to {reason}: it was not verified"
    return None
