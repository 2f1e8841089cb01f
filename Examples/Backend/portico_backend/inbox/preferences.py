"""A recipient's preferences, and how a patch changes them.

A patch that is wrong in itself is told from one that is sound and does not fit what it is applied to (RFC 5789 §2.2):
half of the quiet hours, say, where there were none.
"""

import functools
import zoneinfo
from typing import Any

from ..checks import integer, matching, object_of, one_of

PERIODS = ("day", "week", "month")
_CHANNELS = ("push", "email", "sms")


def initial_preferences() -> dict[str, Any]:
    return {"channels": dict.fromkeys(_CHANNELS, True), "topics": {}, "quietHours": None, "marketingLimit": None}


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396 §2, which also says what happens where the target is no object."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), value)
    return merged


def patched(preferences: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """What a patch clears is null, not absent: a reader need not know both."""
    merged: dict[str, Any] = merge_patch(preferences, patch)
    merged.setdefault("quietHours", None)
    merged.setdefault("marketingLimit", None)
    return merged


def patch_complaint(patch: object) -> str | None:
    """What is wrong with a patch whatever it is applied to."""
    if not isinstance(patch, dict):
        return "the patch must be an object"
    channels, topics = patch.get("channels", {}), patch.get("topics", {})
    if not _are_switches(channels) or any(channels.get(name, True) is None for name in _CHANNELS):
        return "channels must be an object of booleans, and push, email and sms cannot be removed"
    if not _are_switches(topics):
        return "topics must be an object of booleans, null to remove one"
    for name, check in (("quietHours", _QUIET_HOURS), ("marketingLimit", _MARKETING_LIMIT)):
        value = patch.get(name)
        if value is not None and (complaint := check(value)) is not None:
            return f"{name} {complaint}"
    return _same_ends(patch)


def conflict(preferences: dict[str, Any]) -> str | None:
    """What is wrong with the preferences that a sound patch left."""
    for name, members in (("quietHours", ("start", "end", "timeZone")), ("marketingLimit", ("count", "period"))):
        value = preferences[name]
        if value is not None and (missing := [member for member in members if member not in value]):
            return f"{name} would lack {missing[0]}"
    return _same_ends(preferences)


def _same_ends(preferences: dict[str, Any]) -> str | None:
    hours = preferences.get("quietHours") or {}
    if "start" in hours and hours["start"] == hours.get("end"):
        return "quietHours must not start when they end: that could mean all day or never"
    return None


def _are_switches(value: object) -> bool:
    return isinstance(value, dict) and all(switch is None or isinstance(switch, bool) for switch in value.values())


@functools.cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def _zone(value: object) -> str | None:
    return None if isinstance(value, str) and value in _zones() else "must be a time zone of IANA, as Europe/Berlin"


_time_of_day = matching(r"([01]\d|2[0-3]):[0-5]\d", "hh:mm from 00:00 to 23:59")
_QUIET_HOURS = object_of({"start": _time_of_day, "end": _time_of_day, "timeZone": _zone}, required=())
_MARKETING_LIMIT = object_of({"count": integer(1, 1000), "period": one_of(*PERIODS)}, required=())
