"""What an issue consists of: its events, zones, keys and times, decided in one place."""

import random
from dataclasses import dataclass

from ..times import LATEST_SECOND
from .encoding import base64url
from .keys import EventKey

HOUR = 3600
DAY = 24 * HOUR

TIME_ZONE = "Europe/Vienna"
DEFAULT_EVENTS = ("summer-night",)
OTHER_EVENT = "winter-market"
"""In the configuration with zones of the same names, but not served by the gate."""

DEFAULT_ZONES = ("main", "vip")
CLOSED_ZONE = "backstage"
"""A zone that the gate does not admit."""

TOLERANCE = 120
STALE_AFTER = 7 * DAY
EVENT_LASTS = 3 * DAY

# The issuing of tickets goes back so far; the keys took turns at it.
SALE_BEGAN = 60 * DAY
KEY_ROTATED = 30 * DAY

REISSUED_TICKETS = 2
"""Revoked tickets of the kind whose later re-issue is valid (`issuedBefore`)."""


@dataclass(frozen=True, slots=True)
class Options:
    """Chosen on the command line. Shares are from 0 to 1; windows are in seconds around `now`."""

    tickets: int
    now: int
    events: tuple[str, ...] = DEFAULT_EVENTS
    zones: tuple[str, ...] = DEFAULT_ZONES
    categories: tuple[str, ...] = ()
    uses: int = 1
    window_before: int = 6 * HOUR
    window_after: int = 12 * HOUR
    version: int = 1
    revoked_tickets: int = 3
    retired_key_share: float = 0.2
    named_key_share: float = 0.5
    text_times_share: float = 0.1
    display_share: float = 0.3


@dataclass(frozen=True, slots=True)
class Event:
    event_id: str
    keys: tuple[EventKey, ...]
    zones: tuple[str, ...]
    """The first is the gate's, and admits the tickets of all; the others admit their own."""

    def key(self, status: str) -> EventKey:
        return next(key for key in self.keys if key.status == status)


@dataclass(frozen=True, slots=True)
class Plan:
    now: int
    version: int
    events: tuple[Event, ...]
    """Those that the gate serves."""
    other: Event
    revoked: tuple[str, ...]
    reissued: tuple[str, ...]
    """ticketIds of the first event, revoked where issued before `now`."""

    @property
    def gate_zone(self) -> str:
        return self.events[0].zones[0]


def draw_plan(options: Options, chance: random.Random) -> Plan:
    """Raises ValueError where the options contradict each other or leave the format's range."""
    _check(options)
    events = tuple(Event(name, _keys(name, options.now, chance), options.zones) for name in options.events)
    other = Event(OTHER_EVENT, _keys(OTHER_EVENT, options.now, chance), options.zones)
    return Plan(
        now=options.now,
        version=options.version,
        events=events,
        other=other,
        revoked=tuple(new_ticket_id(chance) for _ in range(options.revoked_tickets)),
        reissued=tuple(new_ticket_id(chance) for _ in range(REISSUED_TICKETS)),
    )


def new_ticket_id(chance: random.Random) -> str:
    # 96 random bits: a ticketId must not be guessable, and each character makes the code denser.
    return "t-" + base64url(chance.getrandbits(96).to_bytes(12, "big"))


def _keys(event_id: str, now: int, chance: random.Random) -> tuple[EventKey, ...]:
    return (
        EventKey.generate(f"{event_id}-2", "active", chance),
        EventKey.generate(f"{event_id}-1", "retired", chance, valid_from=now - SALE_BEGAN, valid_to=now - KEY_ROTATED),
        EventKey.generate(f"{event_id}-0", "revoked", chance),
    )


def _check(options: Options) -> None:
    if not 0 <= options.tickets <= 1_000_000:
        raise ValueError("tickets must be 0 to 1,000,000")
    if not SALE_BEGAN + DAY <= options.now <= LATEST_SECOND - 400 * DAY:
        raise ValueError("now must leave room for the sale before it and the event after it")
    if not 1 <= options.uses <= 1000:
        raise ValueError("uses must be 1 to 1000")
    if not options.events or not options.zones:
        raise ValueError("an issue needs an event and a zone")
    if not (0 <= options.window_before <= 365 * DAY and 0 <= options.window_after <= 365 * DAY):
        raise ValueError("a window reaches 0 to 8760 hours to each side")
    if options.version < 1 or options.revoked_tickets < 0:
        raise ValueError("version begins at 1, and revoked tickets at 0")
    for share in (
        options.retired_key_share, options.named_key_share, options.text_times_share, options.display_share
    ):  # fmt: skip
        if not 0 <= share <= 1:
            raise ValueError("shares are from 0 to 1")
    names = (*options.events, OTHER_EVENT), (*options.zones, CLOSED_ZONE), options.categories
    for group in names:
        if len(set(group)) != len(group):
            raise ValueError(f"names must differ: {', '.join(group)}")
        for name in group:
            # Shorter than the 128 bytes of an identifier: key names are made from event names.
            if not (1 <= len(name) <= 64 and name.isascii() and name.replace("-", "a").replace("_", "a").isalnum()):
                raise ValueError(f"name {name!r} must be 1 to 64 of A-Z a-z 0-9 _ -")
