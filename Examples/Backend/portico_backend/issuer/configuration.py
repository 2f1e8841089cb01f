"""The gate configuration of a plan, schema portico.gate/1."""

from typing import Any

from .plan import CLOSED_ZONE, EVENT_LASTS, STALE_AFTER, TIME_ZONE, TOLERANCE, Event, Plan


def configuration_json(plan: Plan) -> dict[str, Any]:
    served = [_event_json(event, plan) for event in plan.events]
    revoked: list[dict[str, Any]] = [{"ticketId": ticket} for ticket in plan.revoked]
    revoked += [{"ticketId": ticket, "issuedBefore": plan.now} for ticket in plan.reissued]
    if revoked:
        served[0]["revokedTickets"] = revoked
    return {
        "schema": "portico.gate/1",
        "version": plan.version,
        "issuedAt": plan.now,
        "staleAfter": plan.now + STALE_AFTER,
        "events": [*served, _event_json(plan.other, plan)],
    }


def _event_json(event: Event, plan: Plan) -> dict[str, Any]:
    gate_zone, *others = event.zones
    return {
        "eventId": event.event_id,
        "timeZone": TIME_ZONE,
        "ends": plan.now + EVENT_LASTS,
        "keys": [key.public_json() for key in event.keys],
        "zones": [
            {"zoneId": gate_zone, "admits": list(event.zones)},
            *({"zoneId": zone} for zone in others),
            {"zoneId": CLOSED_ZONE},
        ],
        "tolerance": TOLERANCE,
    }
