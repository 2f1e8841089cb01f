"""What the inbox holds. Every operation is one transaction, and what it changes is in the feed by the same one.

So the stream can be read from the feed alone: an answer and the events that tell of it are on the disk together.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..problems import Problem
from .database import open_database
from .devices import Device, Devices, Registration
from .feed import Feed, FeedPage
from .messages import Cursor, Draft, Message, Messages
from .preferences import conflict, initial_preferences, patched
from .tokens import Token, Tokens


@dataclass(frozen=True, slots=True)
class UnreadCount:
    """`revision` rises with every change: of two counts the later is known."""

    count: int
    revision: int

    def json(self) -> dict[str, int]:
        return {"unread": self.count, "unreadRevision": self.revision}


@dataclass(frozen=True, slots=True)
class MessagePage:
    messages: Sequence[Message]
    next_cursor: str | None
    unread: UnreadCount
    last_event_id: str


@dataclass(frozen=True, slots=True)
class Changed:
    message: Message
    unread: UnreadCount


class InboxStore:
    """Used by one thread at a time. `now` is in epoch milliseconds."""

    def __init__(self, path: Path | None) -> None:
        """None: in memory. Raises OSError that names the file."""
        self._connection = open_database(path)
        self._tokens = Tokens(self._connection)
        self._messages = Messages(self._connection)
        self._devices = Devices(self._connection)
        self._feed = Feed(self._connection)
        self._touched: set[str] = set()

    def close(self) -> None:
        self._connection.close()

    def take_touched(self) -> frozenset[str]:
        """The recipients whose streams have something to read, or to end for, since the last time that one asked."""
        touched = frozenset(self._touched)
        self._touched.clear()
        return touched

    # Tokens

    def make_token(self, recipient: str, expires_at: int) -> str:
        return self._tokens.make(recipient, expires_at)

    def token(self, token: str) -> Token | None:
        return self._tokens.find(token)

    def expire_tokens(self, recipient: str, now: int) -> None:
        self._tokens.expire(recipient, now)
        self._touched.add(recipient)

    # Messages

    def add(self, draft: Draft, now: int) -> Message:
        with self._changing(now) as changed:
            message = self._messages.insert(draft, now)
            if message is None:
                raise Problem(409, "conflict", f"there is a message {draft.id} already")
            self._tell(draft.recipient, message)
            changed.add(draft.recipient)
        return message

    def remove(self, message_id: str, now: int) -> None:
        with self._changing(now) as changed:
            recipient = self._messages.remove(message_id)
            if recipient is None:
                raise _not_found()
            self._feed.append(recipient, "removed", {"id": message_id})
            changed.add(recipient)

    def page(self, recipient: str, chosen: str, after: Cursor, limit: int, now: int) -> MessagePage:
        with self._changing(now):
            messages, more = self._messages.page(recipient, chosen, after, limit)
            return MessagePage(
                messages=messages,
                next_cursor=str(Cursor(messages[-1].created_at, messages[-1].id)) if more else None,
                unread=self._count_unread(recipient, now),
                last_event_id=self._feed.id(self._feed.newest(recipient)),
            )

    def message(self, recipient: str, message_id: str, now: int) -> Message:
        with self._changing(now):
            return self._found(recipient, message_id)

    def mark(self, recipient: str, message_id: str, column: str, marked: bool, now: int) -> Changed:
        """`column` is `read_at` or `archived_at`. What is so already stays as it is, its time and revision too."""
        with self._changing(now) as changed:
            message = self._found(recipient, message_id)
            if (getattr(message, column) is not None) != marked:
                message = self._messages.set(message, column, now // 1000 if marked else None)
                self._tell(recipient, message)
                changed.add(recipient)
            return Changed(message, self._count_unread(recipient, now))

    def act(self, recipient: str, message_id: str, action_id: str, now: int) -> Changed:
        if not self.message(recipient, message_id, now).has_action(action_id):
            raise _not_found()
        return self.mark(recipient, message_id, "read_at", True, now)

    def mark_all_read(self, recipient: str, up_to: int, now: int) -> tuple[int, UnreadCount]:
        """How many were changed, and how many are unread."""
        with self._changing(now) as changed:
            messages = self._messages.unread_up_to(recipient, up_to)
            for message in messages:
                self._tell(recipient, self._messages.set(message, "read_at", now // 1000))
            if messages:
                changed.add(recipient)
            return len(messages), self._count_unread(recipient, now)

    def expire_messages(self, now: int) -> None:
        """Removes what has expired. Every operation does; this one is for the hours in which there is none."""
        if self._messages.has_expired(now):
            with self._changing(now):
                pass

    # Preferences

    def preferences(self, recipient: str) -> dict[str, Any]:
        row = self._connection.execute(
            "SELECT preferences FROM recipients WHERE recipient = ?", (recipient,)
        ).fetchone()
        if row is None or row[0] is None:
            return initial_preferences()
        preferences: dict[str, Any] = json.loads(row[0])
        return preferences

    def patch_preferences(self, recipient: str, patch: dict[str, Any], now: int) -> dict[str, Any]:
        with self._changing(now) as changed:
            before = self.preferences(recipient)
            after = patched(before, patch)
            if (complaint := conflict(after)) is not None:
                raise Problem(409, "conflict", f"the patch does not fit the preferences: {complaint}")
            if after != before:
                self._connection.execute(
                    "INSERT INTO recipients (recipient, preferences) VALUES (?, ?)"
                    " ON CONFLICT (recipient) DO UPDATE SET preferences = excluded.preferences",
                    (recipient, json.dumps(after)),
                )
                self._feed.append(recipient, "preferences", after)
                changed.add(recipient)
            return after

    # Devices

    def devices(self, recipient: str) -> Sequence[Device]:
        return self._devices.of(recipient)

    def register(self, recipient: str, registration: Registration, now: int) -> tuple[Device, bool]:
        return self._devices.register(recipient, registration, now)

    def add_web_push(self, recipient: str, name: str, now: int) -> Device:
        return self._devices.add_web_push(recipient, name, now)

    def unregister(self, recipient: str, device_type: str, device_id: str) -> None:
        if not self._devices.remove(recipient, device_type, device_id):
            raise _not_found()

    # The stream

    def begin_stream(self, recipient: str, last_event_id: str | None, now: int) -> FeedPage:
        """Where a stream begins: now, after an event, or lost."""
        with self._changing(now):
            newest = self._feed.newest(recipient)
            if last_event_id is None:
                return FeedPage((), newest)
            position = self._feed.position(last_event_id)
            if position is None:
                return FeedPage((), newest, lost=True)
            page = self._feed.after(recipient, position)
            return FeedPage((), newest, lost=True) if page.lost else FeedPage((), position)

    def continue_stream(self, token: Token, position: int, now: int) -> FeedPage | None:
        """What follows a position; None: the token has expired."""
        current = self._tokens.current(token.digest)
        if current is None or current.expires_at <= now:
            return None
        return self._feed.after(token.recipient, position)

    def event_id(self, position: int) -> str:
        return self._feed.id(position)

    # One transaction

    @contextmanager
    def _changing(self, now: int) -> Iterator[set[str]]:
        """Yields the set to which a change adds its recipients: their unread counts are told by its end."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            changed: set[str] = set()
            for recipient, message_id in self._messages.remove_expired(now):
                self._feed.append(recipient, "removed", {"id": message_id})
                changed.add(recipient)
            yield changed
            for recipient in changed:
                self._count_unread(recipient, now)
        except BaseException:
            # This brings back what had expired, until the next operation: nobody was told that it is gone.
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        self._touched |= changed

    def _found(self, recipient: str, message_id: str) -> Message:
        message = self._messages.find(recipient, message_id)
        if message is None:
            raise _not_found()
        return message

    def _tell(self, recipient: str, message: Message) -> None:
        self._feed.append(recipient, "message", message.json())

    def _count_unread(self, recipient: str, now: int) -> UnreadCount:
        """Counts, and tells the count where it has changed."""
        unread = self._messages.unread(recipient, now)
        row = self._connection.execute(
            "UPDATE recipients SET unread = ?, unread_revision = unread_revision + 1"
            " WHERE recipient = ? AND unread <> ? RETURNING unread_revision",
            (unread, recipient, unread),
        ).fetchone()
        if row is not None:
            counted = UnreadCount(unread, row[0])
            self._feed.append(recipient, "unread", counted.json())
            return counted
        row = self._connection.execute(
            "SELECT unread_revision FROM recipients WHERE recipient = ?", (recipient,)
        ).fetchone()
        return UnreadCount(unread, 0 if row is None else row[0])


def _not_found() -> Problem:
    return Problem(404, "notFound", "there is no such thing, or it is not this recipient's")
