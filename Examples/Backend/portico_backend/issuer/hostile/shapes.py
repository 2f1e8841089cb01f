"""JSON that is wrong, signed or not, and members that are allowed but unusual."""

import json
from collections.abc import Iterator
from typing import Any

from ..encoding import base64url
from ..plan import DAY
from ..tickets import Members, signed, ticket_text, time_text
from .mint import ADMITTED, HostileCode, Mint

_DEFINED = ("ticketId", "eventId", "zoneId", "issuedAt", "validFrom", "validTo")


def shape_codes(mint: Mint) -> Iterator[HostileCode]:
    yield from _documents(mint)
    yield from _numbers(mint)
    yield from _times(mint)
    yield from _identifiers(mint)
    yield from _versions(mint)
    yield from _limits(mint)
    yield from _other_members(mint)


def _documents(mint: Mint) -> Iterator[HostileCode]:
    def malformed(text: str, why: str) -> HostileCode:
        return HostileCode(text, "malformed", why)

    yield malformed(mint.spelt(('"zoneId":', '"zoneId":"main","zoneId":')), "a duplicate member")
    yield malformed(mint.spelt(('"zoneId":', '"zone\\u0049d":"main","zoneId":')), "a duplicate, one of them escaped")
    yield malformed(mint.spelt(('"extra":{}', '"extra":{"a":1,"\\u0061":2}'), extra={}), "a duplicate inside a member")
    yield malformed(mint.spelt(('"note":""', r'"note":"\ud800"'), note=""), "a lone high surrogate")
    yield malformed(mint.spelt(('"note":""', r'"note":"\udc00x"'), note=""), "a lone low surrogate")
    yield malformed(mint.spelt(('"note":""', '"note":"\t"'), note=""), "a control character in a string")
    yield malformed(mint.spelt(('"note":""', r'"note":"\x41"'), note=""), "an escape that JSON does not have")
    yield malformed(base64url(mint.json().encode() + b"x"), "text after the end")
    yield malformed(base64url(mint.json().encode()[:-1] + b",}"), "a comma before the end")
    yield malformed(base64url(b"\xef\xbb\xbf" + mint.json().encode()), "a byte-order mark inside")
    yield malformed(base64url(mint.json().encode("utf-16-le")), "UTF-16")
    yield malformed(base64url(mint.json(note="é").encode("latin-1")), "Latin-1")
    yield malformed(base64url(mint.json(note="#").encode().replace(b"#", b"\xc0\xaf")), "overlong UTF-8")
    yield malformed(base64url(b"[" + mint.json().encode() + b"]"), "an array around it")
    yield malformed(base64url(b"{}"), "an empty object")
    yield malformed(base64url(b"null"), "null")
    yield malformed(base64url(mint.json().encode()[:-20]), "the end is missing")
    for name in (*_DEFINED, "signature"):
        members = mint.signed()
        yield malformed(ticket_text({**members, name: None}), f"{name} is null")
        del members[name]
        yield malformed(ticket_text(members), f"{name} is missing")
    for signature, why in (
        ("", "empty"),
        (base64url(bytes(63)), "63 bytes"),
        (base64url(bytes(65)), "65 bytes"),
        (base64url(bytes(64)) + "==", "padded"),
        (base64url(bytes(64))[:-1] + "B", "not canonical"),
        (7, "a number"),
    ):
        yield malformed(ticket_text({**mint.members(), "signature": signature}), f"signature: {why}")


def _numbers(mint: Mint) -> Iterator[HostileCode]:
    issued = mint.now - 5 * DAY
    for form in (
        f"{issued}.0",
        f"{issued}e0",
        f"{issued}E+0",
        f"0{issued}",
        f"+{issued}",
        "-0",
        "1e400",
        "0x10",
        "NaN",
    ):
        text = mint.spelt((f'"issuedAt":{issued}', f'"issuedAt":{form}'))
        yield HostileCode(text, "malformed", f"a number written {form}")
    for form in ("1.0", "1e0", "-0", "-0.0", "01", str(2**53), str(-(2**53)), "1e400"):
        text = mint.spelt(('"extra":{}', f'"extra":{{"a":[{form}]}}'), extra={})
        yield HostileCode(text, "malformed", f"a number written {form}, inside a member")
    yield HostileCode(
        mint.text(extra=[2**53 - 1, -(2**53) + 1, 0]),
        ADMITTED,
        "the largest and smallest numbers, inside a member",
    )


def _times(mint: Mint) -> Iterator[HostileCode]:
    now = mint.now
    good = time_text(now - DAY)
    for value, why in (
        ((now - DAY) * 1000, "milliseconds for seconds"),
        (253_402_300_800, "the year 10000"),
        (-1, "before 1970"),
        (str(now - DAY), "digits in a string"),
        (True, "a boolean"),
        (good.replace("T", "t"), "a lower-case t"),
        (good.replace("Z", "z"), "a lower-case z"),
        (good.replace("T", " "), "a space for T"),
        (good.replace("Z", ".5Z"), "a fraction"),
        (good.replace("Z", ""), "no offset"),
        (good.replace("Z", "+0200"), "an offset without colon"),
        ("2024-12-31T23:59:60Z", "a leap second"),
        ("2023-02-30T12:00:00Z", "30 February"),
        ("2023-02-29T12:00:00Z", "29 February of no leap year"),
        ("2023-01-01T24:00:00Z", "hour 24"),
        (good[:10], "a date alone"),
    ):
        yield HostileCode(mint.text(issuedAt=value), "malformed", f"issuedAt: {why}")


def _identifiers(mint: Mint) -> Iterator[HostileCode]:
    for name in ("ticketId", "eventId", "zoneId", "keyId", "category"):
        yield HostileCode(mint.text(**{name: ""}), "malformed", f"{name} is empty")
        yield HostileCode(mint.text(**{name: 7}), "malformed", f"{name} is a number")
        yield HostileCode(mint.text(**{name: "x" * 129}), "malformed", f"{name} has 129 bytes")
    for code_point in (0x00, 0x09, 0x1B, 0x7F, 0x85, 0xAD, 0x61C, 0x200B, 0x200D, 0x2028, 0x202E, 0x2066, 0xFEFF,
                       0xFFFA, 0xE0001):  # fmt: skip
        yield HostileCode(mint.text(ticketId=f"a{chr(code_point)}b"), "malformed", f"ticketId holds U+{code_point:04X}")
    yield HostileCode(mint.text(ticketId="é" * 64 + "x"), "malformed", "ticketId has 65 characters in 129 bytes")
    salt = f"{mint.chance.getrandbits(64):016x}"
    yield HostileCode(mint.text(ticketId=salt + "é" * 56), ADMITTED, "ticketId has 72 characters in 128 bytes")
    yield HostileCode(mint.text(ticketId=f"{salt}\u00e9"), ADMITTED, "ticketId with é in one code point")
    yield HostileCode(mint.text(ticketId=f"{salt}e\u0301"), ADMITTED, "ticketId with é in two: another ticket")
    yield HostileCode(mint.text(ticketId=f"=1+1 {salt}"), ADMITTED, "ticketId that a spreadsheet would compute")
    yield HostileCode(mint.text(ticketId=f"<b>{salt}"), ADMITTED, "ticketId that a page would render")
    yield HostileCode(mint.text(ticketId=f"{salt}'); DROP TABLE--"), ADMITTED, "ticketId that a query would run")


def _versions(mint: Mint) -> Iterator[HostileCode]:
    def code(expect: str, why: str, **changes: Any) -> HostileCode:
        return HostileCode(mint.text(**changes), expect, why)

    yield code("unsupportedFormat", "v 2", v=2)
    yield code("unsupportedFormat", "v 0", v=0)
    yield code("unsupportedFormat", "v 2 without the other members", v=2, ticketId=None, validTo=None, eventId=None)
    yield code(ADMITTED, "v 1, written out", v=1)
    yield code("unsupportedFormat", "crit names a member that no gate knows", crit=["x"], x=1)
    yield code("malformed", "crit is empty", crit=[])
    yield code("malformed", "crit names an absent member", crit=["x"])
    yield code("malformed", "crit names a defined member", crit=["zoneId"])
    yield code("malformed", "crit is a string", crit="x", x=1)
    yield code("malformed", "crit holds a number", crit=[1])
    for uses in (0, -1, 1001, "2", True):
        yield code("malformed", f"uses {json.dumps(uses)}", uses=uses)
    yield code(ADMITTED, "uses 1000", uses=1000)


def _limits(mint: Mint) -> Iterator[HostileCode]:
    deep: Members = {"b": {"c": {}}}
    yield HostileCode(mint.text(extra=deep), ADMITTED, "depth 4")
    yield HostileCode(mint.text(extra={"a": deep}), "malformed", "depth 5")
    yield HostileCode(base64url(b'{"a":' + b"[" * 1500), "malformed", "depth 1,501, never closed")
    others = 64 - len(mint.signed())
    yield HostileCode(mint.text(**{f"x{n}": n for n in range(others)}), ADMITTED, "64 members")
    yield HostileCode(mint.text(**{f"x{n}": n for n in range(others + 1)}), "malformed", "65 members")
    yield HostileCode(
        mint.text(extra={f"x{n}": n for n in range(others)}), "malformed", "65 members, some inside another"
    )
    yield HostileCode(mint.text(**{"n" * 64: 1}), ADMITTED, "a member name of 64 characters")
    for name in ("n" * 65, "", "é", "a b", "a/b", "$"):
        yield HostileCode(mint.text(**{name: 1}), "malformed", f"a member named {json.dumps(name)}")
    # 2,953 characters fit a code, but no base64url has 4n + 1 of them.
    yield HostileCode(_text_of_length(mint, 2952), ADMITTED, "2,952 characters, as many as a ticket can have")


def _text_of_length(mint: Mint, length: int) -> str:
    size = length * 3 // 4
    ticket = mint.members()
    note = "n" * (size - len(mint.json(**ticket, note="").encode()))
    text = mint.text(**ticket, note=note)
    if len(text) != length:
        raise ValueError(f"a text of {len(text)} characters, not {length}")
    return text


def _other_members(mint: Mint) -> Iterator[HostileCode]:
    for why, changes in (
        ("unknown members, one of them null", {"seatMap": {"row": 3, "side": "left"}, "perk": None}),
        (
            "holder, seat and note for display",
            {"holder": "Zoë 李", "seat": "B 12", "note": "with \u202e inside"},
        ),
        ("a signature inside another member", {"x": {"signature": "kept"}}),
        ("a member with the name __proto__", {"__proto__": {"admin": True}}),
    ):
        # Not through the mint's changes: to the mint None means absent, and here a null is wanted.
        members: Members = {**mint.members(), **changes}
        yield HostileCode(ticket_text(signed(members, mint.key)), ADMITTED, f"genuine, with {why}")
