"""openapi.json is sound, its examples are true, and its schema of an event is the service's own judgement."""

import json
from typing import Any

import pytest
from openapi_spec_validator import validate
from service import OPENAPI, Service, admitted, refused, schema_errors

from portico_backend.wire import InvalidEvent, event_complaint, read_batch

FACTS = {"ticketId": "t", "eventId": "e"}
FULL_FACTS = {
    **FACTS,
    "zoneId": "z",
    "issuedAt": 0,
    "validFrom": 1,
    "validTo": 253_402_300_799,
    "signature": "A" * 86,
    "keyId": "k",
    "uses": 1000,
    "category": "c",
    "contentHash": "0" * 64,
}
CONFIRMED = {"kind": "clockConfirmed", "decision": None, "ticket": None}

VALID: list[dict[str, Any]] = [
    {},
    {"ticket": FULL_FACTS, "count": 1000, "repeats": 0},
    {"gateId": None, "configuration": None},
    {"gateEvents": []},
    {"sequence": 2**53 - 1},
    {"codeHash": "ab" * 32, "codeLength": 0, "lane": "2", "operator": "Zoë"},
    {"decision": "refused", "reason": "aReasonOfTomorrow", "count": 70_000},
    {"decision": "refused", "reason": "hostRule", "hostCode": "no-shoes"},
    {"decision": "refused", "reason": "badSignature", "ticket": None, "claimed": FULL_FACTS},
    {"decision": "refused", "reason": "malformed", "ticket": None},
    CONFIRMED,
    {**CONFIRMED, "operator": "Ana"},
    {"chain": "reserved", "unknown": [None]},
    {"scannedAt": "2024-02-29T23:59:59.999Z"},
    {"ticket": {**FACTS, "ticketId": "é" * 64}},
]

INVALID: list[dict[str, Any]] = [
    *(
        {name: None}
        for name in ("deviceId", "gateEvents", "sequence", "scannedAt", "clock", "kind", "decision", "ticket")
    ),
    *(
        {name: [None]}
        for name in ("gateId", "lane", "operator", "sequence", "clock", "kind", "decision", "count", "ticket")
    ),
    {"id": "019AC3A1-52F0-7C1E-8A44-0D5B7F9C2E10"},
    {"id": "019ac3a1-52f0-4c1e-8a44-0d5b7f9c2e10"},
    {"id": "019ac3a1-52f0-7c1e-8a44-0d5b7f9c2e10x"},
    {"deviceId": ""},
    {"deviceId": "d" * 129},
    {"deviceId": "d d"},
    {"gateId": ""},
    {"gateId": "g" * 257},
    {"gateEvents": "e"},
    {"gateEvents": [""]},
    {"gateEvents": ["e"] * 101},
    {"sequence": 0},
    {"sequence": -1},
    {"sequence": 2**53},
    {"sequence": "1"},
    {"sequence": True},
    {"sequence": 1.5},
    {"scannedAt": "2026-07-04T18:00:00Z"},
    {"scannedAt": "2026-07-04T18:00:00.123+00:00"},
    {"scannedAt": "2026-07-04t18:00:00.123z"},
    {"scannedAt": "1969-12-31T23:59:59.999Z"},
    {"scannedAt": "x"},
    {"scannedAt": 0},
    {"clock": "Trusted"},
    {"configuration": {"epoch": 1}},
    {"configuration": {"epoch": -1, "version": 1}},
    {"configuration": []},
    {"kind": "exit"},
    {"decision": "maybe"},
    {"reason": "expired"},
    {"decision": "refused"},
    {"decision": "refused", "reason": ""},
    {"decision": "refused", "reason": "not a code"},
    {"decision": "refused", "reason": "hostRule"},
    {"decision": "refused", "reason": "hostRule", "hostCode": "x" * 33},
    *(
        {"decision": "refused", "reason": reason}
        for reason in ("malformed", "unsupportedFormat", "unknownEvent", "unknownKey", "badSignature")
    ),
    {"count": 0},
    {"count": 1001},
    {"repeats": -1},
    {"operator": ""},
    {"claimed": FACTS},
    {"ticket": None, "claimed": FACTS},
    {**CONFIRMED, "ticket": FACTS},
    {**CONFIRMED, "claimed": FACTS},
    {**CONFIRMED, "decision": "admitted"},
    {**CONFIRMED, "reason": "expired"},
    {"codeHash": "AB" * 32},
    {"codeHash": "ab" * 31},
    {"codeLength": -1},
    {"ticket": {"ticketId": "t"}},
    {"ticket": {"eventId": "e"}},
    {"ticket": {**FACTS, "ticketId": ""}},
    {"ticket": {**FACTS, "ticketId": "t" * 129}},
    *(
        {"ticket": {**FACTS, "ticketId": f"a{character}b"}}
        for character in "\0\t\n\x1b\x7f\x85\xad\u061c\u200b\u200f\u2028\u202e\u2060\ufeff\ufff9\U000e0001\U000e0fff"
    ),
    {"ticket": {**FACTS, "eventId": "e\n"}},
    {"ticket": {**FACTS, "issuedAt": -1}},
    {"ticket": {**FACTS, "validTo": 253_402_300_800}},
    {"ticket": {**FACTS, "validFrom": "2026-07-04T18:00:00Z"}},
    {"ticket": {**FACTS, "signature": "A" * 85 + "B"}},
    {"ticket": {**FACTS, "signature": "A" * 85 + "="}},
    {"ticket": {**FACTS, "uses": 0}},
    {"ticket": {**FACTS, "uses": 1001}},
    {"ticket": {**FACTS, "contentHash": ""}},
    {"ticket": {**FACTS, "zoneId": None}},
]

ONLY_THE_SERVICE: list[dict[str, Any]] = [
    # What JSON Schema cannot say, or says otherwise.
    {"sequence": 1.0},
    {"scannedAt": "2026-02-30T18:00:00.123Z"},
    {"scannedAt": "2026-07-04T24:00:00.000Z"},
    {"ticket": {**FACTS, "ticketId": "é" * 65}},
]


def test_the_document_is_valid_openapi() -> None:
    validate(OPENAPI)


def test_the_service_serves_it(calm: Service) -> None:
    assert calm.call("GET", "/openapi.json").json == OPENAPI
    assert calm.call("GET", "/v1/health").json["status"] == "ok"


def test_its_examples_keep_to_its_schemas_and_the_service_takes_the_batch() -> None:
    upload = OPENAPI["paths"]["/v1/scans"]["post"]
    sent = upload["requestBody"]["content"]["application/json"]["examples"]["evening"]["value"]
    receipt = upload["responses"]["200"]["content"]["application/json"]["examples"]["evening"]["value"]
    assert schema_errors("Batch", sent) == []
    assert schema_errors("Receipt", receipt) == []
    read = read_batch(json.dumps(sent).encode())
    assert not any(isinstance(event, InvalidEvent) for event in read.events)


@pytest.mark.parametrize("changes", VALID, ids=repr)
def test_schema_and_service_take_the_same_events(changes: dict[str, Any]) -> None:
    event = admitted("device", 1, "t", **changes)
    assert schema_errors("ScanEvent", event) == []
    assert event_complaint(event) is None


@pytest.mark.parametrize("changes", INVALID, ids=ascii)
def test_schema_and_service_refuse_the_same_events(changes: dict[str, Any]) -> None:
    event = admitted("device", 1, "t", **changes)
    assert schema_errors("ScanEvent", event) != []
    assert event_complaint(event) is not None


@pytest.mark.parametrize("changes", ONLY_THE_SERVICE, ids=ascii)
def test_the_service_refuses_what_the_schema_cannot(changes: dict[str, Any]) -> None:
    assert event_complaint(admitted("device", 1, "t", **changes)) is not None


def test_a_null_is_not_an_absent_member() -> None:
    for name in ("gateId", "configuration", "reason", "claimed", "operator", "codeHash"):
        event = {**refused("device", 1, "malformed"), name: None}
        assert schema_errors("ScanEvent", event) != []
        assert event_complaint(event) is not None
