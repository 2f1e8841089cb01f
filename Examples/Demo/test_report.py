"""The page and foreign text: what tickets and servers name must neither render nor run nor turn a line around."""

from __future__ import annotations

from html import escape
from unicodedata import category

import pytest

import report

TEXTS = [
    "\x1b[2J\x1b]0;title\x07", "\x9b31m", "\u202etxt.exe", "line\x85line", "line\u2028line", "par\u2029par",
    "zero\u200bwidth\ufeff", "\t=1+1", "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;b&gt;",
]


def page(text: str) -> str:
    """A page with a text of strangers in each place that can hold one."""
    rows = [
        (name, "0", True)
        for name in ("admitted", "refused", "admitted twice", "uploaded", "lost (shown, not in the store)",
                     "duplicates at the server")
    ]
    events = [
        {"decision": "refused", "reason": text, "repeats": 0, "scannedAt": "2026-07-04T18:00:00.000Z"},
        {"decision": "admitted", "repeats": 0, "scannedAt": "2026-07-04T18:00:00.000Z"},
    ]
    shown = [{"outcome": "refused", "reason": text, "sequence": 1, "microseconds": 800, "scannedAt": "2026-07-04T18:00:00.000Z"}]
    return report.page([*rows, ("surprise", text, False), (text, text, False)], events, shown, seconds=1, killed_after=1)


@pytest.mark.parametrize("text", TEXTS)
def test_foreign_text_is_inert(text: str) -> None:
    whole = page(text)
    active = {character for character in whole if category(character) in ("Cc", "Cf", "Zl", "Zp")} - {"\n"}
    assert not active
    assert whole.count("<script") == 0
    assert whole.count("<img") == 0
    assert escape(report.inert(text)) in whole


def test_what_is_visible_stays_as_it_is() -> None:
    assert report.inert("Zoë 🎫 = + -") == "Zoë 🎫 = + -"
    assert report.inert("\x1b\u202e") == r"\u{1B}\u{202E}"
