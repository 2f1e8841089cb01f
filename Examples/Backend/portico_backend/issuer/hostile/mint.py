"""Makes tickets that are right but for one thing."""

import json
import random
from dataclasses import dataclass
from typing import Any

from ..encoding import base64url
from ..keys import EventKey
from ..plan import DAY, HOUR, Event, Plan, new_ticket_id
from ..tickets import Members, signed, ticket_text

ADMITTED = "admitted"


@dataclass(frozen=True, slots=True)
class HostileCode:
    """`expect` is a reason code, or `admitted`. `after`: the ticketId that was admitted before this is shown."""

    text: str
    expect: str
    why: str
    after: str | None = None

    def json(self) -> dict[str, Any]:
        line = {"text": self.text, "expect": self.expect, "why": self.why, "after": self.after}
        return {name: value for name, value in line.items() if value is not None}


class Mint:
    def __init__(self, plan: Plan, chance: random.Random) -> None:
        self.plan = plan
        self.chance = chance

    @property
    def now(self) -> int:
        return self.plan.now

    @property
    def event(self) -> Event:
        return self.plan.events[0]

    @property
    def key(self) -> EventKey:
        return self.event.key("active")

    def members(self, **changes: Any) -> Members:
        """A fresh ticket for the gate; `None` leaves a member out."""
        members: Members = {
            "ticketId": new_ticket_id(self.chance),
            "eventId": self.event.event_id,
            "zoneId": self.plan.gate_zone,
            "issuedAt": self.now - 5 * DAY,
            "validFrom": self.now - 6 * HOUR,
            "validTo": self.now + 12 * HOUR,
            **changes,
        }
        return {name: value for name, value in members.items() if value is not None}

    def past(self) -> dict[str, int]:
        """Changes for a window that closed yesterday, consistent in itself."""
        return {"validFrom": self.now - 3 * DAY, "validTo": self.now - DAY}

    def signed(self, key: EventKey | None = None, /, **changes: Any) -> Members:
        return signed(self.members(**changes), key or self.key)

    def text(self, key: EventKey | None = None, /, **changes: Any) -> str:
        return ticket_text(self.signed(key, **changes))

    def json(self, **changes: Any) -> str:
        return json.dumps(self.signed(**changes), ensure_ascii=False, separators=(",", ":"))

    def spelt(self, *edits: tuple[str, str], **changes: Any) -> str:
        """A signed ticket whose JSON text was edited after the signing; each edit must find its place once."""
        text = self.json(**changes)
        for old, new in edits:
            if text.count(old) != 1:
                raise ValueError(f"{old!r} occurs {text.count(old)} times in {text}")
            text = text.replace(old, new)
        return base64url(text.encode("utf-8"))

    def stranger(self, status: str = "active") -> EventKey:
        """A key that no configuration holds."""
        return EventKey.generate("stranger", status, self.chance)
