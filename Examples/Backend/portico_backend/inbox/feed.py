"""The events of each recipient, numbered without a gap: what the stream sends, and sends again."""

import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAXIMUM_KEPT = 1000
_EVENTS_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class FeedEvent:
    id: str
    type: str
    data: str


@dataclass(frozen=True, slots=True)
class FeedPage:
    """What follows a position. `lost`: something that followed it is no longer held, or never was."""

    events: tuple[FeedEvent, ...]
    position: int
    lost: bool = False


class Feed:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._epoch: str = connection.execute("SELECT epoch FROM identity").fetchone()[0]

    def append(self, recipient: str, event_type: str, data: Mapping[str, Any]) -> None:
        self._connection.execute(
            "INSERT INTO recipients (recipient, sequence) VALUES (?, 1)"
            " ON CONFLICT (recipient) DO UPDATE SET sequence = sequence + 1",
            (recipient,),
        )
        sequence = self.newest(recipient)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        self._connection.execute("INSERT INTO events VALUES (?, ?, ?, ?)", (recipient, sequence, event_type, text))
        self._connection.execute(
            "DELETE FROM events WHERE recipient = ? AND sequence <= ?", (recipient, sequence - MAXIMUM_KEPT)
        )

    def newest(self, recipient: str) -> int:
        row = self._connection.execute("SELECT sequence FROM recipients WHERE recipient = ?", (recipient,)).fetchone()
        return 0 if row is None else row[0]

    def id(self, position: int) -> str:
        return f"{self._epoch}-{position}"

    def position(self, event_id: str) -> int | None:
        """The position that an id of this database names; None: of another, or no id at all."""
        match = re.fullmatch(r"([0-9a-f]+)-(0|[1-9]\d{0,17})", event_id, re.ASCII)
        return int(match[2]) if match is not None and match[1] == self._epoch else None

    def after(self, recipient: str, position: int) -> FeedPage:
        newest = self.newest(recipient)
        # A position of the future was given by a copy of this database that has since been put back.
        if not newest - MAXIMUM_KEPT <= position <= newest:
            return FeedPage((), newest, lost=True)
        rows = self._connection.execute(
            "SELECT sequence, type, data FROM events WHERE recipient = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (recipient, position, _EVENTS_A_PAGE),
        ).fetchall()
        events = tuple(FeedEvent(self.id(sequence), event_type, data) for sequence, event_type, data in rows)
        return FeedPage(events, rows[-1][0] if rows else position)
