"""Faults of the disk that no seam stands in for: it is full, it becomes read-only; and five hundred scans offline."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gate import Device, Failed, Refused, Scan, Ticket, admissions


class NotPermitted(Exception):
    """This machine does not let us mount."""


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "portico-soak", str(folder)], capture_output=True,
        text=True, check=False)
    if done.returncode != 0:
        raise NotPermitted(done.stderr.strip())
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def running(device: Device, work: Callable[[Scan], None], code: int) -> None:
    """Does something with a running gate, and holds it to how it ends."""
    scan = device.scan()
    try:
        work(scan)
        if (ended := scan.end()) != code:
            raise Failed(f"it ended with {ended}, not {code}")
    except BaseException:
        scan.abandon()
        raise


def offline(device: Device, tickets: list[Ticket]) -> str:
    """Scans, a kill, a restart with one scan more: all of them wait for upload, in order."""
    *tickets, last = tickets
    scan = device.scan()
    try:
        scan.feed([ticket.text for ticket in tickets])
        shown = [scan.decision() for _ in tickets]
        scan.kill()
        if scan.rest() or scan.reap() != -signal.SIGKILL:
            raise Failed("it was not killed after the last decision")
    except BaseException:
        scan.abandon()
        raise
    if any(decision is None or decision["outcome"] != "admitted" for decision in shown):
        raise Failed("not all of them were admitted")
    running(device, lambda scan: shown.append(scan.present(last.text)), code=0)
    events = device.check()
    if [event["id"] for event in events] != [decision["id"] for decision in shown]:
        raise Failed("the queue is not what was shown, in its order")
    if {event["state"] for event in events} != {"pending"} or device.status()["pending"] != len(shown):
        raise Failed("not all of them wait for upload")
    return f"{len(tickets)} scans offline, killed, restarted, one more: {len(events)} wait, in order, without a gap"


def full(device: Device, tickets: list[Ticket], disk: Path) -> str:
    """Records until the disk is full; nothing shown is lost, nothing is admitted that is not recorded."""
    ballast = disk / "ballast"
    before: list[Ticket] = []
    refused: list[Ticket] = []

    def fill(scan: Scan) -> None:
        for ticket in tickets:
            if len(before) == 1 and not ballast.exists():
                # With the store made, all but so much of the room is taken.
                ballast.write_bytes(bytes(shutil.disk_usage(disk).free - (200 << 10)))
            decision = scan.present(ticket.text)
            if decision["outcome"] == "admitted":
                before.append(ticket)
                continue
            if decision.get("reason") != "notRecorded" or decision["recorded"] or "id" in decision:
                raise Failed(f"on a full disk it says {decision}")
            refused.append(ticket)
            if len(refused) == 6:
                break
        else:
            raise Failed("the disk never became full")
        if scan.present("no ticket")["reason"] != "malformed":
            raise Failed("on a full disk a refusal is no longer the refusal that it is")
        device.check()
        ballast.unlink()
        # Who was turned away comes again; two take turns, so that none is held for one presentation.
        deadline = time.monotonic() + 20
        for ticket in refused:
            while (decision := scan.present(ticket.text))["outcome"] != "admitted":
                if decision.get("reason") != "notRecorded" or time.monotonic() > deadline:
                    raise Failed(f"with room again it says {decision}")
                scan.present(before[0].text)
                time.sleep(0.1)

    # The tool says by its code that something could not be recorded.
    running(device, fill, code=1)
    counts = admissions(device.check())
    for ticket in before + refused:
        if counts.get(ticket.number) != 1:
            raise Failed(f"{ticket.number} was admitted {counts.get(ticket.number, 0)} times")
    return (
        f"a full disk: {len(before)} admitted before, {len(refused)} turned away as notRecorded, all admitted when"
        " there was room")


def read_only(device: Device, tickets: list[Ticket], disk: Path) -> str:
    """A disk that became read-only: a clear end, what is stored can be read, and it works again."""

    def admit(part: list[Ticket]) -> Callable[[Scan], None]:
        def work(scan: Scan) -> None:
            for ticket in part:
                if scan.present(ticket.text)["outcome"] != "admitted":
                    raise Failed("a ticket in order is refused")

        return work

    running(device, admit(tickets[:10]), code=0)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        scan = device.scan()
        try:
            scan.feed([tickets[10].text])
            decisions = scan.rest()
            message = scan.error()
            code = scan.reap()
        except BaseException:
            scan.abandon()
            raise
        if any(decision["outcome"] == "admitted" for decision in decisions):
            raise Failed("it admits without a record")
        if not decisions and (code not in (1, 69) or "read-only" not in message.lower()):
            raise Failed(f"it ended with {code} and said: {message}")
        readable = can_be_read(device)
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    running(device, admit(tickets[10:20]), code=0)
    if len(device.check()) != 20:
        raise Failed("an event is missing")
    said = message or decisions[0].get("storeError")
    return f"a read-only disk: it says so ({said}), {readable}; works again when it can be written"


def can_be_read(device: Device) -> str:
    """Reading meanwhile may be refused (SQLite's reader needs its lock files), aloud, and must not lose anything."""
    try:
        return f"{len(device.check())} events can be read meanwhile"
    except Refused as refusal:
        return f"reading meanwhile is refused ({refusal})"
