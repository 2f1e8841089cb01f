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


# Tokens and designs


def sample(space: str, *components: object, **members: object) -> dict[str, object]:
    return {"colorSpace": space, "components": list(components), **members}


def size(value: float, unit: str = "px") -> dict[str, object]:
    return {"value": value, "unit": unit}


def token(type_: str | None, value: object, **members: object) -> dict[str, object]:
    type_member = {} if type_ is None else {"$type": type_}
    return {**type_member, "$value": value, **{"$" + name: content for name, content in members.items()}}


SHADOW = {"color": "#0008", "offsetX": size(0), "offsetY": size(1), "blur": size(2), "spread": size(0)}
TEXT = {"fontFamily": ["A", "b"], "fontSize": size(1), "fontWeight": "bold", "lineHeight": 1, "letterSpacing": size(0)}


def token_values() -> Iterator[tuple[str, object]]:
    spaces = (
        "srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz-d65", "xyz-d50", "lab", "oklab",
    )
    for space in spaces:
        yield "color", sample(space, 0.25, 0.5, 0.75)
    for space in ("hsl", "hwb"):
        yield "color", sample(space, 210, 40, 60)
    for space in ("lch", "oklch"):
        yield "color", sample(space, 0.5, 0.2, "none", alpha=0.5)
    yield "color", sample("srgb", 1, 0, 0.2, hex="#ff0033")
    yield "color", sample("srgb", 1, 0, 0.2, hex="#ff0034")
    yield "color", sample("srgb", 1.01, -1, "none", alpha=2)
    for text in ("#abc", "#abcd", "#AABBCC", "#aabbcc80", "#ab", "red"):
        yield "color", text
    for value in (size(4), size(1.5, "rem"), size(1, "em"), size(1e13), {"value": 4}, 4):
        yield "dimension", value
    yield "duration", size(150, "ms")
    yield "duration", size(0.2, "s")
    for family in ("Inter", ["Inter", "sans-serif"], [], ""):
        yield "fontFamily", family
    for weight in (400, "semi-bold", 0, 1_000, "fat"):
        yield "fontWeight", weight
    for curve in ([0.4, 0, 0.2, 1], [0, -3, 1, 5], [2, 0, 0, 0], [1]):
        yield "cubicBezier", curve
    yield from (("number", -1.5e-3), ("number", 1e308), ("number", "1"))
    for style in ("dashed", "curly", {"dashArray": [size(1), size(2, "rem")], "lineCap": "round"}, {"dashArray": []}):
        yield "strokeStyle", style
    yield "border", {"color": "#000", "width": size(1), "style": "solid"}
    yield "transition", {"duration": size(1, "s"), "delay": size(0, "ms"), "timingFunction": [0, 0, 1, 1]}
    yield "shadow", SHADOW
    yield "shadow", [SHADOW, {**SHADOW, "inset": True}]
    yield "gradient", [{"color": "#000", "position": 0}, {"color": "#fff", "position": 1.5}]
    yield "typography", TEXT
    yield "typography", {"fontFamily": "A", "fontSize": size(1), "fontWeight": 1, "lineHeight": 1}


def token_references() -> Iterator[object]:
    red = token("color", "#f00")
    part = {"$ref": "#/a/$value/components/0"}
    yield {"a": red, "b": token(None, "{a}"), "c": {"$ref": "#/b"}, "g": {"$type": "color", "d": token(None, "{c}")}}
    yield {"a": token("color", sample("srgb", 0.5, 0, 1)), "b": token("color", sample("srgb", part, 0, part))}
    yield {"a": token("dimension", size(2)), "b": token("number", {"$ref": "#/a/$value/value"})}
    yield {"a": token("color", "{b}"), "b": token("color", "{c}"), "c": token("color", "{a}")}
    yield {"a": token("color", "{a}"), "b": token("color", {"$ref": "#/b"}), "c": token("color", "{nowhere}")}
    yield {"a": token("color", "{g}"), "g": {"b": red}, "c": token("dimension", "{g.b}"), "d": token("color", "{g.b")}
    yield {"a": {"$type": "color", "x": red}, "b": {"$extends": "{a}", "y": token(None, "{b.x}")}}
    yield {"a": {"x": red, "g": {"y": red}}, "b": {"$ref": "#/a", "x": token("number", 1), "g": {"z": red}}}
    yield {"a": {"$extends": "{b}", "x": red}, "b": {"$extends": "#/a"}, "c": {"$extends": "{c.d}", "d": {"x": red}}}
    yield {"a": {"$extends": "{a}"}, "b": {"$extends": "{x}"}, "x": red, "c": {"$extends": "nowhere", "$ref": "#/x"}}
    twice = {f"g{n}": {"$extends": f"{{g{n + 1}}}", "a": {"$extends": f"{{g{n + 1}}}"}} for n in range(6)}
    yield twice | {"g6": {"t": red}}
    yield {"a~b/c": {"d e": red}, "e": {"$ref": "#/a~0b~1c/d%20e"}, "f": token("color", "{a~b/c.d e}")}
    yield {"g": {"$root": red, "h": token(None, "{g.$root}")}, "i": {"$ref": "#/g/$root"}}
    yield {"s": token("shadow", SHADOW), "l": token("shadow", ["{s}", SHADOW]), "m": token("shadow", ["{l}"])}
    text = {**TEXT, "fontSize": "{s}", "fontFamily": "{f}", "letterSpacing": {"$ref": "#/s"}}
    yield {"s": token("dimension", size(2)), "f": token("fontFamily", "A"), "t": token("typography", text)}
    old = token("color", "#f00", deprecated="by b")
    yield {"a": old, "b": token("color", "{a}"), "c": {"$deprecated": True, "d": red}}
    yield {"a": token("color", "#f00", description="d", extensions={"x": [1]}), "$schema": "s", "$new": 1}
    yield {"a": token("colour", "#f00"), "b": token(None, 1), "c": {**red, "d": red}, "e.f": red, "": red, "$x": red}
    yield {"\u00e9": red, "e\u0301": token("number", 1), "h": token(None, "{\u00e9}"), "i": token(None, "{e\u0301}")}
    yield {"a": 1, "b": [], "c": {"value": 1}, "$type": "color", "$description": 1, "$extensions": 2, "$deprecated": 3}


COLORS = (
    "brandPrimary brandPrimaryLight brandPrimaryDark brandAccent brandAccentLight brandAccentDark "
    "bgPrimary bgSecondary bgTertiary textPrimary textSecondary textTertiary border success warning error"
).split()


def design() -> dict[str, object]:
    """The fewest bytes in which every token of a theme has a value."""
    other = {"$ref": "#/c"}
    text = {"$ref": "#/typography/body"}
    return {
        "c": token("color", "#fff"), "s": token("dimension", size(4)), "color": {name: other for name in COLORS},
        "spacing": {name: {"$ref": "#/s"} for name in ("xs", "sm", "md", "lg", "xl", "xxl")},
        "typography": {
            "body": token("typography", TEXT), "caption": text, "headline": text, "title": text, "largeTitle": text,
        },
    }


def resolver(order: list[object], **members: object) -> dict[str, object]:
    return {"version": "2025.10", "resolutionOrder": order, **members}


def designs() -> Iterator[object]:
    yield design()
    broken = design()
    del broken["s"]
    yield broken
    dark = {"c": token("color", "#000")}
    sets, sources = {"all": {"sources": [design()]}}, {"sources": [dark]}
    theme = {"contexts": {"light": [], "dark": [dark]}, "default": "light"}
    contrast = {"contexts": {"normal": [], "increased": [dark]}, "default": "normal"}
    all_, themes, contrasts = ({"$ref": ref} for ref in ("#/sets/all", "#/modifiers/theme", "#/modifiers/contrast"))
    yield resolver([all_], sets=sets)
    yield resolver([all_, themes, contrasts], sets=sets, modifiers={"theme": theme, "contrast": contrast})
    yield resolver([{"name": "all", "type": "set", **sets["all"]}, {"name": "Theme", "type": "modifier", **theme}])
    yield resolver([all_, {"$ref": "#/sets/b"}], sets={"all": sources, "b": {"sources": [all_, {"$ref": "x.json"}]}})
    yield resolver([all_], sets={"all": {"sources": [{"$ref": "#/sets/b"}]}, "b": {"$ref": "#/sets/all"}})
    yield resolver([themes, themes], modifiers={"theme": {**theme, "default": "neither"}})
    contexts = {"dark": [themes, {"$ref": "a/b.json#/c"}], "Light": []}
    yield resolver([themes], modifiers={"theme": {"contexts": contexts}})
    yield resolver([{"$ref": "#/sets"}, {"name": "x"}, 1, all_], sets=[], modifiers={"m": {"contexts": {}}})
    yield resolver([{**all_, "sources": [dark]}], sets={"all": sources, "b": {**all_, "x": 1}}, name=1, other=2)
    yield {"version": "1"}
    yield {"resolutionOrder": []}


def tokens() -> Iterator[bytes]:
    for type_, value in token_values():
        yield compact({"t": token(type_, value)})
        yield compact({"g": {"$type": type_, "t": token(None, value), "u": token(None, "{g.t}")}})
    for value in (*token_references(), *designs()):
        yield compact(value)
    yield from (b"{}", b"[]", b"{", b'{"a":{"$value":1,"$value":2}}')


# Links; the table that they are read by is in LinkReading.swift


def links() -> Iterator[bytes]:
    paths = (
        "", "root", "ROOT", "root/", "path/a", "path/a/", "path/a/b/c/d/e/f/g", "path/a/b/c/d/e/f/g/h", "path",
        "path//a", "path/%41%c3%A9", "path/é", "path/e\u0301", "path/%2F%3f%23", "path/a?b=c#d", "path/a#b?c",
        "%70ath/x", "pa%74h/x", "path/.", "path/..", "path/%2e%2E", "path/a%00", "path/%7f", "path/%C2%80", "path/%ff",
        "path/%c0%af", "path/%", "path/%4", "path/%+1", "path/%zz", "path/a b", "path/a\\b", "path/{a}", "path/a:b@c",
        "path/\u202e", "//", "/", "path/" + "x" * 256, "path/" + "x" * 257, "path/\U0001f600", "Path/a", "\u212aey/a",
        "path/a;b=c,d&e=f+g!$'()*~",
    )
    for start in ("app://", "APP://", "https://app.example/", "HTTPS://App.Example/"):
        for path in paths:
            yield (start + path).encode()
    for link in (
        "", "app", "app:", "app:/", "app:path/a", "app:/path/a", "://path/a", "other://path/a", "app://user@path/a",
        "app://path:80/a", "https://app.example", "https://app.example?x", "https://app.example:443/root",
        "https://a@app.example/root", "https://app.example./root", "https://sub.app.example/root",
        "http://app.example/root", "https://app.example@evil.example/root", "https://evil.example/app.example/root",
        "https:///root", " app://root", "app://root\n", "app://root\0", "javascript://root/%0aalert(1)",
        "\u212apps://root", "app://[::1]/a",
    ):
        yield link.encode()
    yield from (b"app://path/\xff", b"app://path/\xed\xa0\x80", b"\xef\xbb\xbfapp://root", b"app://path/\xc3")


TARGETS = {
    "tickets": tickets, "json": strict_json, "configuration": configuration, "journal": journal, "events": events,
    "receipts": receipts, "eventstream": event_streams, "tokens": tokens, "links": links,
}


def main(target: str, folder: Path) -> None:
    for number, seed in enumerate(TARGETS[target]()):
        (folder / f"{number:03d}").write_bytes(seed)


main(sys.argv[1], Path(sys.argv[2]))
