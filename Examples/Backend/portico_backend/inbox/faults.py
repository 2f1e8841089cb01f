"""Faults on demand: what a bad network and a bad server do to an app, repeatable by a seed or by a script.

A specification is a list, `FAULT,FAULT,…`. A fault is `KIND=PROBABILITY` or `KIND@REQUESTS`, each with options
`:NAME=VALUE`. REQUESTS counts from 1, streams apart from the other requests of recipients: `3`, `2-4`, `1;5;9-`.
Only what brings a good token is counted. Operators' requests go well.

In place of an answer (`-after-store` after the kind: what was asked for was done all the same):
    401                 the token is called expired
    500 … 599           that status; 503 with Retry-After (`retry-after=1`)
    429, 429-date       rate limited, Retry-After in seconds or as a date (`retry-after=1`)
    drop                the connection is closed without an answer
    html-200, html-502  a page, as a captive portal and a proxy give
    redirect            307 to the same path of another origin (`port=0`: the own port at `localhost`)
To an answer, after what was asked for was done:
    cut                 it breaks off half way
    nonsense            its body is no JSON
    wrong-type          it is right and called text/plain
Besides:
    slow                the request waits before anything is done (`ms=300`)
In place of a stream:
    stream-401, stream-500 … stream-599, stream-429, stream-429-date, stream-drop, stream-redirect, stream-slow
    stream-204          the client must not come back
    stream-wrong-type   200 with a page
To a stream, together if several befall one:
    stream-end          it ends in order (`ms=0`: so much later)
    stream-cut          it breaks off (`events=N` after so many, `bytes=N` after so many, neither: within 2,000 bytes)
    stream-cut-within   it breaks off in the midst of an event (`events=0`: so many come first)
    stream-cut-utf8     it breaks off within a character, of the first event that has one of several bytes
    stream-silence      nothing comes any more, and the connection stays (`events=0`: so many come first)
    stream-bytewise     every byte travels alone
    stream-crlf, stream-cr  lines end so
    stream-unknown      before each event one of a type of tomorrow, with fields of tomorrow
    stream-repeat       each event comes twice
    stream-large        before all others one event `large` of so many bytes (`bytes=1048576`)
"""

import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..fault_language import Fault, Vocabulary, read_fault, split_specification

STREAM = "stream-"

_ANYWHERE = r"401|5\d\d|429|429-date|drop|redirect"
_INSTEAD = re.compile(rf"{_ANYWHERE}|html-200|html-502", re.ASCII)
_SPOILT = frozenset({"cut", "nonsense", "wrong-type"})
_INSTEAD_OF_STREAM = re.compile(rf"{STREAM}({_ANYWHERE}|204|wrong-type)", re.ASCII)
_TO_STREAM = re.compile(
    rf"{STREAM}(end|cut|cut-within|cut-utf8|silence|bytewise|crlf|cr|unknown|repeat|large)", re.ASCII
)

_RETRY_AFTER = {"retry-after": (0.0, 86_400.0)}
_OF_ANSWERS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "503": _RETRY_AFTER,
    "429": _RETRY_AFTER,
    "429-date": _RETRY_AFTER,
    "redirect": {"port": (0, 65_535)},
    "slow": {"ms": (0, 600_000)},
}
_VOCABULARY = Vocabulary(
    kinds=re.compile(
        "|".join([_INSTEAD.pattern, *_SPOILT, "slow", f"{STREAM}slow", _INSTEAD_OF_STREAM.pattern, _TO_STREAM.pattern]),
        re.ASCII,
    ),
    after_store=_INSTEAD,
    options={
        **_OF_ANSWERS,
        **{STREAM + kind: options for kind, options in _OF_ANSWERS.items()},
        "stream-end": {"ms": (0, 600_000)},
        "stream-cut": {"events": (0, 1_000_000), "bytes": (0, 1e9)},
        "stream-cut-within": {"events": (0, 1_000_000)},
        "stream-silence": {"events": (0, 1_000_000)},
        "stream-large": {"bytes": (1, 64 * 1024 * 1024)},
    },
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What befalls one request. `to_stream` by kind, without `stream-`."""

    instead: Fault | None
    delay_milliseconds: float
    to_stream: Mapping[str, Fault]

    @property
    def comes_after_storing(self) -> bool:
        return self.instead is not None and (self.instead.after_store or self.instead.kind in _SPOILT)


class InboxFaultPlan:
    """Raises ValueError, with the part that is wrong, for a specification that cannot be read."""

    def __init__(self, specification: str = "", seed: int = 0) -> None:
        self.specification = specification
        self.seed = seed
        faults = [read_fault(part, _VOCABULARY) for part in split_specification(specification)]
        self._of_streams = tuple(fault for fault in faults if fault.kind.startswith(STREAM))
        self._of_requests = tuple(fault for fault in faults if not fault.kind.startswith(STREAM))
        self._counted: Counter[str] = Counter()
        self.random = random.Random(seed)
        self.injected: Counter[str] = Counter()

    def draw(self) -> Drawn:
        """The faults of the next request that is no stream. At most one replaces or spoils its answer."""
        return self._draw(self._of_requests, "requests")

    def draw_for_stream(self) -> Drawn:
        return self._draw(self._of_streams, "streams")

    def _draw(self, faults: tuple[Fault, ...], counted: str) -> Drawn:
        self._counted[counted] += 1
        # Every fault draws, hit or not, so that a script beside it does not shift the others' fortunes.
        hits = [fault for fault in faults if fault.hits(self._counted[counted], self.random.random())]
        instead = next((fault for fault in hits if _replaces_answer(fault)), None)
        delay = sum(fault.option("ms", 300) for fault in hits if fault.kind.removeprefix(STREAM) == "slow")
        to_stream = [] if instead else [fault for fault in hits if _TO_STREAM.fullmatch(fault.kind)]
        for fault in hits:
            if fault is instead or fault in to_stream or fault.kind.removeprefix(STREAM) == "slow":
                self.injected[fault.name] += 1
        return Drawn(instead, delay, {fault.kind.removeprefix(STREAM): fault for fault in to_stream})


def _replaces_answer(fault: Fault) -> bool:
    kinds = (_INSTEAD, _INSTEAD_OF_STREAM)
    return fault.kind in _SPOILT or any(kind.fullmatch(fault.kind) for kind in kinds)
