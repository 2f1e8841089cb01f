"""Who signed, and for which event."""

from collections.abc import Iterator

from ..encoding import base64url, base64url_bytes
from ..plan import DAY, KEY_ROTATED, SALE_BEGAN
from ..tickets import ticket_text
from .mint import ADMITTED, HostileCode, Mint

_ORDER = 2**252 + 27742317777372353535851937790883648493
"""L of RFC 8032 §5.1: a signature's S must be below it."""


def key_and_event_codes(mint: Mint) -> Iterator[HostileCode]:
    yield from _forged(mint)
    yield from _events(mint)
    yield from _keys(mint)


def _forged(mint: Mint) -> Iterator[HostileCode]:
    yield HostileCode(mint.text(mint.stranger()), "badSignature", "forged: signed by a stranger's key")
    yield HostileCode(
        mint.text(mint.stranger(), keyId=mint.key.key_id), "badSignature", "forged, naming the active key"
    )
    revoked = mint.event.key("revoked")
    yield HostileCode(
        mint.text(mint.stranger(), keyId=revoked.key_id), "badSignature", "forged, naming the revoked key"
    )
    # Signature first: what a forgery says of its time, zone or rights is not even looked at.
    yield HostileCode(
        mint.text(mint.stranger(), validTo=mint.now - DAY, issuedAt=mint.now - 9 * DAY, zoneId="nowhere"),
        "badSignature",
        "forged, and expired, and for an unknown zone",
    )
    genuine = mint.signed()
    yield HostileCode(
        ticket_text({**genuine, "zoneId": mint.event.zones[-1], "uses": 1000}),
        "badSignature",
        "genuine, then given more rights",
    )
    yield HostileCode(
        ticket_text({**mint.members(), "signature": genuine["signature"]}),
        "badSignature",
        "the signature of another ticket",
    )
    yield HostileCode(
        ticket_text({**genuine, "signature": base64url(bytes(64))}), "badSignature", "a signature of zeros"
    )
    raw = base64url_bytes(genuine["signature"])
    above = int.from_bytes(raw[32:], "little") + _ORDER
    yield HostileCode(
        ticket_text({**genuine, "signature": base64url(raw[:32] + above.to_bytes(32, "little"))}),
        "badSignature",
        "S is not reduced (S + L)",
    )


def _events(mint: Mint) -> Iterator[HostileCode]:
    other = mint.plan.other
    yield HostileCode(
        mint.text(other.key("active"), eventId=other.event_id),
        "wrongEvent",
        "genuine for an event that the gate does not serve, with a zone of the same name",
    )
    yield HostileCode(
        mint.text(other.key("active"), eventId=other.event_id, zoneId="nowhere", **mint.past()),
        "wrongEvent",
        "genuine for another event, and expired: the event is judged first",
    )
    yield HostileCode(mint.text(eventId="nobody-knows"), "unknownEvent", "an event that is not configured")
    yield HostileCode(
        mint.text(eventId=mint.event.event_id.upper() + "X"),
        "unknownEvent",
        "an event's name is compared as bytes",
    )
    yield HostileCode(mint.text(keyId="nobody"), "unknownKey", "a keyId that the event does not have")
    yield HostileCode(
        mint.text(other.key("active"), keyId=other.key("active").key_id),
        "unknownKey",
        "signed by another event's key, and naming it",
    )
    yield HostileCode(
        mint.text(other.key("active")), "badSignature", "signed by another event's key, without naming it"
    )


def _keys(mint: Mint) -> Iterator[HostileCode]:
    revoked, retired = mint.event.key("revoked"), mint.event.key("retired")
    yield HostileCode(mint.text(revoked, keyId=revoked.key_id), "keyRevoked", "by a revoked key, naming it")
    yield HostileCode(mint.text(revoked), "keyRevoked", "by a revoked key, without naming it")
    yield HostileCode(
        mint.text(revoked, validTo=mint.now - DAY),
        "keyRevoked",
        "by a revoked key, and expired: the key is judged first",
    )

    began, rotated = mint.now - SALE_BEGAN, mint.now - KEY_ROTATED
    for issued_at, expect, why in (
        (began - 1, "outsideKeyValidity", "one second before the retired key's interval"),
        (began, ADMITTED, "the first second of the retired key's interval"),
        (rotated, ADMITTED, "the last second of the retired key's interval"),
        (rotated + 1, "outsideKeyValidity", "one second after the retired key's interval"),
    ):
        yield HostileCode(mint.text(retired, issuedAt=issued_at), expect, why)
    yield HostileCode(
        mint.text(retired, keyId=retired.key_id, issuedAt=mint.now - DAY),
        "outsideKeyValidity",
        "issued yesterday by a key retired a month ago",
    )
