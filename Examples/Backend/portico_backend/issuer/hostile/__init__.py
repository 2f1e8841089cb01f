"""Codes that a gate must judge rightly, each with the reason that it must give.

The gate is the one of the plan: it serves the plan's events, admits at their first zone, and runs at about `now`.
Some codes expect `admitted`: a gate that refuses everything must not pass.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from ..plan import Plan
from .keys_and_events import key_and_event_codes
from .mint import HostileCode, Mint
from .noise import noise_codes
from .rules import replayed_codes, rule_codes
from .shapes import shape_codes
from .spellings import spelling_codes

__all__ = ["HostileCode", "hostile_codes"]


def hostile_codes(plan: Plan, issued: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[HostileCode]:
    """`issued` are the lines of tickets.jsonl. Codes for `alreadyUsed` come after the ticket's first use."""
    mint = Mint(plan, chance)
    yield from key_and_event_codes(mint)
    yield from rule_codes(mint)
    yield from replayed_codes(mint, issued)
    yield from spelling_codes(mint)
    yield from shape_codes(mint)
    yield from noise_codes(mint)
