"""What the service holds, in one SQLite file. One transaction a batch, on the disk before it returns."""

import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .wire import Batch, InvalidEvent, Redemption, ScanEvent

REDEMPTIONS_A_PAGE = 1000

_TABLES = """
CREATE TABLE IF NOT EXISTS scans (
    id TEXT PRIMARY KEY NOT NULL,
    device_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    json TEXT NOT NULL,
    digest BLOB NOT NULL,
    received_at INTEGER NOT NULL,
    UNIQUE (device_id, sequence)
) WITHOUT ROWID;
-- AUTOINCREMENT: a position is never given twice, so a cursor can never skip a row.
CREATE TABLE IF NOT EXISTS redemptions (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    scan_id TEXT NOT NULL UNIQUE REFERENCES scans (id),
    device_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    ticket_id TEXT NOT NULL,
    zone_id TEXT,
    gate_id TEXT,
    count INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    at TEXT NOT NULL,
    content_hash TEXT
);
CREATE INDEX IF NOT EXISTS redemptions_by_ticket ON redemptions (event_id, ticket_id);
CREATE TABLE IF NOT EXISTS tallies (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS identity (tag TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer for one event: `accepted`, `duplicate`, or `refused` with a code and a message."""

    id: str
    result: str
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class RedemptionRow:
    scan_id: str
    device_id: str
    redemption: Redemption


@dataclass(frozen=True, slots=True)
class RedemptionPage:
    rows: tuple[RedemptionRow, ...]
    cursor: str
    more: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    results: tuple[Result, ...]
    highest_sequence: int
    page: RedemptionPage


@dataclass(frozen=True, slots=True)
class DeviceTally:
    device_id: str
    events: int
    highest_sequence: int


@dataclass(frozen=True, slots=True)
class Statistics:
    events: int
    distinct_ids: int
    received: int
    duplicates: int
    divergent_duplicates: int
    refused: int
    redemptions: int
    double_admissions: int
    excess_admissions: int
    devices: tuple[DeviceTally, ...]


class ScanStore:
    """Used by one thread at a time; `check_same_thread` is off because that thread is not the one that opens."""

    def __init__(self, path: Path) -> None:
        """Opens or creates the file. Raises OSError that names it."""
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
        except sqlite3.Error as error:
            raise OSError(f"{path}: {error}") from error
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            # FULL syncs the log at each commit: an answer promises that a power cut loses nothing.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.executescript(_TABLES)
            self._tag = self._own_tag()
        except sqlite3.Error as error:
            self._connection.close()
            raise OSError(f"{path}: {error}") from error

    def close(self) -> None:
        self._connection.close()

    def take(self, batch: Batch, received_at: int) -> Receipt:
        """Stores what is new in one durable transaction, then reads the answer. `received_at` in milliseconds."""
        self._connection.execute("BEGIN IMMEDIATE")
        # An id that a batch holds twice is answered once: two different answers would contradict each other.
        results: dict[str, Result] = {}
        try:
            for event in batch.events:
                results.setdefault(event.id, self._settle(event, received_at))
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")
        return Receipt(
            results=tuple(results.values()),
            highest_sequence=self._highest_sequence(batch.device_id),
            page=self._redemptions_of_others(batch.device_id, batch.after),
        )

    def scans(self, device_id: str, after: int, limit: int) -> tuple[Sequence[str], bool]:
        """A device's events as JSON, ascending by sequence, strictly after `after`; and whether there are more."""
        rows = self._connection.execute(
            "SELECT json FROM scans WHERE device_id = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (device_id, after, limit + 1),
        ).fetchall()
        return [row[0] for row in rows[:limit]], len(rows) > limit

    def statistics(self) -> Statistics:
        tallies = dict(self._connection.execute("SELECT name, value FROM tallies"))
        events, distinct = self._one("SELECT count(*), count(DISTINCT id) FROM scans")
        (redemptions,) = self._one("SELECT count(*) FROM redemptions")
        double, excess = self._one(
            "SELECT count(*) FILTER (WHERE devices > 1), count(*) FILTER (WHERE devices = 1) FROM ("
            " SELECT count(DISTINCT device_id) AS devices FROM redemptions"
            " GROUP BY event_id, ticket_id HAVING sum(count) > max(uses))"
        )
        devices = self._connection.execute(
            "SELECT device_id, count(*), max(sequence) FROM scans GROUP BY device_id ORDER BY device_id"
        )
        return Statistics(
            events=events,
            distinct_ids=distinct,
            received=tallies.get("received", 0),
            duplicates=tallies.get("duplicate", 0),
            divergent_duplicates=tallies.get("divergent", 0),
            refused=tallies.get("refused", 0),
            redemptions=redemptions,
            double_admissions=double,
            excess_admissions=excess,
            devices=tuple(DeviceTally(*row) for row in devices),
        )

    # One event

    def _settle(self, event: ScanEvent | InvalidEvent, received_at: int) -> Result:
        result = self._judge(event, received_at)
        self._tally("received", result.result)
        return result

    def _judge(self, event: ScanEvent | InvalidEvent, received_at: int) -> Result:
        if isinstance(event, InvalidEvent):
            return Result(event.id, "refused", "invalidEvent", event.message)
        digest = sha256(event.json.encode()).digest()
        stored = self._connection.execute("SELECT digest FROM scans WHERE id = ?", (event.id,)).fetchone()
        if stored is not None:
            if stored[0] != digest:
                self._tally("divergent")
            return Result(event.id, "duplicate")
        holder = self._connection.execute(
            "SELECT id FROM scans WHERE device_id = ? AND sequence = ?", (event.device_id, event.sequence)
        ).fetchone()
        if holder is not None:
            message = f"sequence {event.sequence} of this device belongs to event {holder[0]}"
            return Result(event.id, "refused", "sequenceReused", message)
        self._insert(event, digest, received_at)
        return Result(event.id, "accepted")

    def _insert(self, event: ScanEvent, digest: bytes, received_at: int) -> None:
        self._connection.execute(
            "INSERT INTO scans VALUES (?, ?, ?, ?, ?, ?)",
            (event.id, event.device_id, event.sequence, event.json, digest, received_at),
        )
        redeemed = event.redemption
        if redeemed is None:
            return
        self._connection.execute(
            "INSERT INTO redemptions (scan_id, device_id, event_id, ticket_id, zone_id, gate_id, count, uses, at,"
            " content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                event.id, event.device_id, redeemed.event_id, redeemed.ticket_id, redeemed.zone_id, redeemed.gate_id,
                redeemed.count, redeemed.uses, redeemed.at, redeemed.content_hash,
            ),
        )  # fmt: skip

    def _tally(self, *names: str) -> None:
        self._connection.executemany(
            "INSERT INTO tallies VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
            [(name,) for name in names],
        )

    # The answer

    def _highest_sequence(self, device_id: str) -> int:
        (highest,) = self._one("SELECT coalesce(max(sequence), 0) FROM scans WHERE device_id = ?", (device_id,))
        return highest

    def _redemptions_of_others(self, device_id: str, after: str | None) -> RedemptionPage:
        position = self._position(after)
        rows = self._connection.execute(
            "SELECT position, scan_id, device_id, event_id, ticket_id, zone_id, gate_id, count, uses, at,"
            " content_hash FROM redemptions WHERE position > ? AND device_id <> ? ORDER BY position LIMIT ?",
            (position, device_id, REDEMPTIONS_A_PAGE + 1),
        ).fetchall()
        more = len(rows) > REDEMPTIONS_A_PAGE
        page = rows[:REDEMPTIONS_A_PAGE]
        if more:
            position = page[-1][0]
        else:
            # The end, the device's own rows included: it need not walk past them again.
            (position,) = self._one("SELECT coalesce(max(position), 0) FROM redemptions")
        return RedemptionPage(
            rows=tuple(RedemptionRow(row[1], row[2], Redemption(*row[3:])) for row in page),
            cursor=f"{self._tag}.{position}",
            more=more,
        )

    def _position(self, cursor: str | None) -> int:
        # A cursor of another database, or one that was garbled, begins again: merging is idempotent, skipping is not.
        tag, _, position = (cursor or "").partition(".")
        if tag != self._tag or not (position.isascii() and position.isdigit() and len(position) <= 18):
            return 0
        return int(position)

    def _own_tag(self) -> str:
        row = self._connection.execute("SELECT tag FROM identity").fetchone()
        if row is None:
            self._connection.execute("INSERT INTO identity VALUES (?)", (secrets.token_hex(4),))
            return self._own_tag()
        tag: str = row[0]
        return tag

    def _one(self, query: str, values: Iterable[object] = ()) -> tuple[int, ...]:
        row: tuple[int, ...] = self._connection.execute(query, tuple(values)).fetchone()
        return row
