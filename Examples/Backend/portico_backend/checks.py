"""What members must be. A check gives a complaint that reads on after the member's name, or None."""

import re
from collections.abc import Callable, Mapping
from typing import Any

LARGEST_INTEGER = 2**53 - 1

Check = Callable[[object], str | None]


def integer(low: int, high: int = LARGEST_INTEGER) -> Check:
    def check(value: object) -> str | None:
        # bool is an int to Python, and not to JSON.
        if type(value) is int and low <= value <= high:
            return None
        return f"must be an integer from {low} to {high}"

    return check


def matching(pattern: str, meaning: str) -> Check:
    compiled = re.compile(pattern, re.ASCII)

    def check(value: object) -> str | None:
        return None if isinstance(value, str) and compiled.fullmatch(value) else f"must be {meaning}"

    return check


def one_of(*allowed: str) -> Check:
    def check(value: object) -> str | None:
        return None if isinstance(value, str) and value in allowed else f"must be one of {', '.join(allowed)}"

    return check


def object_of(members: Mapping[str, Check], required: tuple[str, ...]) -> Check:
    """An object whose defined members pass; members that are not defined may be anything."""

    def check(value: object) -> str | None:
        if not isinstance(value, dict):
            return "must be an object"
        complaint = members_complaint(value, members, required)
        return None if complaint is None else f"is not valid: {complaint}"

    return check


def members_complaint(value: Mapping[str, Any], members: Mapping[str, Check], required: tuple[str, ...]) -> str | None:
    """The first thing that is wrong with an object's members, or None."""
    for name in required:
        if name not in value:
            return f"{name} is missing"
    for name, check in members.items():
        if name in value and (complaint := check(value[name])) is not None:
            return f"{name} {complaint}"
    return None
