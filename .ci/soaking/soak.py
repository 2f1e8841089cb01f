"""Kills the gate at random moments, fills its disk, takes its disk away; then looks at what it kept.

Needs a build of `gate` and a Python with the requirements of Examples/Backend, whose issuer makes the tickets.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import faults
from gate import EVENT, ZONE, Device, Failed, Ticket
from kills import HEADER, Killer

STORES = ("sqlite", "journal")


def issue(python: str, backend: Path, folder: Path, count: int) -> tuple[Path, list[Ticket]]:
    subprocess.run(
        [python, "-m", "portico_backend", "issue", "--out", folder, "--tickets", str(count), "--event", EVENT,
         "--zone", ZONE, "--revoked-tickets", "0"],
        cwd=backend, check=True, stdout=subprocess.DEVNULL)
    rows = [json.loads(line) for line in (folder / "tickets.jsonl").read_text("utf-8").splitlines()]
    return folder / "configuration.json", [Ticket(row["ticketId"], row["text"]) for row in rows]


def kill(chosen: argparse.Namespace, configuration: Path, tickets: list[Ticket], folder: Path) -> bool:
    killers = [
        Killer(Device(chosen.gate, configuration, store, folder / store), tickets, chosen.seed)
        for store in chosen.store or STORES
    ]
    threads = [threading.Thread(target=killer.run, args=(chosen.kills,)) for killer in killers]
    for thread in threads:
        thread.start()
    told = time.monotonic()
    while any(thread.is_alive() for thread in threads):
        time.sleep(0.2)
        if time.monotonic() - told > 30:
            told = time.monotonic()
            say(", ".join(f"{killer.tally.store} {killer.tally.kills} of {chosen.kills}" for killer in killers))
    print(HEADER)
    for killer in killers:
        if killer.error is None:
            print(killer.tally.row())
        else:
            print(f"{killer.tally.store}: after {killer.tally.kills} kills: {killer.error!r}")
    return all(killer.error is None for killer in killers)


def disturb(chosen: argparse.Namespace, configuration: Path, tickets: list[Ticket], folder: Path) -> bool:
    def device(store: str, place: Path) -> Device:
        return Device(chosen.gate, configuration, store, place / "data")

    def on_disk(work: Callable[[Device, list[Ticket], Path], str], size: str) -> Callable[[str, Path], str]:
        def run(store: str, place: Path) -> str:
            with faults.small_disk(place, size) as disk:
                return work(device(store, disk), tickets, disk)

        return run

    checks: list[Callable[[str, Path], str]] = [
        lambda store, place: faults.offline(device(store, place), tickets[:501]),
        on_disk(faults.full, "4m"),
        on_disk(faults.read_only, "8m"),
    ]
    sound = True
    for number, check in enumerate(checks):
        for store in chosen.store or STORES:
            place = folder / f"{number}-{store}"
            place.mkdir(parents=True)
            try:
                print(f"{store}: {check(store, place)}", flush=True)
            except faults.NotPermitted as refusal:
                print(f"{store}: SKIPPED, no small disk can be mounted here: {refusal}", flush=True)
            except Failed as failure:
                sound = False
                print(f"{store}: FAILED: {failure}", flush=True)
    return sound


def full_path(text: str) -> Path:
    return Path(text).resolve()


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gate", type=full_path, required=True, help="the tool")
    parser.add_argument("--backend", type=full_path, required=True, help="the folder of portico_backend")
    parser.add_argument("--work", type=full_path, required=True, help="a folder that is emptied")
    parser.add_argument("--kills", type=int, default=1_000, help="of each store")
    parser.add_argument("--store", choices=STORES, action="append", help="this one alone")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the moments")
    chosen = parser.parse_args()
    shutil.rmtree(chosen.work, ignore_errors=True)
    chosen.work.mkdir(parents=True)
    configuration, tickets = issue(
        sys.executable, chosen.backend, chosen.work / "issued", min(3_000, 800 + 25 * chosen.kills))
    say(f"{chosen.kills} kills a store, seed {chosen.seed}")
    sound = disturb(chosen, configuration, tickets, chosen.work / "faults")
    sound = kill(chosen, configuration, tickets, chosen.work / "kills") and sound
    if sound:
        shutil.rmtree(chosen.work)
    return 0 if sound else 1


sys.exit(main())
