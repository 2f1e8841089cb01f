"""The report of an evening: one page that needs nothing else, with three plots drawn as SVG."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime
from html import escape
from unicodedata import category

WIDTH, HEIGHT = 720, 260
LEFT, BOTTOM, TOP = 56, 36, 16

STYLE = """
:root { color-scheme: light dark; --ink: #1a2230; --dim: #667085; --line: #e3e7ee; --paper: #ffffff; --card: #f7f8fb;
  --good: #16805b; --bad: #c0392b; --bar: #3b6fd4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf3; --dim: #98a2b3; --line: #2c3443; --paper: #10141c;
  --card: #181e29; --good: #4cc79a; --bad: #ff7b6b; --bar: #7ba4ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 820px; margin: 0 auto; padding: 48px 24px 80px; }
h1 { font-size: 30px; letter-spacing: -0.02em; margin: 0 0 4px; }
h2 { font-size: 18px; margin: 44px 0 12px; }
p.lead { color: var(--dim); margin: 0 0 28px; }
.cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px; }
@media (max-width: 560px) { .cards { grid-template-columns: repeat(2, 1fr); } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 16px; }
.card b { display: block; font-size: 26px; font-variant-numeric: tabular-nums; line-height: 1.2; }
.card span { color: var(--dim); font-size: 13px; }
.card.good b { color: var(--good); } .card.bad b { color: var(--bad); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td { border-top: 1px solid var(--line); padding: 7px 4px; } td:last-child { text-align: right; }
td.mark { width: 28px; color: var(--good); } tr.bad td.mark, tr.bad td { color: var(--bad); }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 12px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--dim); font: 12px system-ui, sans-serif; }
svg .value { fill: var(--ink); } svg .axis { stroke: var(--line); } svg .bar { fill: var(--bar); }
svg .kill { stroke: var(--bad); stroke-dasharray: 4 3; }
svg .area { fill: var(--good); opacity: 0.16; } svg .curve { fill: none; stroke: var(--good); stroke-width: 2; }
figcaption { color: var(--dim); font-size: 13px; padding: 8px 4px 0; }
"""


def inert(text: str) -> str:
    """Text that may be a stranger's, so that nothing in it moves a cursor, turns a direction, ends a line or hides."""
    return "".join(
        f"\\u{{{ord(character):X}}}" if category(character)[0] == "C" or category(character) in ("Zl", "Zp") else character
        for character in text
    )


def html(text: str) -> str:
    return escape(inert(text))


def page(rows: list[tuple[str, str, bool]], events: list[dict], shown: list[dict], seconds: float, killed_after: int) -> str:
    values = {name.strip(): value for name, value, _ in rows}
    faults = [name for name, _, good in rows if not good]
    verdict = "Everything is as it must be." if not faults else "Not as it must be: " + ", ".join(faults) + "."
    cards = "".join(
        card(values[name].split(" of ")[0], label, good)
        for name, label, good in (
            ("admitted", "admitted", None),
            ("refused", "refused, with a reason", None),
            ("lost (shown, not in the store)", "lost in the kill", values["lost (shown, not in the store)"] == "0"),
            ("admitted twice", "admitted twice", values["admitted twice"] == "0"),
            ("uploaded", "uploaded", None),
            ("duplicates at the server", "duplicates at the server", values["duplicates at the server"] == "0"),
        )
    )
    table = "".join(
        f'<tr class="{"" if good else "bad"}"><td class="mark">{"✓" if good else "✗"}</td>'
        f"<td>{html(name)}</td><td>{html(value)}</td></tr>"
        for name, value, good in rows
        if not name.startswith("  ")
    )
    # Of noise beyond ten codes a second none is written by itself, so that its time says nothing of a write.
    latencies = [decision["microseconds"] for decision in shown if "sequence" in decision]
    killed = moment(shown[killed_after - 1]) if killed_after else None
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An evening at the gate</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body><main>'
        f"<h1>An evening at the gate</h1><p class='lead'>{html(verdict)} It took {seconds:.0f} seconds.</p>"
        f'<div class="cards">{cards}</div>'
        f"<h2>Admissions over time</h2>{admissions(events, killed)}"
        f"<h2>Refusals by reason</h2>{refusals(events)}"
        f"<h2>From code to durable decision</h2>{histogram(latencies)}"
        f"<h2>The whole account</h2><table>{table}</table></main></body></html>\n"
    )


def card(value: str, label: str, good: bool | None) -> str:
    kind = "" if good is None else " good" if good else " bad"
    return f'<div class="card{kind}"><b>{html(value)}</b><span>{html(label)}</span></div>'


def figure(body: str, caption: str, label: str, height: int = HEIGHT) -> str:
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html(label)}">{body}</svg>'
        f"<figcaption>{html(caption)}</figcaption></figure>"
    )


def text(x: float, y: float, content: str, anchor: str = "middle", kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{html(content)}</text>'


def rule(y: float) -> str:
    return f'<line class="axis" x1="{LEFT}" x2="{WIDTH - 12}" y1="{y:.1f}" y2="{y:.1f}"/>'


def ticks(most: float) -> list[float]:
    """Three or four round values up to the largest."""
    step = 10 ** math.floor(math.log10(max(most, 1)))
    for factor in (0.25, 0.5, 1, 2, 5):
        if most / (step * factor) <= 4.5:
            step *= factor
            break
    return [step * n for n in range(1, int(most / step) + 1)]


def moment(event: dict) -> float:
    """When something was scanned, in seconds."""
    return datetime.fromisoformat(event["scannedAt"].replace("Z", "+00:00")).timestamp()


def admissions(events: list[dict], killed: float | None) -> str:
    times = sorted(moment(event) for event in events if event.get("decision") == "admitted")
    if not times:
        return "<p>Nobody was admitted.</p>"
    start, span = times[0], max(times[-1] - times[0], 0.001)

    def x(time: float) -> float:
        return LEFT + (time - start) / span * (WIDTH - LEFT - 16)

    def y(count: float) -> float:
        return HEIGHT - BOTTOM - count / len(times) * (HEIGHT - BOTTOM - TOP)

    points = [f"{x(time):.1f},{y(count):.1f}" for count, time in enumerate(times, 1)]
    curve = f"{x(start):.1f},{y(0):.1f} " + " ".join(points)
    body = "".join(rule(y(tick)) + text(LEFT - 8, y(tick) + 4, f"{tick:.0f}", "end") for tick in ticks(len(times)))
    body += rule(y(0)) + f'<polygon class="area" points="{curve} {x(times[-1]):.1f},{y(0):.1f}"/>'
    body += f'<polyline class="curve" points="{curve}"/>'
    for tick in ticks(span):
        body += text(x(start + tick), HEIGHT - BOTTOM + 20, f"{tick:g} s")
    if killed is not None:
        body += f'<line class="kill" x1="{x(killed):.1f}" x2="{x(killed):.1f}" y1="{TOP}" y2="{y(0):.1f}"/>'
        body += text(x(killed) + 6, TOP + 10, "SIGKILL", "start")
    return figure(
        body,
        "Tickets admitted since the first one. The line is the kill, after which the gate is started again; at the end "
        "come the hostile codes, of which some are genuine.",
        "Admissions over time",
    )


def attempts(events: list[dict]) -> Counter[str]:
    """How often each reason was given; of noise beyond ten codes a second an event stands for many attempts."""
    counts: Counter[str] = Counter()
    for event in events:
        if event.get("decision") == "refused":
            counts[event["reason"]] += 1 + event["repeats"]
    return counts


def refusals(events: list[dict]) -> str:
    reasons = attempts(events).most_common()
    if not reasons:
        return "<p>Nobody was refused.</p>"
    most, row = reasons[0][1], 26
    body = ""
    for index, (reason, count) in enumerate(reasons):
        y = TOP + index * row
        length = max(2, count / most * (WIDTH - 260))
        body += text(180, y + 15, reason, "end") + text(196 + length, y + 15, str(count), "start", "value")
        body += f'<rect class="bar" x="190" y="{y + 3}" width="{length:.1f}" height="16" rx="4"/>'
    return figure(
        body, "Each refused attempt has one stable code; of noise beyond ten codes a second an event stands for many.", "Refusals by reason", TOP * 2 + row * len(reasons))


def histogram(latencies: list[int]) -> str:
    if not latencies:
        return "<p>Nothing was measured.</p>"
    low, high, bins = math.log10(max(1, min(latencies))), math.log10(max(latencies) + 1), 36
    width = max(high - low, 0.001) / bins
    counts = Counter(min(bins - 1, int((math.log10(max(1, value)) - low) / width)) for value in latencies)
    most, slot = max(counts.values()), (WIDTH - LEFT - 16) / bins

    def x(value: float) -> float:
        return LEFT + (math.log10(value) - low) / width * slot

    def y(count: float) -> float:
        return HEIGHT - BOTTOM - count / most * (HEIGHT - BOTTOM - TOP)

    body = "".join(rule(y(tick)) + text(LEFT - 8, y(tick) + 4, f"{tick:.0f}", "end") for tick in ticks(most)) + rule(y(0))
    for index, count in counts.items():
        body += (
            f'<rect class="bar" x="{LEFT + index * slot + 1:.1f}" y="{y(count):.1f}" width="{slot - 2:.1f}" '
            f'height="{HEIGHT - BOTTOM - y(count):.1f}" rx="2"/>'
        )
    for value in (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000):
        if low <= math.log10(value) <= high:
            body += text(x(value), HEIGHT - BOTTOM + 20, f"{value / 1000:g} ms")
    ordered = sorted(latencies)
    middle, tail = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    return figure(
        body,
        f"Signature, rules and a write that survives a power cut: half within {middle / 1000:.2f} ms, 99 of 100 within "
        f"{tail / 1000:.2f} ms. The scale is logarithmic.",
        "Latency histogram",
    )
