"""Writes the inputs that the fuzzer of one target begins with: seeds.py TARGET FOLDER. Standard library only."""

import base64
import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

EVENING = 1_783_188_000


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


# Tickets


def ticket(**members: object) -> dict[str, object]:
    # Halves that every engine's pre-check lets through: R is no point of small order, S is below the group's order.
    signature = bytes([0x58] + [0x66] * 31 + [7] * 31 + [0])
    whole = {
        "ticketId": "T-1", "eventId": "SUMMER-2026", "zoneId": "NORTH", "issuedAt": EVENING - 200_000,
        "validFrom": EVENING - 7_200, "validTo": EVENING + 21_600, "signature": base64url(signature),
    }
    whole.update(members)
    return whole


def tickets() -> Iterator[bytes]:
    objects = [
        ticket(), ticket(keyId="k1"), ticket(keyId="k2"), ticket(keyId="k3"), ticket(keyId="other"),
        ticket(eventId="WINTER-2026"), ticket(eventId="AUTUMN-2026"), ticket(zoneId="SOUTH"), ticket(zoneId="ALL"),
        ticket(uses=4, category="staff", holder="Zoë", seat="A 12", note="née"), ticket(ticketId="T-REVOKED"),
        ticket(v=1), ticket(v=2), ticket(crit=["x"], x=1), ticket(crit=[]), ticket(crit=["holder"]),
        ticket(validFrom="2026-07-04T20:00:00+02:00", validTo="2026-07-04T23:00:00Z"),
        ticket(validTo=EVENING - 3_600), ticket(validFrom=EVENING + 3_600), ticket(issuedAt=EVENING + 3_600),
        ticket(validFrom=EVENING + 9, validTo=EVENING), ticket(extra={"signature": [1, None, True, -5]}),
        ticket(uses=0), ticket(uses=1.5), ticket(holder=None), ticket(signature="AA"), ticket(issuedAt=10**12),
    ]
    for value in objects:
        yield b"\x01" + compact(value)
    text = base64url(compact(objects[0])).encode()
    for code in (
        text, b"]Q1" + text + b"\r\n", b"\xef\xbb\xbf \\000026" + text, text + b"~proof", text[:-1], text + b"=",
    ):
        yield b"\x00" + code
    yield b"\x00eyJhbGciOiJFZERTQSJ9.eyJhIjoxfQ.c2ln"
    yield b"\x00v4.public.abc"
    yield b"\x00https://example.org/"
    yield b"\x01" + compact(objects[0]).replace(b'"T-1"', b'"\\u0054-\\u0031"')
    yield b"\x01" + compact(objects[0])[:-1] + b',"ticketId":"T-2"}'


# JSON


def strict_json() -> Iterator[bytes]:
    yield from (
        b'{"a":[1,-2,"x\\u00e9\\ud83d\\ude00\xc3\xa9",true,false,null,{"b":{}}],"c":""}', b"[]", b"0", b"-0", b"1.5e-7",
        b"9007199254740993", b"1e400", b"-0.0", b"123456789012345678901234567890", b'"\\b\\f\\n\\r\\t\\/\\\\\\""',
        b'{"10":1,"9":2,"__proto__":3}', '{"é":1,"é":2}'.encode(), b'{"a":1,"\\u0061":2}', b'"\\ud800"',
        b"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", b"\xef\xbb\xbf1", b'"\xed\xa0\x80"', b'"\xc0\x80"', b"01", b"1.", b"[1,]",
        b" \t\r\n{ \"k\" : [ ] } ", '"\U0010ffff\ufffe"'.encode(), b"5e-324", b"1.7976931348623157e308", b"tru", b"{}x",
        compact({f"name{number}": number for number in range(20)}), compact(ticket()),
    )


# Configurations


def key(number: int, status: str = "active", **members: object) -> dict[str, object]:
    return {"keyId": f"k{number}", "publicKey": base64url(bytes([number] * 32)), "status": status, **members}


def event(**members: object) -> dict[str, object]:
    whole = {
        "eventId": "SUMMER-2026", "timeZone": "Europe/Zurich", "ends": 1_783_296_000, "keys": [key(1)],
        "zones": [{"zoneId": "NORTH"}],
    }
    whole.update(members)
    return whole


def configuration() -> Iterator[bytes]:
    def file(version: int = 4, **members: object) -> bytes:
        whole = {
            "schema": "portico.gate/1", "version": version, "issuedAt": 1_783_100_000, "staleAfter": 1_783_300_000,
            "events": [event()],
        }
        whole.update(members)
        return compact(whole)

    hours = [
        {"days": ["mon", "sun"], "opens": "18:00", "minutes": 480},
        {"dates": ["2026-03-29", "2026-10-25"], "opens": "02:30", "minutes": 60}, {"opens": "23:59", "minutes": 1_440},
    ]
    yield file()
    yield file(version=3)
    yield file(version=2)
    yield file(epoch=1, issuedAt="2026-07-04T18:00:00Z")
    yield file(events=[event(keys=[key(2, "retired", validFrom=1, validTo=2), key(3, "revoked")])])
    yield file(events=[event(keys=[key(3, reinstated=True, formats=["json", "other"])])])
    yield file(events=[event(zones=[{"zoneId": "NORTH", "admits": ["NORTH", "ALL"], "hours": hours}])])
    for zone in ("UTC", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu", "Nowhere/Land", "PST", "../etc"):
        yield file(events=[event(timeZone=zone, zones=[{"zoneId": "NORTH", "hours": hours}])])
    yield file(events=[event(ends=253_402_300_799, zones=[{"zoneId": "N", "hours": hours}])])
    yield file(events=[event(ends=0, zones=[{"zoneId": "N", "hours": hours}])])
    yield file(events=[event(eventId="WINTER-2026", tolerance=3_600)])
    yield file(events=[event(revokedTickets=[{"ticketId": "T-1"}, {"ticketId": "T-2", "issuedBefore": 5}])])
    yield file(events=[event(), event()])
    yield file(events=[event(keys=[key(number) for number in range(1, 10)])])
    yield file(events=[])
    yield file(unknown=1)
    yield file(events=[event(keys=[{**key(1), "publicKey": base64url(bytes(32))}])])


# Journals; the format is told in Frame.swift, SegmentHeader.swift, Transaction.swift and Checkpoint.swift


def crc32c(data: bytes, checksum: int = 0) -> int:
    checksum ^= 0xFFFFFFFF
    for byte in data:
        checksum ^= byte
        for _ in range(8):
            checksum = checksum >> 1 ^ (0x82F63B78 if checksum & 1 else 0)
    return checksum ^ 0xFFFFFFFF


def counted(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def short(data: bytes) -> bytes:
    return bytes([len(data)]) + data


def frame(payload: bytes, number: int, salt: int) -> bytes:
    header = b"\xf5PJ\xff" + struct.pack("<IQI", len(payload), number, 0)
    total = crc32c(header, crc32c(struct.pack("<Q", salt)))
    return header + struct.pack("<I", total) + payload + struct.pack("<I", crc32c(payload, total))


def operations() -> list[bytes]:
    identity = bytes(range(16))
    anchor = struct.pack("<qqB", EVENING * 1_000, 5_000, 1) + counted(b"boot")
    return [
        b"\x01" + struct.pack("<q", 1) + identity + struct.pack("<qB", EVENING * 1_000, 1) + counted(b'{"id":1}'),
        b"\x02\x00" + short(b"SUMMER-2026") + short(b"T-1") + b"\x01" + counted(b"body"),
        b"\x02\x02" + short(b"S") + short(b"T") + b"\x03" + counted(b""),
        b"\x03" + anchor, b"\x04" + struct.pack("<q", EVENING * 1_000), b"\x05" + counted("c-é".encode()),
        b"\x06" + identity + struct.pack("<q", 3), b"\x07" + identity,
        b"\x08" + identity + counted(b"unknownEvent") + counted(b"no such event"), b"\x09", b"\x0a", b"\x0b",
    ]


def journal() -> Iterator[bytes]:
    all_of_them = operations()
    salt = 0x1122334455667788
    head = b"PorticoJ" + struct.pack("<HHIQQQQqI", 1, 0, 7, 3, salt, 1, 2, 42, 0)
    head += struct.pack("<I", crc32c(head))
    frames = [frame(b"".join(all_of_them[:4]), 3, salt), frame(all_of_them[8], 4, salt), frame(b"", 5, salt)]
    whole = b"".join(frames)
    yield b"\x00" + head + head + whole
    yield b"\x00" + bytes(64) + head + whole + bytes(40)
    yield b"\x00" + head + head[:-1] + b"\x00" + frames[0] + b"torn" + frames[1][:-2] + frames[2]
    yield b"\x00" + head.replace(b"J\x01", b"J\x02") * 2
    yield b"\x00" + bytes(128)
    yield b"\x00no journal at all"
    for operation in all_of_them:
        yield b"\x01" + operation
    yield b"\x01" + b"".join(all_of_them)
    yield b"\x01\x0c"
    for damage in (b"\x00\x30\x00\x00", b"\x00\x20\x01\x09", b"\x00\x40\x02\x81", b"\x00\x20\x03\x00"):
        yield b"\x02" + damage + b"".join(short(operation) for operation in all_of_them)
    anchor = struct.pack("<qqB", EVENING * 1_000, 5_000, 0) + counted(b"boot")
    summary = struct.pack("<QQqQIqqq", 1, 2, 42, 9, 3, 5, 1, 7)
    summary += b"\x01" + anchor + b"\x01" + struct.pack("<q", EVENING * 1_000) + b"\x01" + counted(b"c-1")
    summary += struct.pack("<I", 1) + struct.pack("<q", 4) + counted(b"code") + counted(b"message")
    yield b"\x03" + summary
    footer = struct.pack("<qIIIII", 16, 28, 90, 1, 0, 77) + bytes(20) + struct.pack("<HH", 1, 0)
    footer += bytes(52 - len(footer))
    yield b"\x03" + footer + struct.pack("<I", crc32c(footer)) + b"PorticoK"


# Events and histories


def varint(number: int) -> bytes:
    digits = bytearray()
    while number >= 0x80:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(digits + bytes([number]))


def events() -> Iterator[bytes]:
    claims = {
        **ticket(), "uses": 1, "contentHash": "ab" * 32,
    }
    whole = {
        "id": "019f0000-0000-7000-8000-000000000001", "deviceId": "d-1", "gateEvents": ["SUMMER-2026"], "sequence": 1,
        "scannedAt": "2026-07-04T18:00:00.000Z", "clock": "trusted", "configuration": {"epoch": 1, "version": 2},
        "kind": "entry", "decision": "admitted", "count": 1, "repeats": 0,
    }
    yield b"\x00" + compact({**whole, "ticket": claims, "codeHash": "cd" * 32, "codeLength": 330})
    yield b"\x00" + compact({**whole, "decision": "refused", "reason": "badSignature", "claimed": claims, "lane": "L1"})
    yield b"\x00" + compact({**whole, "decision": "refused", "reason": "hostRule", "hostCode": "x", "gateId": "G1"})
    yield b"\x00" + compact({**whole, "kind": "clockConfirmed", "operator": "Zoë", "clock": "confirmed"})
    yield b"\x00" + compact({**whole, "sequence": -(2**63), "ticket": {**claims, "validTo": 2**63 - 1}})
    yield b"\x00" + compact({**whole, "sequence": "1"})
    yield b"\x00" + compact({**whole, "reason": "none", "decision": "refused"})
    use = bytes(range(16)) + varint(EVENING * 1_000) + varint(1) + short(b"d-2")
    yield b"\x01\x01" + varint(4) + varint(2) + b"\x00" + use + b"\x1f" + use + short(b"G") + short(b"Z") + bytes(32)
    yield b"\x01\x01" + varint(0) + varint(0)
    yield b"\x01\x02"
    yield b"\x01\x01" + varint(1_000) + varint(1_025)


# Receipts


def receipts() -> Iterator[bytes]:
    def identity(number: int) -> str:
        return f"019f0000-0000-7000-8000-{number:012x}"

    row = {
        "id": identity(99), "eventId": "SUMMER-2026", "ticketId": "T-1", "deviceId": "d-2", "count": 1,
        "at": "2026-07-04T17:00:00.000Z", "gateId": "G2", "zoneId": "NORTH", "contentHash": "ab" * 32,
    }
    results = [
        {"id": identity(1), "result": "accepted"}, {"id": identity(2), "result": "duplicate"},
        {"id": identity(3), "result": "refused", "code": "unknownEvent", "message": "no such event"},
    ]
    whole = {
        "results": results, "serverTime": "2026-07-04T18:00:01.000Z", "highestSequence": 3, "redemptions": [row],
        "cursor": "c1", "more": True,
    }
    yield compact(whole)
    yield compact({"results": results[:1]})
    yield compact({**whole, "results": results + [{"id": identity(1), "result": "refused"}]})
    yield compact({**whole, "results": [{"id": identity(77), "result": "accepted"}, {"id": 5}, {"result": "odd"}]})
    counts = [{**row, "count": -1}, {**row, "count": 2**63 - 1}]
    yield compact({**whole, "redemptions": [{**row, "deviceId": "d-1"}, *counts]})
    yield compact({**whole, "redemptions": [{**row, "at": "9999-12-31T23:59:59.999Z"}, {"id": identity(5)}, row, row]})
    yield compact({**whole, "serverTime": "1970-01-01T00:00:00Z", "highestSequence": 2**63 - 1})
    yield compact({**whole, "serverTime": "tomorrow", "redemptions": None, "cursor": "c" * 1_100})
    yield b"<html>"
    yield b'{"results":{}}'


# Event streams; the first four bytes are the lengths of pieces.


def event_streams() -> Iterator[bytes]:
    streams = [
        b"data: a\n\n", b"\xef\xbb\xbfdata: a\r\n\r\ndata: b\r\r", b":comment\ndata\ndata: b\n\n",
        b"event: message\nid: 7\nretry: 1000\ndata: {\"id\":\"m\"}\n\n", b"id: 1\0\ndata:  two\n\nid\ndata: x\n\n",
        "data: é\u2028\U0001f600\x85\n\n".encode(), b"data: \xff\xc3\n\n", b"data: unterminated", b"",
        b"Data: a\n data: b\ndata : c\n\n", b"data: " + b"x" * 300 + b"\n\n", b"retry: 1x\nretry: 00\ndata\n\n",
        b"\xef\xbbdata: a\n\n", b"\n\n\r\n\rdata:\n\n", b"event: a\nevent\ndata: b\n\nevent: c\n\ndata: d\n\n",
    ]
    for number, stream in enumerate(streams):
        yield bytes([number % 7, 3, 11, 15]) + stream


TARGETS = {
    "tickets": tickets, "json": strict_json, "configuration": configuration, "journal": journal, "events": events,
    "receipts": receipts, "eventstream": event_streams,
}


def main(target: str, folder: Path) -> None:
    for number, seed in enumerate(TARGETS[target]()):
        (folder / f"{number:03d}").write_bytes(seed)


main(sys.argv[1], Path(sys.argv[2]))
