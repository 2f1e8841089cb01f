"""A gate's evening in a minute: real pictures read offline, a kill in mid-scan, hostile codes, a misbehaving server.

Standard library only. It starts what it needs (the issuer, `gate`, the reference service on the loopback interface),
ends all of it, prints a table and writes a report that opens in a browser.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import report

EVENT, ZONE = "summer-night", "main"
# By script and not by chance, so that each of them has been seen to be survived.
FAULTS = (
    "503-after-store@1", "html-200@2", "partial@3:share=0.3", "drop-after-store@4", "cut@5", "contradict@6",
    "foreign@6", "429@7:retry-after=1", "drop@8",
)


@dataclass
class Evening:
    """What happened, as it was seen from outside the gate."""

    issued: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The tickets that were issued, by event and ticket."""
    genuine: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Those among the hostile codes that the issuer expects to be admitted, and that were."""
    refusals: Counter[str] = field(default_factory=Counter)
    """What the issuer expects of the other hostile codes that were shown, by reason."""
    hostile: int = 0
    shown: list[dict] = field(default_factory=list)
    """Decisions that the gate printed."""
    recorded: list[dict] = field(default_factory=list)
    """Events that its store holds at the end."""
    killed_after: int = 0
    surprises: list[str] = field(default_factory=list)
    statistics: dict = field(default_factory=dict)
    uploads: list[dict] = field(default_factory=list)

    def compare(self, expected: dict[str, dict], decisions: list[dict]) -> None:
        """The issuer's own expectation of each hostile code against what the gate decided, by where it was shown."""
        waiting = dict(expected)
        for decision in decisions:
            origin, got = decision["origin"], decision.get("reason", decision["outcome"])
            row = waiting.pop(origin, None)
            if row is None:
                self.surprises.append(f"{origin}: {got}, and nothing was shown there, or it was decided before")
                continue
            if got != row["expect"]:
                self.surprises.append(f"{origin} ({row['why']}): {got}, expected {row['expect']}")
            if row["expect"] != "admitted":
                self.refusals[row["expect"]] += 1
            elif got == "admitted":
                self.genuine[decision["ticket"]["eventId"], decision["ticket"]["ticketId"]] += 1
        self.surprises += [f"{origin} ({row['why']}): no decision" for origin, row in waiting.items()]


class Demo:
    def __init__(self, gate: Path, backend: Path, python: str, folder: Path, tickets: int, seed: int) -> None:
        self.gate, self.backend, self.python, self.folder = gate, backend, python, folder
        self.tickets, self.random = tickets, random.Random(seed)
        self.seed = seed
        self.data = folder / "data"
        self.evening = Evening()

    # The steps of the evening

    def run(self) -> Evening:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.issue()
        first, second = self.halves()
        self.scan_until_killed(first)
        self.scan_rest(first, second)
        self.scan_hostile()
        self.upload()
        self.evening.recorded = self.export()
        return self.evening

    def issue(self) -> None:
        say(f"issuing {self.tickets} tickets and a set of hostile codes, drawn as QR codes")
        issued = self.folder / "issued"
        self.portico_backend(
            "issue", "--out", issued, "--tickets", self.tickets, "--seed", self.seed, "--event", EVENT, "--zone", ZONE,
            "--png")
        self.portico_backend("hostile", "--issued", issued, "--out", self.folder / "hostile", "--seed", self.seed, "--png")
        self.evening.issued.update(
            (ticket["eventId"], ticket["ticketId"]) for ticket in lines_of(issued / "tickets.jsonl"))

    def halves(self) -> tuple[Path, Path]:
        pictures = sorted((self.folder / "issued" / "tickets").glob("*.png"))
        folders = []
        for name, part in (("first", pictures[: len(pictures) // 2]), ("second", pictures[len(pictures) // 2 :])):
            folder = self.folder / name
            folder.mkdir()
            for picture in part:
                os.link(picture, folder / picture.name)
            folders.append(folder)
        return folders[0], folders[1]

    def scan_until_killed(self, pictures: Path) -> None:
        count = len(list(pictures.iterdir()))
        fatal = self.random.randint(count * 2 // 5, count * 4 // 5)
        say(f"scanning the first half; SIGKILL after {fatal} decisions")
        process = self.start_scan(pictures)
        assert process.stdout is not None
        for line in process.stdout:
            self.show(line)
            if len(self.evening.shown) == fatal:
                time.sleep(self.random.random() * 0.005)
                process.send_signal(signal.SIGKILL)
                break
        # What was printed before the kill took effect was shown as well.
        for line in process.stdout:
            if line.endswith("\n"):
                self.show(line)
        if process.wait() != -signal.SIGKILL:
            self.evening.surprises.append(f"the scan ended with {process.returncode} before it was killed")
        self.evening.killed_after = len(self.evening.shown)

    def scan_rest(self, first: Path, second: Path) -> None:
        say("restarting; scanning what was not decided yet, then the second half")
        seen = {Path(decision["origin"]).name for decision in self.evening.shown}
        for picture in first.iterdir():
            if picture.name not in seen:
                os.link(picture, second / picture.name)
        self.scan(second)

    def scan_hostile(self) -> None:
        rows = lines_of(self.folder / "hostile" / "hostile.jsonl")
        drawn = sorted((self.folder / "hostile" / "codes").glob("*.png"))
        say(f"scanning {len(rows)} hostile codes: {len(drawn)} as pictures, the rest as lines of a reader")
        self.evening.hostile = len(rows)
        pictures = [int(picture.stem) for picture in drawn]
        before = len(self.evening.shown)
        self.scan(self.folder / "hostile" / "codes")
        by_origin = {f"{number:04d}.png": rows[number - 1] for number in pictures}
        self.evening.compare(by_origin, self.evening.shown[before:])
        # A reader types neither nothing nor a line break: such codes come as pictures only.
        typed = [
            row for number, row in enumerate(rows, 1)
            if number not in pictures and row["text"] and "\n" not in row["text"] and "\r" not in row["text"]
        ]
        before = len(self.evening.shown)
        self.scan_lines([row["text"] for row in typed])
        by_origin = {f"line {number}": row for number, row in enumerate(typed, 1)}
        self.evening.compare(by_origin, self.evening.shown[before:])

    def upload(self) -> None:
        say("uploading to a server that fails, drops, forgets and answers late")
        server = subprocess.Popen(
            [self.python, "-m", "portico_backend", "serve", "--port", "0", "--database", str(self.folder / "server.sqlite"),
             "--faults", ",".join(FAULTS), "--fault-seed", str(self.seed)],
            cwd=self.backend, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            for _ in range(40):
                result = subprocess.run(
                    [self.gate, "sync", "--url", f"{address}/v1/scans", "--insecure-http", "--json", "--data", self.data],
                    capture_output=True, text=True, timeout=300)
                if result.stdout.strip():
                    self.evening.uploads.append(json.loads(result.stdout.strip().splitlines()[-1]))
                if result.returncode == 0:
                    break
                if result.returncode != 75:
                    self.evening.surprises.append(f"gate sync ended with {result.returncode}: {result.stderr.strip()}")
                    break
            with urllib.request.urlopen(f"{address}/v1/statistics", timeout=10) as answer:
                self.evening.statistics = json.load(answer)
        finally:
            server.terminate()
            server.wait(timeout=20)

    # The gate

    def scan_arguments(self) -> list[str]:
        return [
            str(self.gate), "scan", "--json", "--data", str(self.data), "--event", EVENT, "--zone", ZONE, "--gate",
            "north-1", "--config", str(self.folder / "issued" / "configuration.json"),
        ]

    def start_scan(self, pictures: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.scan_arguments(), "--images", str(pictures)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)

    def scan(self, pictures: Path) -> None:
        process = self.start_scan(pictures)
        assert process.stdout is not None
        for line in process.stdout:
            self.show(line)
        if process.wait() != 0:
            self.evening.surprises.append(f"gate scan ended with {process.returncode}")

    def scan_lines(self, lines: list[str]) -> None:
        result = subprocess.run(
            [*self.scan_arguments(), "--lines", "--lane", "reader"], input="\n".join(lines) + "\n", capture_output=True,
            text=True, timeout=300)
        for line in result.stdout.split("\n"):
            if line:
                self.show(line)
        if result.returncode != 0:
            self.evening.surprises.append(f"gate scan --lines ended with {result.returncode}: {result.stderr.strip()}")

    def show(self, line: str) -> None:
        self.evening.shown.append(json.loads(line))

    def export(self) -> list[dict]:
        result = subprocess.run(
            [self.gate, "export", "--json", "--data", self.data], capture_output=True, text=True, check=True, timeout=300)
        return [json.loads(line) for line in result.stdout.split("\n") if line]

    def portico_backend(self, *arguments: object) -> None:
        subprocess.run(
            [self.python, "-m", "portico_backend", *map(str, arguments)], cwd=self.backend, check=True,
            stdout=subprocess.DEVNULL, timeout=600)


# What it comes to


def summary(evening: Evening) -> list[tuple[str, str, bool]]:
    """Rows of name, value, and whether it is as it must be."""
    stored = {event["id"]: event for event in evening.recorded}
    shown = [decision for decision in evening.shown if decision["outcome"] != "repeated"]
    shown_ids = {decision.get("id") for decision in shown}
    lost = [decision for decision in shown if decision.get("id") not in stored]
    burnt = [event for event in evening.recorded if event["id"] not in shown_ids]
    admitted = [event for event in evening.recorded if event.get("decision") == "admitted"]
    uses = Counter()
    for event in admitted:
        uses[event["ticket"]["eventId"], event["ticket"]["ticketId"]] += event.get("count", 1)
    allowed = {(event["ticket"]["eventId"], event["ticket"]["ticketId"]): event["ticket"]["uses"] for event in admitted}
    strangers = sum((uses - (evening.issued + evening.genuine)).values())
    missing = sum(((evening.issued + evening.genuine) - uses).values())
    twice = [key for key, count in uses.items() if count > allowed[key]]
    sequences = [event["sequence"] for event in evening.recorded]
    refused = report.attempts(evening.recorded)
    # A ticket whose admission was recorded and never shown came again, and found itself used.
    refusals = evening.refusals + Counter(alreadyUsed=len(burnt))
    delivered = sum(event["state"] == "delivered" for event in evening.recorded)
    waiting = sum(event["state"] in ("pending", "open") for event in evening.recorded)
    distinct = evening.statistics.get("distinctIds", -1)
    doubles = evening.statistics.get("events", -1) - distinct
    played = sum(evening.statistics.get("faultsInjected", {}).values())
    again = evening.statistics.get("duplicatesReceived", 0)
    rows = [
        ("issued", f"{sum(evening.issued.values())} tickets, {evening.hostile} hostile codes", True),
        ("killed", f"after {evening.killed_after} decisions, SIGKILL", evening.killed_after > 0),
        ("admitted", str(sum(uses.values())), sum(uses.values()) > 0),
        ("admitted, and should not have been", str(strangers), strangers == 0),
        ("not admitted, and should have been", str(missing), missing == 0),
        ("admitted twice", str(len(twice)), not twice),
        ("refused", f"{sum(refused.values())} of {sum(refusals.values())}", refused == refusals),
        *[(f"  {reason}", str(count), True) for reason, count in refused.most_common()],
        ("lost (shown, not in the store)", str(len(lost)), not lost),
        ("burnt (in the store, never shown)", str(len(burnt)), len(burnt) <= 1),
        ("sequence", f"1 … {len(sequences)}, gapless", sequences == list(range(1, len(sequences) + 1))),
        ("uploaded", f"{delivered} of {len(sequences)}", delivered == len(sequences) and waiting == 0),
        ("at the server", f"{distinct} events", distinct == len(sequences)),
        ("duplicates at the server", str(doubles), doubles == 0),
        ("sent again and recognised", str(again), again > 0),
        ("faults that the server played", f"{played} of {len(FAULTS)}", played == len(FAULTS)),
    ]
    return rows + [("surprise", text, False) for text in evening.surprises]


def lines_of(path: Path) -> list[dict]:
    # By line feeds alone: texts hold what Python takes for the end of a line too.
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def say(text: str) -> None:
    print(f"· {text}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", type=Path, required=True, help="the gate tool, built for release with its scanner")
    parser.add_argument("--backend", type=Path, required=True, help="the folder of the reference service")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with the service's requirements")
    parser.add_argument("--out", type=Path, required=True, help="a folder of its own; it is emptied")
    parser.add_argument("--tickets", type=int, default=500)
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()

    began = time.monotonic()
    demo = Demo(
        options.gate.absolute(), options.backend.absolute(), options.python, options.out.absolute(), options.tickets,
        options.seed)
    evening = demo.run()
    rows = summary(evening)
    width = max(len(name) for name, _, _ in rows)
    print()
    for name, value, good in rows:
        print(f"  {'✓' if good else '✗'} {name:<{width}}  {report.inert(value)}")
    page = options.out / "report.html"
    page.write_text(report.page(rows, evening.recorded, evening.shown, time.monotonic() - began, evening.killed_after), encoding="utf-8")
    print(f"\n  {time.monotonic() - began:.0f} s; report: {page}")
    return 0 if all(good for _, _, good in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
