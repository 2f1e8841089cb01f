"""Other texts for the same bytes, one bit more or less, and what a reader adds around a code."""

import string
from collections.abc import Iterator

from ..encoding import base64url, base64url_bytes
from ..tickets import ticket_text
from .mint import ADMITTED, HostileCode, Mint

_ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"


def spelling_codes(mint: Mint) -> Iterator[HostileCode]:
    yield from _other_base64(mint)
    yield from _flipped(mint)
    yield from _readers(mint)


def _other_base64(mint: Mint) -> Iterator[HostileCode]:
    two_bits, four_bits = _text_with_tail(mint, 3), _text_with_tail(mint, 2)
    yield HostileCode(_last_bits_set(two_bits), "malformed", "base64url: two unused bits are not zero")
    yield HostileCode(_last_bits_set(four_bits), "malformed", "base64url: four unused bits are not zero")
    yield HostileCode(two_bits + "=", "malformed", "base64url with padding")
    yield HostileCode(four_bits + "==", "malformed", "base64url with padding of two")
    # Each ? at a third place gives an underscore, each ~ a dash or an underscore.
    both = mint.text(note="?" * 9 + "~" * 9 + ">" * 9)
    yield HostileCode(both.replace("-", "+").replace("_", "/"), "malformed", "base64 with + and /")
    yield HostileCode(f"{both[:40]}\n{both[40:]}", "malformed", "base64url with a line break inside")
    yield HostileCode(f"{both[:40]} {both[40:]}", "malformed", "base64url with a space inside")
    yield HostileCode(_text_with_tail(mint, 0) + "A", "malformed", "base64url with one character too many")
    yield HostileCode(both, ADMITTED, "the same ticket in its one right spelling")
    yield HostileCode(f"{mint.text()}~proof", "unsupportedFormat", "a ticket with a holder's proof (reserved)")


def _text_with_tail(mint: Mint, tail: int) -> str:
    """A ticket whose text has `tail` characters in its last group of four (0: the group is full)."""
    ticket = mint.members()
    for length in range(3):
        text = mint.text(**ticket, note="n" * (length + 1))
        if len(text) % 4 == tail:
            return text
    raise ValueError(f"no text has a tail of {tail}")


def _last_bits_set(text: str) -> str:
    return text[:-1] + _ALPHABET[_ALPHABET.index(text[-1]) | 1]


def _flipped(mint: Mint) -> Iterator[HostileCode]:
    """Each flips one known bit, of the signature or of the JSON, so what it hits is known."""
    for bit in (0, 255, 256, 503):
        ticket = mint.signed()
        signature = bytearray(base64url_bytes(ticket["signature"]))
        signature[bit // 8] ^= 1 << bit % 8
        yield HostileCode(
            ticket_text({**ticket, "signature": base64url(bytes(signature))}),
            "badSignature",
            f"bit {bit} of the signature flipped",
        )
    for target, bit, expect, what in (
        ('"ticketId":"t-', 0, "badSignature", "in ticketId"),
        ('"zoneId":"', 0, "badSignature", "in zoneId"),
        ('"validTo":1', 0, "badSignature", "in a digit of validTo"),
        ('"eventId":"', 0, "unknownEvent", "in eventId"),
        ('"eventId":"', 7, "malformed", "in eventId, which is no UTF-8 then"),
        ('"eventI', 0, "malformed", "in the name eventId, which is missing then"),
        ('"validFrom', 0, "malformed", "in the quote after the name validFrom"),
        ("", 0, "malformed", "in the first brace"),
    ):
        data = bytearray(mint.json().encode())
        place = data.index(target.encode()) + len(target)
        data[place] ^= 1 << bit
        yield HostileCode(base64url(bytes(data)), expect, f"a bit flipped {what}")


def _readers(mint: Mint) -> Iterator[HostileCode]:
    for before, after, what in (
        ("", "\r\n", "Enter after it"),
        ("  \t", " ", "white space around it"),
        ("\ufeff", "", "a byte-order mark before it"),
        ("]Q1", "", "an AIM identifier before it"),
        ("\\000026", "", "an ECI mark before it"),
        ("\ufeff ]Q1\\000026", "\n", "byte-order mark, space, AIM identifier, ECI mark and Enter"),
    ):
        yield HostileCode(before + mint.text() + after, ADMITTED, f"a good ticket with {what}")
    yield HostileCode(f"]Q1]Q1{mint.text()}", "malformed", "two AIM identifiers: only one is removed")
    yield HostileCode(f"https://tickets.example/{mint.text()}", "malformed", "a ticket inside a link")
