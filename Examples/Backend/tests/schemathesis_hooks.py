"""What inbox-openapi.json says in words alone, for the generator of test_inbox_schemathesis.py."""

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


@schemathesis.hook
def filter_case(_: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    return not _has_whole_float(case.body) and not _ends_when_it_starts(case.body)


def _has_whole_float(value: Any) -> bool:
    # An integer to JSON Schema, and not to a service that takes integers without fraction.
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


def _ends_when_it_starts(body: Any) -> bool:
    hours = body.get("quietHours") if isinstance(body, dict) else None
    return isinstance(hours, dict) and "start" in hours and hours["start"] == hours.get("end")
