"""Event keys: Ed25519 from PyNaCl, and how they are written down."""

import random
from dataclasses import dataclass
from typing import Any

from nacl.signing import SigningKey

from .encoding import base64url, base64url_bytes


@dataclass(frozen=True, slots=True)
class EventKey:
    key_id: str
    status: str
    seed: bytes
    valid_from: int | None = None
    valid_to: int | None = None

    @staticmethod
    def generate(
        key_id: str,
        status: str,
        chance: random.Random,
        valid_from: int | None = None,
        valid_to: int | None = None,
    ) -> "EventKey":
        return EventKey(key_id, status, chance.getrandbits(256).to_bytes(32, "big"), valid_from, valid_to)

    @property
    def public_key(self) -> bytes:
        return bytes(SigningKey(self.seed).verify_key)

    def sign(self, message: bytes) -> bytes:
        return SigningKey(self.seed).sign(message).signature

    def public_json(self) -> dict[str, Any]:
        """As in a gate configuration."""
        described: dict[str, Any] = {
            "keyId": self.key_id,
            "publicKey": base64url(self.public_key),
            "status": self.status,
        }
        if self.valid_from is not None:
            described["validFrom"] = self.valid_from
        if self.valid_to is not None:
            described["validTo"] = self.valid_to
        return described

    def private_json(self) -> dict[str, Any]:
        return {**self.public_json(), "privateKey": base64url(self.seed)}

    @staticmethod
    def from_private_json(described: dict[str, Any]) -> "EventKey":
        return EventKey(
            described["keyId"],
            described["status"],
            base64url_bytes(described["privateKey"]),
            described.get("validFrom"),
            described.get("validTo"),
        )
