"""How a receipt is spoilt on purpose. Each function changes the answer's JSON in place."""

import random
import uuid
from typing import Any

from .fault_language import Fault
from .times import read_milliseconds, write_milliseconds

_YEAR_2099 = 4_070_908_800_000


def distort(receipt: dict[str, Any], fault: Fault, device_id: str, chance: random.Random) -> None:
    match fault.kind:
        case "partial":
            _leave_out(receipt, fault.option("share", 0.5), chance)
        case "contradict":
            _contradict(receipt, chance)
        case "foreign":
            _add_foreign_results(receipt, chance)
        case "hostile-redemptions":
            _add_hostile_redemptions(receipt, device_id, int(fault.option("rows", 0)), chance)
        case "wrong-time":
            _shift_time(receipt, fault)


def _leave_out(receipt: dict[str, Any], share: float, chance: random.Random) -> None:
    results = receipt["results"]
    if results:
        left_out = set(chance.sample(range(len(results)), max(1, round(share * len(results)))))
        receipt["results"] = [result for index, result in enumerate(results) if index not in left_out]


def _contradict(receipt: dict[str, Any], chance: random.Random) -> None:
    results = receipt["results"]
    if results:
        event_id = chance.choice(results)["id"]
        results.append({"id": event_id, "result": "accepted"})
        results.append({"id": event_id, "result": "refused", "code": "contradiction", "message": "and accepted"})


def _add_foreign_results(receipt: dict[str, Any], chance: random.Random) -> None:
    for answer in ({"result": "accepted"}, {"result": "refused", "code": "foreign", "message": "never sent"}):
        receipt["results"].append({"id": _event_id(chance), **answer})


def _add_hostile_redemptions(receipt: dict[str, Any], device_id: str, good_rows: int, chance: random.Random) -> None:
    good = {
        "eventId": "elsewhere",
        "ticketId": "hostile",
        "deviceId": "another-device",
        "count": 1,
        "at": receipt["serverTime"],
    }
    rows: list[dict[str, Any]] = [
        {**good, "deviceId": device_id, "ticketId": "of-the-asking-device"},
        {**good, "count": -1},
        {**good, "count": 0},
        {**good, "count": 1_000_001},
        {**good, "ticketId": "control\u001b[2J"},
        {**good, "ticketId": ""},
        {**good, "at": "1969-12-31T23:59:59.000Z"},
        {**good, "at": "yesterday"},
        {**good, "at": write_milliseconds(_YEAR_2099), "ticketId": "of-2099"},
        {"eventId": "elsewhere"},
    ]
    rows += [{**good, "ticketId": f"flood-{index}"} for index in range(good_rows)]
    receipt["redemptions"] += [{"id": _event_id(chance), **row} for row in rows]


def _shift_time(receipt: dict[str, Any], fault: Fault) -> None:
    if "at" in fault.options:
        moment = fault.options["at"]
    else:
        moment = (read_milliseconds(receipt["serverTime"]) or 0) / 1000 + fault.option("offset", 86_400)
    receipt["serverTime"] = write_milliseconds(int(moment * 1000))


def _event_id(chance: random.Random) -> str:
    bits = chance.getrandbits(128)
    bits = bits & ~(0xF << 76) | 7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=bits))
