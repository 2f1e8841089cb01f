"""Times as the wire writes them: RFC 3339 in UTC with three digits of fraction, and epoch milliseconds inside."""

import re
import time
from datetime import UTC, datetime

LATEST_SECOND = 253_402_300_799
"""9999-12-31T23:59:59Z, the last second that RFC 3339 can write."""

_WIRE_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z", re.ASCII)


def now_milliseconds() -> int:
    return time.time_ns() // 1_000_000


def write_milliseconds(milliseconds: int) -> str:
    """`2026-07-04T18:00:00.123Z`."""
    seconds, fraction = divmod(milliseconds, 1000)
    moment = datetime.fromtimestamp(seconds, UTC)
    # %Y does not pad years below 1000 on every C library.
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}.{fraction:03d}Z"


def read_milliseconds(text: str) -> int | None:
    """The one form that `write_milliseconds` gives, from 1970 on; anything else is None."""
    match = _WIRE_FORM.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = (int(part) for part in match.groups())
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    milliseconds = int(moment.timestamp()) * 1000 + fraction
    return milliseconds if milliseconds >= 0 else None


def read_moment(text: str) -> int:
    """Epoch seconds from a command line: digits, or RFC 3339 with an offset.

    Raises ValueError for anything else: a time without a zone means a different moment on each machine.
    """
    if text.isascii() and text.isdigit():
        seconds = int(text)
    else:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError(f"time {text!r} has no offset; write Z or +hh:mm")
        seconds = int(moment.timestamp())
    if not 0 <= seconds <= LATEST_SECOND:
        raise ValueError(f"time {text!r} is outside 1970 to 9999 (are these milliseconds?)")
    return seconds


def write_second(second: int) -> str:
    """`2026-07-04T18:00:00Z`."""
    moment = datetime.fromtimestamp(second, UTC)
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}Z"


def read_second(text: str) -> int | None:
    """The one form that `write_second` gives, from 1970 on; anything else is None."""
    milliseconds = read_milliseconds(f"{text[:-1]}.000Z") if text.endswith("Z") else None
    return None if milliseconds is None else milliseconds // 1000
