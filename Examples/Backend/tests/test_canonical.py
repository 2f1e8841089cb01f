"""Pairs for the cross-check of canonical forms."""

import json
from pathlib import Path
from typing import Any

from portico_backend.cli import main
from portico_backend.issuer.encoding import base64url_bytes


def pairs(path: Path, *options: str) -> list[tuple[bytes, bytes]]:
    assert main(["canonical", "--generate", "500", "--seed", "3", "--out", str(path), *options]) == 0
    read = [json.loads(line) for line in path.read_text("ascii").splitlines()]
    return [(base64url_bytes(pair["input"]), base64url_bytes(pair["canonical"])) for pair in read]


def canonical_by_hand(value: Any) -> str:
    """RFC 8785 where numbers are integers: what is left is order, escapes and no white space."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical_by_hand(name)}:{canonical_by_hand(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_by_hand, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def test_both_sides_are_the_same_value_and_the_second_is_canonical(tmp_path: Path) -> None:
    generated = pairs(tmp_path / "pairs")
    assert len(generated) == 500
    for spelt, canonical in generated:
        assert json.loads(spelt) == json.loads(canonical)
        assert canonical_by_hand(json.loads(spelt)).encode() == canonical


def test_most_inputs_are_respelt_and_hold_the_telling_names(tmp_path: Path) -> None:
    generated = pairs(tmp_path / "pairs")
    assert sum(spelt != canonical for spelt, canonical in generated) > 450
    names = {name for spelt, _ in generated for name in json.loads(spelt)}
    assert {"10", "9", "__proto__", "", "\ufb33", "\U0001f600", "é", "e\u0301"} <= names
    assert any(b"\\u" in spelt for spelt, _ in generated)
    assert any("10" in value and "9" in value for value in (json.loads(spelt) for spelt, _ in generated))


def test_noncharacters_can_be_left_out(tmp_path: Path) -> None:
    def has_noncharacter(canonical: bytes) -> bool:
        return any(0xFDD0 <= ord(c) <= 0xFDEF or ord(c) & 0xFFFE == 0xFFFE for c in canonical.decode())

    left_out = pairs(tmp_path / "pairs", "--without-noncharacters")
    assert not any(has_noncharacter(canonical) for _, canonical in left_out)
