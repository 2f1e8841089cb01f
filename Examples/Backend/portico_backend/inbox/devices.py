"""The devices on which a recipient is reached by push."""

import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..times import write_second


@dataclass(frozen=True, slots=True)
class Registration:
    connection_id: str
    installation_id: str
    platform: str
    name: str | None
    push_token: str
    marketing_consent: bool
    consent_evidence: str | None


@dataclass(frozen=True, slots=True)
class Device:
    id: str
    recipient: str
    type: str
    platform: str
    name: str | None
    connection_id: str | None
    installation_id: str | None
    registered_at: int
    marketing_consent: int
    push_token: str | None
    consent_evidence: str | None

    def json(self) -> dict[str, Any]:
        """Without the push token: who holds it can reach the device."""
        return {
            "id": self.id,
            "type": self.type,
            "platform": self.platform,
            "name": self.name,
            "connectionId": self.connection_id,
            "installationId": self.installation_id,
            "registeredAt": write_second(self.registered_at),
            "marketingConsent": bool(self.marketing_consent),
        }

    def json_for_operators(self) -> dict[str, Any]:
        return {**self.json(), "token": self.push_token, "consentEvidence": self.consent_evidence}


class Devices:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, recipient: str) -> Sequence[Device]:
        rows = self._connection.execute(
            "SELECT * FROM devices WHERE recipient = ? ORDER BY registered_at, id", (recipient,)
        )
        return [Device(*row) for row in rows]

    def register(self, recipient: str, wanted: Registration, now: int) -> tuple[Device, bool]:
        """The device, and whether it is new. One that was there keeps its id and the time of its registration."""
        row = self._connection.execute(
            "UPDATE devices SET platform = ?, name = ?, marketing_consent = ?, push_token = ?, consent_evidence = ?"
            " WHERE recipient = ? AND installation_id = ? AND connection_id = ? RETURNING *",
            (
                wanted.platform, wanted.name, wanted.marketing_consent, wanted.push_token, wanted.consent_evidence,
                recipient, wanted.installation_id, wanted.connection_id,
            ),
        ).fetchone()  # fmt: skip
        if row is not None:
            return Device(*row), False
        device = Device(
            id=_new_id(),
            recipient=recipient,
            type="mobile",
            platform=wanted.platform,
            name=wanted.name,
            connection_id=wanted.connection_id,
            installation_id=wanted.installation_id,
            registered_at=now // 1000,
            marketing_consent=wanted.marketing_consent,
            push_token=wanted.push_token,
            consent_evidence=wanted.consent_evidence,
        )
        self._insert(device)
        return device, True

    def add_web_push(self, recipient: str, name: str, now: int) -> Device:
        device = Device(_new_id(), recipient, "webPush", "web", name, None, None, now // 1000, 0, None, None)
        self._insert(device)
        return device

    def remove(self, recipient: str, device_type: str, device_id: str) -> bool:
        return (
            self._connection.execute(
                "DELETE FROM devices WHERE recipient = ? AND type = ? AND id = ?", (recipient, device_type, device_id)
            ).rowcount
            > 0
        )

    def _insert(self, device: Device) -> None:
        self._connection.execute(
            "INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                device.id, device.recipient, device.type, device.platform, device.name, device.connection_id,
                device.installation_id, device.registered_at, device.marketing_consent, device.push_token,
                device.consent_evidence,
            ),
        )  # fmt: skip


def _new_id() -> str:
    return secrets.token_hex(8)
