"""The folder of an issue: configuration.json, keys.json, tickets.jsonl and the images."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .configuration import configuration_json
from .keys import EventKey
from .plan import Event, Plan
from .qrcodes import draw
from .tickets import IssuedTicket


def write_issue(folder: Path, plan: Plan, tickets: Iterable[IssuedTicket], with_images: bool) -> int:
    """Writes everything; gives the number of tickets. Raises OSError, and RuntimeError for an image."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_private(folder / "keys.json", json.dumps(_plan_json(plan), indent=2) + "\n")
    write_text(folder / "configuration.json", json.dumps(configuration_json(plan), indent=2) + "\n")
    lines = [ticket.json() for ticket in tickets]
    write_lines(folder / "tickets.jsonl", lines)
    if with_images:
        images = folder / "tickets"
        images.mkdir(exist_ok=True)
        draw((line["text"], images / f"{number:04d}.png") for number, line in enumerate(lines, start=1))
    return len(lines)


def read_plan(folder: Path) -> Plan:
    """Raises OSError, and ValueError for a file that an issue did not write."""
    try:
        described = json.loads((folder / "keys.json").read_text("utf-8"))
        return Plan(
            now=described["now"],
            version=described["version"],
            events=tuple(_event(event) for event in described["events"]),
            other=_event(described["other"]),
            revoked=tuple(described["revoked"]),
            reissued=tuple(described["reissued"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder / 'keys.json'} was not written by issue: {error!r}") from error


def read_tickets(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "tickets.jsonl").read_text("utf-8").split("\n") if line]


def write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    # Escaped to ASCII: hostile texts hold line separators and controls, and a line must stay a line.
    write_text(path, "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _write_private(path: Path, text: str) -> None:
    # Private from its first byte: a file that is made readable and then closed off could be read in between.
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    partial.replace(path)


def _plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "now": plan.now,
        "version": plan.version,
        "gate": {"events": [event.event_id for event in plan.events], "zone": plan.gate_zone},
        "events": [_event_json(event) for event in plan.events],
        "other": _event_json(plan.other),
        "revoked": plan.revoked,
        "reissued": plan.reissued,
    }


def _event_json(event: Event) -> dict[str, Any]:
    return {
        "eventId": event.event_id,
        "zones": event.zones,
        "keys": [key.private_json() for key in event.keys],
    }


def _event(described: dict[str, Any]) -> Event:
    return Event(
        described["eventId"],
        tuple(EventKey.from_private_json(key) for key in described["keys"]),
        tuple(described["zones"]),
    )
