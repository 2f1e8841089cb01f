"""What inbox-openapi.json says in words alone, for the generator of test_inbox_schemathesis.py."""

from typing import Any

import schemathesis
from schemathesis_formats import ends_when_it_starts


@schemathesis.hook
def filter_case(_: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    return not _has_whole_float(case.body) and not ends_when_it_starts(case.body)


def _has_whole_float(value: Any) -> bool:
    # An integer to JSON Schema, and not to a service that takes integers without fraction.
    if isinstance(value, dict):
        return any(map(_has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(_has_whole_float, value))
    return isinstance(value, float) and value.is_integer()
