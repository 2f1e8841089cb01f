"""The language in which faults are asked for. Each service has a vocabulary of its own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

AFTER_STORE = "-after-store"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The kinds that a service knows: `kinds` as they stand, `after_store` also with that suffix."""

    kinds: re.Pattern[str]
    after_store: re.Pattern[str]
    options: Mapping[str, Mapping[str, tuple[float, float]]]
    """What each kind takes, with its bounds."""
    always_after: frozenset[str] = frozenset()
    """Kinds that come after storing without saying so."""


@dataclass(frozen=True, slots=True)
class Fault:
    kind: str
    after_store: bool = False
    probability: float = 0.0
    requests: tuple[tuple[int, int | None], ...] = ()
    options: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.kind + (AFTER_STORE if self.after_store else "")

    def option(self, name: str, default: float) -> float:
        return self.options.get(name, default)

    def hits(self, request: int, chance: float) -> bool:
        if self.requests:
            return any(first <= request and (last is None or request <= last) for first, last in self.requests)
        return chance < self.probability


def split_specification(specification: str) -> list[str]:
    return [part.strip() for part in specification.split(",") if part.strip()]


def read_fault(part: str, vocabulary: Vocabulary) -> Fault:
    """Raises ValueError, with the part that is wrong, for one that cannot be read."""
    head, *options = part.split(":")
    match = re.fullmatch(r"([a-z0-9-]+)([=@])(.+)", head, re.ASCII)
    if match is None:
        raise ValueError(f"fault {part!r}: expected KIND=PROBABILITY or KIND@REQUESTS")
    name, operator, value = match.groups()
    kind = name.removesuffix(AFTER_STORE)
    after_store = kind != name
    if not (vocabulary.after_store if after_store else vocabulary.kinds).fullmatch(kind):
        raise ValueError(f"fault {part!r}: unknown kind {name!r}")
    bounds = vocabulary.options.get(kind, {})
    return Fault(
        kind=kind,
        after_store=after_store or kind in vocabulary.always_after,
        probability=_number(part, value, 0, 1) if operator == "=" else 0.0,
        requests=tuple(_read_requests(part, value)) if operator == "@" else (),
        options=dict(_read_option(part, kind, option, bounds) for option in options),
    )


def _read_requests(part: str, value: str) -> Iterator[tuple[int, int | None]]:
    for piece in value.split(";"):
        match = re.fullmatch(r"([1-9]\d{0,8})(-([1-9]\d{0,8})?)?", piece, re.ASCII)
        if match is None:
            raise ValueError(f"fault {part!r}: requests are numbers and ranges, as 1;4-6;9-")
        first, dash, last = match.groups()
        yield int(first), (int(last) if last else None) if dash else int(first)


def _read_option(part: str, kind: str, option: str, bounds: Mapping[str, tuple[float, float]]) -> tuple[str, float]:
    name, _, value = option.partition("=")
    if name not in bounds:
        raise ValueError(f"fault {part!r}: {kind} has no option {name!r}")
    return name, _number(part, value, *bounds[name])


def _number(part: str, text: str, low: float, high: float) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError(f"fault {part!r}: {text!r} is not a number") from error
    if not low <= value <= high:
        raise ValueError(f"fault {part!r}: {text} is not within {low} and {high}")
    return value
