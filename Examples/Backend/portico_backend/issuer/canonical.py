"""Pairs of a respelt JSON object and its RFC 8785 form, to check another implementation against a stock one."""

import random
from collections.abc import Iterator
from typing import Any

import rfc8785

from .encoding import base64url

_LARGEST = 2**53 - 1
_DEEPEST = 4
_TELLING_NAMES = (
    "10",
    "9",
    "1",
    "",
    "__proto__",
    "constructor",
    "\ufb33",
    "\U0001f600",
    "é",
    "e\u0301",
    "\r",
    "€",
)
"""Names whose order, or whose place in a language's own objects, gives a wrong sort away."""

_TELLING_INTEGERS = (0, 1, -1, 9, 10, _LARGEST, -_LARGEST, 10**15, -(10**15))
_RANGES = (
    (0x00, 0x7F),
    (0x20, 0x7E),
    (0x20, 0x7E),
    (0x80, 0x7FF),
    (0x800, 0xD7FF),
    (0xE000, 0xFFFF),
    (0x10000, 0x10FFFF),
)
_SHORT_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip


def canonical_pairs(count: int, chance: random.Random, noncharacters: bool = True) -> Iterator[dict[str, str]]:
    """`noncharacters` False keeps U+FFFE and its like out, which I-JSON forbids (RFC 7493 §2.1)."""
    drawing = _Drawing(chance, noncharacters)
    for _ in range(count):
        value = drawing.object(1)
        spelt = _spell(value, chance).encode("utf-8")
        yield {"input": base64url(spelt), "canonical": base64url(rfc8785.dumps(value))}


class _Drawing:
    def __init__(self, chance: random.Random, noncharacters: bool) -> None:
        self._chance = chance
        self._noncharacters = noncharacters

    def object(self, depth: int) -> dict[str, Any]:
        size = self._chance.choice((0, 1, 2, 3, 5, 8)) if depth > 1 else self._chance.randint(1, 9)
        return {self._name(): self._value(depth) for _ in range(size)}

    def _value(self, depth: int) -> Any:
        kind = self._chance.random()
        if depth < _DEEPEST and kind < 0.1:
            return self.object(depth + 1)
        if depth < _DEEPEST and kind < 0.2:
            return [self._value(depth + 1) for _ in range(self._chance.randint(0, 4))]
        if kind < 0.5:
            return self._integer()
        if kind < 0.6:
            return self._chance.choice((True, False, None))
        return self._text(20)

    def _name(self) -> str:
        return self._chance.choice(_TELLING_NAMES) if self._chance.random() < 0.3 else self._text(6)

    def _integer(self) -> int:
        if self._chance.random() < 0.3:
            return self._chance.choice(_TELLING_INTEGERS)
        return self._chance.randint(-_LARGEST, _LARGEST) >> self._chance.randint(0, 52)

    def _text(self, longest: int) -> str:
        return "".join(self._scalar() for _ in range(self._chance.randint(0, longest)))

    def _scalar(self) -> str:
        low, high = self._chance.choice(_RANGES)
        scalar = self._chance.randint(low, high)
        if not self._noncharacters and (0xFDD0 <= scalar <= 0xFDEF or scalar & 0xFFFE == 0xFFFE):
            return "?"
        return chr(scalar)


def _spell(value: Any, chance: random.Random) -> str:
    """The same value in another order, with other white space and other escapes."""

    def space() -> str:
        return "".join(chance.choice(" \t\r\n") for _ in range(chance.randint(1, 3))) if chance.random() < 0.2 else ""

    def items(parts: list[str], opening: str, closing: str) -> str:
        return f"{opening}{space()}{','.join(parts)}{space()}{closing}"

    match value:
        case dict():
            members = list(value.items())
            chance.shuffle(members)
            spelt = [f"{space()}{_quote(n, chance)}{space()}:{space()}{_spell(v, chance)}{space()}" for n, v in members]
            return items(spelt, "{", "}")
        case list():
            return items([f"{space()}{_spell(v, chance)}{space()}" for v in value], "[", "]")
        case str():
            return _quote(value, chance)
        case True:
            return "true"
        case False:
            return "false"
        case None:
            return "null"
        case _:
            return str(value)


def _quote(text: str, chance: random.Random) -> str:
    return '"' + "".join(_character(character, chance) for character in text) + '"'


def _character(character: str, chance: random.Random) -> str:
    must = character in '"\\' or character < " "
    if not must and chance.random() >= 0.15:
        return character
    if character in _SHORT_ESCAPES and chance.random() < 0.5:
        return _SHORT_ESCAPES[character]
    units = character.encode("utf-16-be")
    escapes = (f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
    return "".join(escape if chance.random() < 0.5 else "\\u" + escape[2:].upper() for escape in escapes)
