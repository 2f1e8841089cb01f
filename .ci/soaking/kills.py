"""Kills at random moments: whatever a gate has shown is in its store, once, however often it is killed."""

from __future__ import annotations

import random
import shutil
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from gate import Device, Failed, Scan, Ticket, admissions


@dataclass
class Tally:
    store: str
    kills: int = 0
    opening: int = 0
    """Kills before the first decision: while the store was opened and repaired."""
    acknowledged: int = 0
    burnt: int = 0
    """Recorded and never shown."""
    represented: int = 0
    """Presented again after the kill because no answer had come."""
    seconds: float = 0.0

    def row(self) -> str:
        rate = self.kills / self.seconds if self.seconds else 0.0
        return (
            f"{self.store:9}{self.kills:8}{self.opening:12}{self.acknowledged:14}{self.burnt:8}{self.represented:14}"
            f"{0:6}{0:9}{rate:10.2f}")


HEADER = "store       kills  in opening  acknowledged   burnt  shown again  lost   twice   kills/s"


class Killer:
    """Kills the gates of one store."""

    def __init__(self, template: Device, tickets: list[Ticket], seed: int) -> None:
        self.template, self.tickets = template, tickets
        self.random = random.Random(f"{template.store} {seed}")
        self.tally = Tally(template.store)
        self.startup = 0.5
        """How long a gate takes to its first decision, as seen so far, in seconds."""
        self.error: Exception | None = None

    def run(self, kills: int) -> None:
        begun = time.monotonic()
        try:
            life = 0
            while self.tally.kills < kills:
                life += 1
                # All is read after each kill, so most stores are small; every tenth is to grow.
                tickets = self.tickets if life % 10 == 0 else self.tickets[:400]
                self.live(self.template.data / f"{life}", tickets, kills)
        except Exception as error:  # noqa: BLE001 -- told by the main thread, whatever it is
            self.error = error
            print(f"{self.tally.store}: after {self.tally.kills} kills: {error!r}", file=sys.stderr, flush=True)
        self.tally.seconds = time.monotonic() - begun

    def live(self, data: Path, tickets: list[Ticket], kills: int) -> None:
        """The life of one store, until its tickets are used up or the kills are done."""
        device = Device(self.template.gate, self.template.configuration, self.template.store, data)
        waiting = list(tickets)
        unanswered: list[Ticket] = []
        answered: list[Ticket] = []
        while self.tally.kills < kills and waiting:
            unanswered = self.kill_once(device, waiting, unanswered, answered)
            device.check()
            self.tally.kills += 1
        # A last run that nobody kills: every ticket that was presented is in the store as admitted, once.
        scan = device.scan()
        try:
            for ticket in unanswered + answered[-5:]:
                scan.present(ticket.text)
                answered.append(ticket)
            if (code := scan.end()) != 0:
                raise Failed(f"the last run ended with {code}")
        except Failed:
            scan.abandon()
            raise
        events = device.check()
        counts = admissions(events)
        for ticket in answered:
            if counts.get(ticket.number) != 1:
                raise Failed(f"{ticket.number} was presented and admitted {counts.get(ticket.number, 0)} times")
        self.tally.acknowledged += len(device.acknowledged)
        self.tally.burnt += len(events) - len(device.acknowledged)
        shutil.rmtree(data)

    def kill_once(
        self, device: Device, waiting: list[Ticket], unanswered: list[Ticket], answered: list[Ticket]
    ) -> list[Ticket]:
        """One run that ends in a kill; gives the tickets that were in the gate's hands without an answer.

        First come those that the kill before left without an answer, then some that were admitted long ago, then new
        ones.
        """
        again = unanswered + self.random.sample(answered, min(2, len(answered)))
        new = waiting[:200]
        queue = again + new
        self.tally.represented += len(unanswered)
        scan = device.scan()
        try:
            shown = self.watch(scan, queue)
            if (code := scan.reap()) != -signal.SIGKILL:
                raise Failed(f"it ended with {code} before it was killed")
        except Failed:
            scan.abandon()
            raise
        known = {ticket.number for ticket in answered}
        self.judge(queue[: len(shown)], shown, known)
        if not shown:
            self.tally.opening += 1
        answered += [ticket for ticket in queue[: len(shown)] if ticket.number not in known]
        # Up to this many were read from the pipe: one in the gate's hands, and what its reader had taken already.
        touched = queue[len(shown) : len(shown) + 3]
        left = [ticket for ticket in again[len(shown) :] if ticket.number not in known]
        del waiting[: max(0, len(shown) + len(touched) - len(again))]
        return left + [ticket for ticket in touched if ticket not in left and ticket.number not in known]

    def watch(self, scan: Scan, queue: list[Ticket]) -> list[dict]:
        """Feeds the queue, kills at a random moment, and gives what was shown."""
        scan.feed([ticket.text for ticket in queue])
        shown: list[dict] = []
        if self.random.random() < 0.25:
            timer = threading.Timer(self.random.random() * self.startup, scan.kill)
            timer.start()
            shown += scan.rest()
            timer.join()
            return shown
        fatal = self.random.randint(1, min(40, len(queue)))
        while len(shown) < fatal:
            decision = scan.decision()
            if decision is None:
                raise Failed(f"it ended by itself: {scan.error()}")
            if not shown:
                self.startup += (time.monotonic() - scan.begun - self.startup) / 4
            shown.append(decision)
        time.sleep(self.random.random() * 0.006)
        scan.kill()
        return shown + scan.rest()

    def judge(self, presented: list[Ticket], shown: list[dict], admitted: set[str]) -> None:
        """A ticket that was admitted is refused as used; a new one is admitted, or burnt by the kill before."""
        for ticket, decision in zip(presented, shown, strict=True):
            if decision.get("ticket", {}).get("ticketId") != ticket.number:
                raise Failed(f"{ticket.number} was presented, and decided was {decision}")
            verdict = decision.get("reason", decision["outcome"])
            if verdict not in ("admitted", "alreadyUsed") or not decision["recorded"]:
                raise Failed(f"{ticket.number} is in order, and the gate says {decision}")
            if ticket.number in admitted and verdict != "alreadyUsed":
                raise Failed(f"{ticket.number} is admitted a second time")
