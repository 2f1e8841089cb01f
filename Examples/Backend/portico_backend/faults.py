"""Faults on demand: what a bad network and a bad server do to an upload, repeatable by a seed or by a script.

A specification is a list, `FAULT,FAULT,…`. A fault is `KIND=PROBABILITY` or `KIND@REQUESTS`, each with options
`:NAME=VALUE`. REQUESTS counts uploads from 1: `3`, `2-4`, `1;5;9-`.

Instead of a receipt (`-after-store` after the kind: the batch was stored all the same):
    500 … 599           that status
    429, 429-date       too many requests, Retry-After in seconds or as a date (`retry-after=1`)
    drop                the connection is closed without an answer
    html-200            200 with a page, as a captive portal gives
    cut                 the receipt breaks off half way (always after storing)
In the receipt:
    partial             some events have no result (`share=0.5`)
    contradict          one event is both accepted and refused
    foreign             results for events that were never sent
    hostile-redemptions own, negative, unknown and future redemptions (`rows=0`: so many more good ones)
    wrong-time          serverTime is off (`offset=86400` seconds, or `at=0` epoch seconds)
Besides:
    slow                the answer is late (`ms=300`)
    poison=ID           no probability: the batch that holds this event id or ticketId is answered 400, or 422 when
                        the event is alone, and nothing of it is stored
"""

import random
import re
from collections import Counter
from dataclasses import dataclass

from .fault_language import Fault, Vocabulary, read_fault, split_specification

_INSTEAD = re.compile(r"5\d\d|429|429-date|drop|html-200", re.ASCII)
_RECEIPT = frozenset({"partial", "contradict", "foreign", "hostile-redemptions", "wrong-time"})
_VOCABULARY = Vocabulary(
    kinds=re.compile("|".join([_INSTEAD.pattern, *_RECEIPT, "slow", "cut"]), re.ASCII),
    after_store=_INSTEAD,
    options={
        "429": {"retry-after": (0, 86_400)},
        "429-date": {"retry-after": (0, 86_400)},
        "partial": {"share": (0, 1)},
        "hostile-redemptions": {"rows": (0, 1_000_000)},
        "wrong-time": {"offset": (-1e9, 1e9), "at": (0, 253_402_300_799)},
        "slow": {"ms": (0, 600_000)},
    },
    always_after=frozenset({"cut"}),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What befalls one upload."""

    instead: Fault | None
    in_receipt: tuple[Fault, ...]
    delay_milliseconds: float


class FaultPlan:
    """Raises ValueError, with the part that is wrong, for a specification that cannot be read."""

    def __init__(self, specification: str = "", seed: int = 0) -> None:
        self.specification = specification
        self.seed = seed
        parts = split_specification(specification)
        self._poison = frozenset(part.removeprefix("poison=") for part in parts if part.startswith("poison="))
        self._faults = tuple(read_fault(part, _VOCABULARY) for part in parts if not part.startswith("poison="))
        self._random = random.Random(seed)
        self._requests = 0
        self.injected: Counter[str] = Counter()

    @property
    def random(self) -> random.Random:
        return self._random

    def poisons(self, marks: frozenset[str]) -> bool:
        return not self._poison.isdisjoint(marks)

    def draw(self) -> Drawn:
        """The faults of the next upload. At most one replaces the receipt: the first of the list that hits."""
        self._requests += 1
        # Every fault draws, hit or not, so that a script beside it does not shift the others' fortunes.
        hits = [fault for fault in self._faults if fault.hits(self._requests, self._random.random())]
        instead = next((fault for fault in hits if _replaces_receipt(fault)), None)
        delay = sum(fault.option("ms", 300) for fault in hits if fault.kind == "slow")
        in_receipt = () if instead else tuple(fault for fault in hits if fault.kind in _RECEIPT)
        for fault in hits:
            if fault is instead or fault in in_receipt or fault.kind == "slow":
                self.injected[fault.name] += 1
        return Drawn(instead, in_receipt, delay)


def _replaces_receipt(fault: Fault) -> bool:
    return fault.kind == "cut" or _INSTEAD.fullmatch(fault.kind) is not None
