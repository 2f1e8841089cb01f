"""The messages of recipients, and what a message is on the wire."""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..times import LATEST_SECOND, write_second

_COLUMNS = "id, created_at, read_at, archived_at, expires_at, revision, content"
_FILTERS = {
    "inbox": "archived_at IS NULL",
    "unread": "archived_at IS NULL AND read_at IS NULL",
    "archived": "archived_at IS NOT NULL",
}
FILTERS = tuple(_FILTERS)


@dataclass(frozen=True, slots=True)
class Draft:
    """A message as an operator sends it; times in epoch seconds."""

    recipient: str
    id: str | None
    created_at: int | None
    expires_at: int | None
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    created_at: int
    read_at: int | None
    archived_at: int | None
    expires_at: int | None
    revision: int
    content: str

    def json(self) -> dict[str, Any]:
        content = json.loads(self.content)
        return {
            "id": self.id,
            **content,
            "createdAt": write_second(self.created_at),
            "readAt": _time(self.read_at),
            "archivedAt": _time(self.archived_at),
            "expiresAt": _time(self.expires_at),
            "revision": self.revision,
        }

    def has_action(self, action_id: str) -> bool:
        return any(action["id"] == action_id for action in json.loads(self.content)["actions"])


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place of a message in the order of a list. What arrives later does not move it."""

    created_at: int
    id: str

    def __str__(self) -> str:
        return f"{self.created_at}_{self.id}"

    @classmethod
    def read(cls, text: str) -> "Cursor | None":
        match = re.fullmatch(r"(0|[1-9]\d{0,11})_([A-Za-z0-9][A-Za-z0-9._:-]{0,127})", text, re.ASCII)
        return None if match is None else cls(int(match[1]), match[2])


FIRST_PAGE = Cursor(LATEST_SECOND + 1, "")
"""Before every message: none is newer."""


class Messages:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def insert(self, draft: Draft, now: int) -> Message | None:
        """None: there is a message of that id."""
        if draft.id is not None and self._rows("id = ?", (draft.id,)):
            return None
        content = json.dumps(draft.content, ensure_ascii=False, separators=(",", ":"))
        created_at = now // 1000 if draft.created_at is None else draft.created_at
        position = self._connection.execute(
            "INSERT INTO messages (id, recipient, created_at, expires_at, content) VALUES ('', ?, ?, ?, ?)",
            (draft.recipient, created_at, draft.expires_at, content),
        ).lastrowid
        # In the order of their making, so that of one second the later is also the newer in a list.
        message_id = draft.id or f"{now:012x}-{position:08x}"
        self._connection.execute("UPDATE messages SET id = ? WHERE position = ?", (message_id, position))
        return self._rows("id = ?", (message_id,))[0]

    def find(self, recipient: str, message_id: str) -> Message | None:
        rows = self._rows("recipient = ? AND id = ?", (recipient, message_id))
        return rows[0] if rows else None

    def page(self, recipient: str, chosen: str, after: Cursor, limit: int) -> tuple[Sequence[Message], bool]:
        """Newest first, strictly after a place; and whether there are more."""
        rows = self._rows(
            f"recipient = ? AND {_FILTERS[chosen]} AND (created_at, id) < (?, ?)"
            " ORDER BY created_at DESC, id DESC LIMIT ?",
            (recipient, after.created_at, after.id, limit + 1),
        )
        return rows[:limit], len(rows) > limit

    def unread(self, recipient: str, now: int) -> int:
        count: int = self._connection.execute(
            f"SELECT count(*) FROM messages WHERE recipient = ? AND {_FILTERS['unread']}"
            " AND (expires_at IS NULL OR expires_at > ?)",
            (recipient, now // 1000),
        ).fetchone()[0]
        return count

    def unread_up_to(self, recipient: str, created_at: int) -> Sequence[Message]:
        return self._rows(
            "recipient = ? AND read_at IS NULL AND created_at <= ? ORDER BY created_at, id", (recipient, created_at)
        )

    def set(self, message: Message, column: str, value: int | None) -> Message:
        """`column` is `read_at` or `archived_at`."""
        self._connection.execute(
            f"UPDATE messages SET {column} = ?, revision = revision + 1 WHERE id = ?", (value, message.id)
        )
        return self._rows("id = ?", (message.id,))[0]

    def remove(self, message_id: str) -> str | None:
        """The recipient whose message it was."""
        row = self._connection.execute(
            "DELETE FROM messages WHERE id = ? RETURNING recipient", (message_id,)
        ).fetchone()
        return None if row is None else row[0]

    def remove_expired(self, now: int) -> Iterable[tuple[str, str]]:
        """Recipient and id of each."""
        return self._connection.execute(
            "DELETE FROM messages WHERE expires_at <= ? RETURNING recipient, id", (now // 1000,)
        ).fetchall()

    def has_expired(self, now: int) -> bool:
        found = self._connection.execute("SELECT 1 FROM messages WHERE expires_at <= ? LIMIT 1", (now // 1000,))
        return found.fetchone() is not None

    def _rows(self, condition: str, values: Iterable[object]) -> list[Message]:
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM messages WHERE {condition}", tuple(values))
        return [Message(*row) for row in rows]


def _time(second: int | None) -> str | None:
    return None if second is None else write_second(second)
