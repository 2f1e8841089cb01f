"""What a camera sees that was never a ticket."""

import string
from collections.abc import Iterator

from ..encoding import base64url
from .mint import HostileCode, Mint

# Without . and ~, which other ticket formats have between their parts.
_PRINTABLE = string.ascii_letters + string.digits + " !\"#$%&'()*+,-/:;<=>?@[]^_`{|}"
_FIXED = (
    ("", "nothing"),
    (" \r\n", "white space alone"),
    ("\ufeff", "a byte-order mark alone"),
    ("]Q1", "an AIM identifier alone"),
    ("\\000026", "an ECI mark alone"),
    ("A", "one character"),
    ("e30", "an empty object"),
    ("4006381333931", "an EAN-13"),
    ("96385074", "an EAN-8"),
    ("https://example.org/menu?table=7", "a link"),
    ("WIFI:T:WPA;S:Guests;P:correct horse;;", "a Wi-Fi code"),
    ("BEGIN:VCARD\nFN:Ana\nEND:VCARD", "a contact"),
    ('{"ticketId":"t"}', "JSON without base64url"),
    ("🎫🎫🎫", "emoji"),
    ("\x1b[2J\x07", "terminal controls"),
    ("<script>alert(1)</script>", "a script"),
)


def noise_codes(mint: Mint) -> Iterator[HostileCode]:
    for text, what in _FIXED:
        yield HostileCode(text, "malformed", f"noise: {what}")
    chance = mint.chance
    for _ in range(20):
        text = "".join(chance.choice(_PRINTABLE) for _ in range(chance.randint(1, 200)))
        yield HostileCode(text, "malformed", "noise: random printable characters")
    for _ in range(10):
        # Never a brace first: such bytes would begin as a ticket does.
        data = bytes([chance.randrange(0x7B)]) + chance.randbytes(chance.randint(1, 250))
        yield HostileCode(base64url(data), "malformed", "noise: base64url of random bytes")
    for _ in range(5):
        digits = "".join(chance.choice(string.digits) for _ in range(13))
        yield HostileCode(digits, "malformed", "noise: thirteen digits")
    yield HostileCode("A" * 2954, "malformed", "noise: 2,954 characters, one too many")
    yield HostileCode("A" * 1_000_000, "malformed", "noise: a million characters")
