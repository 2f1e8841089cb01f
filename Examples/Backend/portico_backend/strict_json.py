"""JSON as strangers send it."""

import json
from typing import Any


def read(body: bytes) -> Any:
    """Strict: UTF-8, no duplicate members, no NaN. Raises ValueError."""
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member name occurs twice in one object")
    return members


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
