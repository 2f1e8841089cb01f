"""The tokens of recipients. Of a token the database holds the hash alone, and holds it past its end.

An expired token must be told from one that was never given: the one is a reason to fetch another, the other a mistake.
"""

import secrets
import sqlite3
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class Token:
    digest: bytes
    recipient: str
    expires_at: int
    """Epoch milliseconds."""


class Tokens:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def make(self, recipient: str, expires_at: int) -> str:
        token = secrets.token_urlsafe(24)
        self._connection.execute("INSERT INTO tokens VALUES (?, ?, ?)", (_digest(token), recipient, expires_at))
        return token

    def find(self, token: str) -> Token | None:
        return self.current(_digest(token))

    def current(self, digest: bytes) -> Token | None:
        row = self._connection.execute("SELECT * FROM tokens WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else Token(*row)

    def expire(self, recipient: str, now: int) -> None:
        self._connection.execute(
            "UPDATE tokens SET expires_at = min(expires_at, ?) WHERE recipient = ?", (now, recipient)
        )


def _digest(token: str) -> bytes:
    # A header may hold bytes that are no UTF-8; such a token is one that nobody was given.
    return sha256(token.encode("utf-8", "surrogateescape")).digest()
