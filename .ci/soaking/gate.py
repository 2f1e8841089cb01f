"""The `gate` tool as these checks use it: fed line by line, watched decision by decision, asked what it recorded."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

EVENT, ZONE = "soak-night", "main"


class Failed(Exception):
    """Something that must hold does not."""


class Refused(Failed):
    """The tool ended with an error and said why."""


@dataclass(frozen=True)
class Ticket:
    number: str
    text: str


@dataclass
class Device:
    """One gate's data, and everything that was ever seen of it from outside."""

    gate: Path
    configuration: Path
    store: str
    data: Path
    acknowledged: dict[str, dict] = field(default_factory=dict)
    """Decisions that were shown as recorded, by the id of their event."""
    known: list[str] = field(default_factory=list)
    """Ids of events in the order in which the store gave them last: they may only be added to."""

    def scan(self) -> Scan:
        return Scan(self)

    def arguments(self, *words: str) -> list[str]:
        return [str(self.gate), *words, "--data", str(self.data), "--store", self.store]

    def environment(self) -> dict[str, str]:
        # A build that counts its lines would write a profile at each end.
        return {**os.environ, "LLVM_PROFILE_FILE": "/dev/null"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.arguments(*words), capture_output=True, text=True, timeout=120, env=self.environment(), check=False,
            stdin=subprocess.DEVNULL)

    def status(self) -> dict:
        done = self.run("status", "--json")
        if done.returncode != 0:
            raise Failed(f"gate status ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def events(self) -> list[dict]:
        done = self.run("export", "--json")
        if done.returncode != 0:
            if not self.acknowledged:
                # Killed before there was a store: nothing was promised either.
                return []
            if done.returncode > 0 and done.stderr.startswith("gate: "):
                raise Refused(done.stderr.strip())
            raise Failed(f"gate export ended with {done.returncode}: {done.stderr.strip()}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def acknowledge(self, decision: dict) -> None:
        if decision["recorded"] and decision["outcome"] != "repeated":
            self.acknowledged[decision["id"]] = decision

    def check(self) -> list[dict]:
        """Everything that must hold of the store whenever it is opened; gives its events."""
        events = self.events()
        if [event["sequence"] for event in events] != list(range(1, len(events) + 1)):
            raise Failed("the sequence has a gap")
        ids = [event["id"] for event in events]
        if ids[: len(self.known)] != self.known:
            raise Failed("an event that was stored before is gone or moved")
        self.known = ids
        by_id = {event["id"]: event for event in events}
        for identity, decision in self.acknowledged.items():
            event = by_id.get(identity)
            if event is None:
                raise Failed(f"acknowledged and lost: {decision}")
            shown = (decision["outcome"], decision.get("reason"), decision["sequence"])
            if shown != (event["decision"], event.get("reason"), event["sequence"]):
                raise Failed(f"shown {shown} and recorded otherwise: {event}")
        twice = [number for number, count in admissions(events).items() if count > 1]
        if twice:
            raise Failed(f"admitted twice: {twice}")
        return events


def admissions(events: list[dict]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for event in events:
        if event["decision"] == "admitted":
            number = event["ticket"]["ticketId"]
            counts[number] = counts.get(number, 0) + event["count"]
    return counts


class Scan:
    """A running `gate scan --lines`."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            device.arguments(
                "scan", "--lines", "--json", "--event", EVENT, "--zone", ZONE, "--config", str(device.configuration)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=device.environment())
        self.fed: list[str] = []
        self.pending = b""
        self.feeding: threading.Thread | None = None

    def feed(self, texts: list[str]) -> None:
        """Writes lines beside whoever reads decisions: a pipe holds only so much."""
        self.fed += texts
        lines = "".join(text + "\n" for text in texts).encode()

        def write() -> None:
            try:
                self.process.stdin.write(lines)
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):
                pass  # It was killed meanwhile: that is what this is about.

        self.join()
        self.feeding = threading.Thread(target=write, daemon=True)
        self.feeding.start()

    def join(self) -> None:
        if self.feeding is not None:
            self.feeding.join()

    def decision(self, seconds: float = 60) -> dict | None:
        """The next decision; None when there will be none."""
        deadline = time.monotonic() + seconds
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise Failed(f"no decision within {seconds} s")
            chunk = os.read(descriptor, 1 << 16)
            if not chunk:
                # Half a line was not shown.
                self.pending = b""
                return None
            self.pending += chunk
        line, _, self.pending = self.pending.partition(b"\n")
        decision = json.loads(line)
        self.device.acknowledge(decision)
        return decision

    def present(self, text: str) -> dict:
        self.feed([text])
        decision = self.decision()
        if decision is None:
            raise Failed(f"the gate ended: {self.error()}")
        return decision

    def rest(self) -> list[dict]:
        decisions = []
        while (decision := self.decision()) is not None:
            decisions.append(decision)
        return decisions

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)

    def end(self) -> int:
        """Ends the input and waits; the decisions must have been read."""
        self.join()
        self.process.stdin.close()
        self.rest()
        return self.reap()

    def reap(self) -> int:
        code = self.process.wait(timeout=60)
        self.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass  # Lines that the killed process never read.
        return code

    def error(self) -> str:
        self.process.wait(timeout=60)
        return self.process.stderr.read().decode(errors="replace").strip()

    def abandon(self) -> None:
        """For failures: nothing that was started is left behind."""
        if self.process.poll() is None:
            self.kill()
        self.reap()
