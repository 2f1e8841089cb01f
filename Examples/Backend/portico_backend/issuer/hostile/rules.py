"""Genuine tickets, and the rules that they break."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..encoding import base64url, base64url_bytes
from ..plan import CLOSED_ZONE, DAY, HOUR
from ..tickets import time_text
from .mint import ADMITTED, HostileCode, Mint


def rule_codes(mint: Mint) -> Iterator[HostileCode]:
    yield from _times(mint)
    yield from _zones(mint)
    yield from _revoked_tickets(mint)


def replayed_codes(mint: Mint, issued: Sequence[dict[str, Any]]) -> Iterator[HostileCode]:
    """Replays of issued tickets of one use, each once as it is and once respelt."""
    single = [line for line in issued if line["uses"] == 1]
    for line in mint.chance.sample(single, min(5, len(single))):
        yield HostileCode(line["text"], "alreadyUsed", "replayed: the same code again", line["ticketId"])
        members = json.loads(base64url_bytes(line["text"]))
        for text, why in (
            (
                json.dumps(dict(reversed(members.items())), ensure_ascii=False, indent=1),
                "in another order, spaced",
            ),
            (json.dumps(members, ensure_ascii=False).replace("e", r"\u0065"), "in other escapes"),
        ):
            yield HostileCode(base64url(text.encode()), "alreadyUsed", f"replayed: respelt {why}", line["ticketId"])


def _times(mint: Mint) -> Iterator[HostileCode]:
    now = mint.now
    yield HostileCode(mint.text(**mint.past()), "expired", "its window closed yesterday")
    yield HostileCode(mint.text(validFrom=now + DAY, validTo=now + 2 * DAY), "notYetValid", "its window opens tomorrow")
    yield HostileCode(
        mint.text(issuedAt=now + DAY, validTo=now + 2 * DAY), "issuedInFuture", "issued tomorrow, valid today"
    )
    yield HostileCode(
        mint.text(issuedAt=now + DAY, validFrom=now + DAY, validTo=now + 2 * DAY),
        "issuedInFuture",
        "issued tomorrow and valid from then: the issue is judged first",
    )
    yield HostileCode(mint.text(validFrom=now + HOUR, validTo=now - HOUR), "inconsistent", "validFrom is after validTo")
    yield HostileCode(
        mint.text(issuedAt=now - DAY, validFrom=now - 4 * DAY, validTo=now - 3 * DAY),
        "inconsistent",
        "issued after it expired",
    )
    yield HostileCode(
        mint.text(issuedAt=time_text(now - 5 * DAY), validTo=time_text(now - DAY, 120), validFrom=now - 3 * DAY),
        "expired",
        "its window closed yesterday, written as text",
    )
    yield HostileCode(
        mint.text(validFrom=time_text(now - HOUR, -570), validTo=time_text(now + 12 * HOUR, 345)),
        ADMITTED,
        "times as text with offsets",
    )
    yield HostileCode(
        mint.text(issuedAt=0, validFrom=0, validTo=253_402_300_799), ADMITTED, "the widest window there is"
    )


def _zones(mint: Mint) -> Iterator[HostileCode]:
    yield HostileCode(mint.text(zoneId=CLOSED_ZONE), "wrongZone", "a zone that the gate does not admit")
    yield HostileCode(mint.text(zoneId="nowhere"), "wrongZone", "a zone that nobody knows")
    yield HostileCode(
        mint.text(zoneId=CLOSED_ZONE, **mint.past()),
        "expired",
        "expired and of the wrong zone: the time is judged first",
    )


def _revoked_tickets(mint: Mint) -> Iterator[HostileCode]:
    for ticket_id in mint.plan.revoked:
        yield HostileCode(mint.text(ticketId=ticket_id), "revoked", "on the revocation list")
    if mint.plan.revoked:
        yield HostileCode(
            mint.text(ticketId=mint.plan.revoked[0], zoneId=CLOSED_ZONE, **mint.past()),
            "revoked",
            "revoked, expired and of the wrong zone: the list is judged first",
        )
    for ticket_id in mint.plan.reissued:
        yield HostileCode(
            mint.text(ticketId=ticket_id, issuedAt=mint.now - DAY), "revoked", "issued before it was revoked"
        )
        yield HostileCode(
            mint.text(ticketId=ticket_id, issuedAt=mint.now),
            ADMITTED,
            "re-issued, no earlier than issuedBefore",
        )
