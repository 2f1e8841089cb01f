"""A second opinion: a gate in a hundred lines, from the format's documentation, to judge what the issuer made.

It knows what the issuer's codes need and no more: no hours, no host rules, no clock guard.
"""

import base64
import json
import re
from datetime import datetime
from typing import Any

import rfc8785
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

_ORDER = 2**252 + 27742317777372353535851937790883648493
_REFUSED = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_REQUIRED = ("ticketId", "eventId", "zoneId", "issuedAt", "validFrom", "validTo", "signature")
_DEFINED = (*_REQUIRED, "v", "keyId", "uses", "category", "crit", "holder", "seat", "note", "holderKey")


class Refused(Exception):  # noqa: N818 (not an error: a verdict)
    pass


class Referee:
    def __init__(self, configuration: dict[str, Any], served: list[str], zone: str, now: int) -> None:
        self._events = {event["eventId"]: event for event in configuration["events"]}
        self._served, self._zone, self._now = served, zone, now
        self._used: dict[tuple[str, str], int] = {}

    def judge(self, text: str) -> str:
        """A reason code, or `admitted`."""
        try:
            ticket = _read(text)
            event, key = self._verify(ticket)
            self._apply_rules(ticket, event, key)
        except Refused as refused:
            return str(refused)
        name = (ticket["eventId"], ticket["ticketId"])
        if self._used.get(name, 0) >= ticket.get("uses", 1):
            return "alreadyUsed"
        self._used[name] = self._used.get(name, 0) + 1
        return "admitted"

    def _verify(self, ticket: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        event = self._events.get(ticket["eventId"])
        if event is None:
            raise Refused("unknownEvent")
        keys = [key for key in event["keys"] if key["keyId"] == ticket.get("keyId", key["keyId"])]
        if not keys:
            raise Refused("unknownKey")
        message = rfc8785.dumps({name: value for name, value in ticket.items() if name != "signature"})
        for key in keys:
            if _verifies(key["publicKey"], message, ticket["signature"]):
                return event, key
        raise Refused("badSignature")

    def _apply_rules(self, ticket: dict[str, Any], event: dict[str, Any], key: dict[str, Any]) -> None:
        issued, opens, closes = (_seconds(ticket[name]) for name in ("issuedAt", "validFrom", "validTo"))
        tolerance, now = event["tolerance"], self._now
        zone = next(zone for zone in event["zones"] if zone["zoneId"] == self._zone)
        outside = key["status"] == "retired" and not key["validFrom"] <= issued <= key["validTo"]
        for reason, holds in (
            ("keyRevoked", key["status"] == "revoked"),
            ("outsideKeyValidity", outside),
            ("inconsistent", opens > closes or issued > closes),
            ("wrongEvent", ticket["eventId"] not in self._served),
            ("revoked", _is_revoked(ticket["ticketId"], issued, event)),
            ("issuedInFuture", issued > now + tolerance),
            ("notYetValid", now < opens - tolerance),
            ("expired", now > closes + tolerance),
            ("wrongZone", ticket["zoneId"] not in zone.get("admits", [self._zone])),
        ):
            if holds:
                raise Refused(reason)


def _is_revoked(ticket_id: str, issued: int, event: dict[str, Any]) -> bool:
    return any(
        entry["ticketId"] == ticket_id and issued < entry.get("issuedBefore", float("inf"))
        for entry in event.get("revokedTickets", [])
    )


def _verifies(public_key: str, message: bytes, signature: str) -> bool:
    raw = _bytes(signature)
    if int.from_bytes(raw[32:], "little") >= _ORDER:
        return False
    try:
        VerifyKey(_bytes(public_key)).verify(message, raw)
    except BadSignatureError:
        return False
    return True


def _read(text: str) -> dict[str, Any]:
    text = text.removeprefix("\ufeff").strip()
    text = re.sub(r"^\][A-Za-z][0-9]", "", text)
    text = re.sub(r"^(\\[0-9]{6})+", "", text)
    body, tilde, _ = text.partition("~")
    if len(text) > 2953:
        raise Refused("malformed")
    ticket = _json(_bytes(body))
    if tilde or ticket.get("v", 1) != 1:
        raise Refused("unsupportedFormat")
    if "crit" in ticket:
        crit = ticket["crit"]
        names = crit if isinstance(crit, list) and all(isinstance(name, str) for name in crit) else []
        _demand(bool(names) and all(name in ticket and name not in _DEFINED for name in names))
        raise Refused("unsupportedFormat")
    _demand(all(name in ticket for name in _REQUIRED))
    _demand(all(ticket[name] is not None for name in _DEFINED if name in ticket))
    for name in ("ticketId", "eventId", "zoneId", "keyId", "category"):
        value = ticket.get(name, "absent")
        _demand(isinstance(value, str) and 1 <= len(value.encode()) <= 128 and not _REFUSED.search(value))
    for name in ("issuedAt", "validFrom", "validTo"):
        _seconds(ticket[name])
    _demand(type(ticket.get("uses", 1)) is int and 1 <= ticket.get("uses", 1) <= 1000)
    _demand(isinstance(ticket["signature"], str) and len(_bytes(ticket["signature"])) == 64)
    return ticket


def _json(data: bytes) -> dict[str, Any]:
    members = 0

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal members
        members += len(found)
        _demand(len(dict(found)) == len(found) and members <= 64)
        _demand(all(re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name) for name, _ in found))
        return dict(found)

    def integer(form: str) -> int:
        _demand(form != "-0" and abs(int(form)) < 2**53)
        return int(form)

    def never(_: str) -> None:
        _demand(False)

    _demand(data.startswith(b"{"))
    try:
        value: dict[str, Any] = json.loads(
            data.decode("utf-8"), object_pairs_hook=pairs, parse_int=integer, parse_float=never, parse_constant=never
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise Refused("malformed") from error
    _demand(_depth(value) <= 4)
    return value


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


def _seconds(value: Any) -> int:
    if isinstance(value, str):
        _demand(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", value, re.ASCII) is not None)
        _demand(value[11:13] != "24")
        try:
            value = int(datetime.fromisoformat(value).timestamp())
        except ValueError as error:
            raise Refused("malformed") from error
    _demand(type(value) is int and 0 <= value <= 253_402_300_799)
    seconds: int = value
    return seconds


def _bytes(text: str) -> bytes:
    _demand(re.fullmatch(r"[A-Za-z0-9_-]*", text) is not None and len(text) % 4 != 1)
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    _demand(base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text)
    return data


def _demand(condition: bool) -> None:
    if not condition:
        raise Refused("malformed")
