"""Tickets: the members, the three lines that sign them, and the text that is printed."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import rfc8785

from .encoding import base64url
from .keys import EventKey
from .plan import DAY, HOUR, KEY_ROTATED, SALE_BEGAN, Event, Options, Plan, new_ticket_id

Members = dict[str, Any]

LONGEST_TEXT = 500
"""Denser codes read worse from a phone's screen, so an issuer stays below."""

_HOLDERS = ("Ana Kovač", "Zoë Müller", "李小龍", "Ibrahim Öztürk", "Siobhán O’Neill", "Иван Петров")
_OFFSETS = (0, 60, 120, -300, 345)


@dataclass(frozen=True, slots=True)
class IssuedTicket:
    text: str
    members: Members

    def json(self) -> Members:
        """A line of tickets.jsonl. The digest tells this ticket from a thief's after a key was stolen."""
        members = self.members
        line = {
            "text": self.text,
            "ticketId": members["ticketId"],
            "eventId": members["eventId"],
            "zoneId": members["zoneId"],
            "category": members.get("category"),
            "uses": members.get("uses", 1),
            "keyId": members.get("keyId"),
            "signedBytesSha256": sha256(signed_bytes(members)).hexdigest(),
        }
        return {name: value for name, value in line.items() if value is not None}


def signed_bytes(members: Members) -> bytes:
    """The object without its own signature, in RFC 8785 form."""
    return rfc8785.dumps({name: value for name, value in members.items() if name != "signature"})


def signed(members: Members, key: EventKey) -> Members:
    return {**members, "signature": base64url(key.sign(signed_bytes(members)))}


def ticket_text(members: Members) -> str:
    """What the code holds. Any spelling of the JSON will do: only the canonical form is signed."""
    return base64url(json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def issue_tickets(plan: Plan, options: Options, chance: random.Random) -> Iterator[IssuedTicket]:
    """Each would be admitted at the gate's zone, at `now`. Events take turns."""
    for number in range(options.tickets):
        event = plan.events[number % len(plan.events)]
        members = _draw_members(number, event, options, chance)
        key = event.key("active")
        if chance.random() < options.retired_key_share:
            key = event.key("retired")
            members["issuedAt"] = plan.now - chance.randint(KEY_ROTATED, SALE_BEGAN)
        if chance.random() < options.named_key_share:
            members["keyId"] = key.key_id
        if chance.random() < options.text_times_share:
            _write_times_as_text(members, chance)
        yield _print(members, key)


def _print(members: Members, key: EventKey) -> IssuedTicket:
    complete = signed(members, key)
    text = ticket_text(complete)
    if len(text) <= LONGEST_TEXT:
        return IssuedTicket(text, complete)
    if "holder" in members:
        # What is only for display gives way first.
        return _print({name: value for name, value in members.items() if name not in {"holder", "seat"}}, key)
    raise ValueError(f"a ticket of {len(text)} characters; at most {LONGEST_TEXT} read well: choose shorter names")


def _draw_members(number: int, event: Event, options: Options, chance: random.Random) -> Members:
    members: Members = {
        "ticketId": new_ticket_id(chance),
        "eventId": event.event_id,
        "zoneId": chance.choice(event.zones),
        "issuedAt": options.now - chance.randint(HOUR, KEY_ROTATED - DAY),
        "validFrom": options.now - options.window_before,
        "validTo": options.now + options.window_after,
    }
    if options.categories:
        members["category"] = options.categories[number % len(options.categories)]
    if options.uses > 1:
        members["uses"] = options.uses
    if chance.random() < options.display_share:
        members["holder"] = chance.choice(_HOLDERS)
        members["seat"] = f"{chance.choice('ABCDEFGH')}{chance.randint(1, 40)}"
    return members


def _write_times_as_text(members: Members, chance: random.Random) -> None:
    for name in ("issuedAt", "validFrom", "validTo"):
        members[name] = time_text(members[name], chance.choice(_OFFSETS))


def time_text(seconds: int, offset_minutes: int = 0) -> str:
    """RFC 3339 without a fraction; offset 0 is written Z."""
    if offset_minutes == 0:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return datetime.fromtimestamp(seconds, timezone(timedelta(minutes=offset_minutes))).isoformat()
