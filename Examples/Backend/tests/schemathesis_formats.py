"""What inbox-openapi.json says in words alone, for whoever generates by it: its own formats, and what no schema can."""

from datetime import UTC, datetime
from typing import Any

import schemathesis
from hypothesis import strategies

_LAST_SECOND = 253_402_300_799

schemathesis.openapi.format(
    "date-time",
    strategies.integers(0, _LAST_SECOND).map(
        lambda second: datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ),
)
schemathesis.openapi.format("time-zone", strategies.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "UTC"]))
# Harmless ones: a fault in force befalls all that follows. And streams must end for the run to end.
schemathesis.openapi.format("faults", strategies.sampled_from(["stream-end@1-:ms=0", "slow=1:ms=0,stream-end=1:ms=0"]))


def ends_when_it_starts(body: Any) -> bool:
    hours = body.get("quietHours") if isinstance(body, dict) else None
    return isinstance(hours, dict) and "start" in hours and hours["start"] == hours.get("end")
