"""The SQLite file of the inbox, and its tables."""

import secrets
import sqlite3
from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS identity (epoch TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (
    digest BLOB PRIMARY KEY NOT NULL,
    recipient TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tokens_by_recipient ON tokens (recipient);
-- sequence: of the newest event; unread: as the newest `unread` event said it; unread_revision: how often that changed.
CREATE TABLE IF NOT EXISTS recipients (
    recipient TEXT PRIMARY KEY NOT NULL,
    sequence INTEGER NOT NULL DEFAULT 0,
    unread INTEGER NOT NULL DEFAULT 0,
    unread_revision INTEGER NOT NULL DEFAULT 0,
    preferences TEXT
) WITHOUT ROWID;
-- AUTOINCREMENT: ids are made of positions, and an id is never given twice.
CREATE TABLE IF NOT EXISTS messages (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    recipient TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    read_at INTEGER,
    archived_at INTEGER,
    expires_at INTEGER,
    revision INTEGER NOT NULL DEFAULT 1,
    content TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_by_time ON messages (recipient, created_at, id);
CREATE INDEX IF NOT EXISTS messages_by_expiry ON messages (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS events (
    recipient TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (recipient, sequence)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS devices (
    id TEXT PRIMARY KEY NOT NULL,
    recipient TEXT NOT NULL,
    type TEXT NOT NULL,
    platform TEXT NOT NULL,
    name TEXT,
    connection_id TEXT,
    installation_id TEXT,
    registered_at INTEGER NOT NULL,
    marketing_consent INTEGER NOT NULL,
    push_token TEXT,
    consent_evidence TEXT,
    UNIQUE (recipient, installation_id, connection_id)
) WITHOUT ROWID;
"""


def open_database(path: Path | None) -> sqlite3.Connection:
    """Opens or creates the file; None: in memory. Raises OSError that names it.

    Used by one thread at a time; `check_same_thread` is off because that thread is not the one that opens.
    """
    try:
        connection = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False, timeout=5)
    except sqlite3.Error as error:
        raise OSError(f"{path}: {error}") from error
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # FULL syncs the log at each commit: what was answered survives a power cut.
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(_TABLES)
        if connection.execute("SELECT epoch FROM identity").fetchone() is None:
            connection.execute("INSERT INTO identity VALUES (?)", (secrets.token_hex(4),))
    except sqlite3.Error as error:
        connection.close()
        raise OSError(f"{path}: {error}") from error
    return connection
