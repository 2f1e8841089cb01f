"""The account of an evening: a good one is good in each row, and each thing that can be wrong makes one bad."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable

import pytest

from demo import FAULTS, Evening, summary

SHOWN = {"0001.png": {"expect": "admitted", "why": "genuine"}, "line 1": {"expect": "malformed", "why": "noise"}}


def ticket(name: str) -> dict:
    return {"eventId": "E", "ticketId": name, "uses": 1}


def event(sequence: int, **members: object) -> dict:
    return {"id": f"id-{sequence}", "sequence": sequence, "count": 1, "repeats": 0, "state": "delivered", **members}


def decision(sequence: int, origin: str, **members: object) -> dict:
    return {"id": f"id-{sequence}", "origin": origin, "outcome": "admitted", "microseconds": 900, **members}


def good() -> Evening:
    """Two tickets issued; of two hostile codes one is genuine."""
    evening = Evening(
        issued=Counter({("E", "a"): 1, ("E", "b"): 1}), hostile=2, killed_after=1,
        statistics={
            "events": 4, "distinctIds": 4, "duplicatesReceived": 2, "faultsInjected": {"any": len(FAULTS)}},
    )
    hostile = [
        decision(3, "0001.png", ticket=ticket("c")),
        decision(4, "line 1", outcome="refused", reason="malformed"),
    ]
    evening.compare(SHOWN, hostile)
    evening.shown = [decision(1, "a.png"), decision(2, "b.png"), *hostile]
    evening.recorded = [
        *(event(n, decision="admitted", ticket=ticket(name)) for n, name in enumerate("abc", 1)),
        event(4, decision="refused", reason="malformed"),
    ]
    return evening


def bad(evening: Evening) -> list[str]:
    return [name.strip() for name, _, is_good in summary(evening) if not is_good]


def test_a_good_evening_is_good_in_each_row() -> None:
    assert bad(good()) == []


def only_one_admitted(evening: Evening) -> None:
    for number, name in ((1, "b"), (2, "c")):
        evening.recorded[number] = event(number + 1, decision="refused", reason="expired", ticket=ticket(name))


def a_stranger_admitted(evening: Evening) -> None:
    evening.recorded[0]["ticket"] = ticket("x")


def one_admitted_twice(evening: Evening) -> None:
    evening.recorded[1]["ticket"] = ticket("a")


def another_reason(evening: Evening) -> None:
    evening.recorded[3]["reason"] = "expired"


def too_few_refused(evening: Evening) -> None:
    evening.refusals["malformed"] += 1


def one_lost(evening: Evening) -> None:
    evening.shown.append(decision(9, "z.png"))


def one_fault_not_played(evening: Evening) -> None:
    evening.statistics["faultsInjected"] = {"any": len(FAULTS) - 1}


def nothing_sent_again(evening: Evening) -> None:
    evening.statistics["duplicatesReceived"] = 0


@pytest.mark.parametrize(
    ("spoil", "row"),
    [
        (only_one_admitted, "not admitted, and should have been"),
        (a_stranger_admitted, "admitted, and should not have been"),
        (one_admitted_twice, "admitted twice"),
        (another_reason, "refused"),
        (too_few_refused, "refused"),
        (one_lost, "lost (shown, not in the store)"),
        (one_fault_not_played, "faults that the server played"),
        (nothing_sent_again, "sent again and recognised"),
    ],
)
def test_each_thing_that_is_wrong_makes_its_row_bad(spoil: Callable[[Evening], None], row: str) -> None:
    evening = copy.deepcopy(good())
    spoil(evening)
    assert row in bad(evening)


@pytest.mark.parametrize(
    ("decisions", "surprise"),
    [
        ([decision(4, "line 1")], "line 1 (noise): admitted, expected malformed"),
        ([decision(3, "0001.png", outcome="refused", reason="expired")], "0001.png (genuine): expired"),
        ([], "0001.png (genuine): no decision"),
        ([decision(5, "0007.png")], "0007.png: admitted, and nothing was shown there"),
    ],
)
def test_a_hostile_code_with_another_verdict_is_a_surprise(decisions: list[dict], surprise: str) -> None:
    evening = Evening()
    evening.compare(SHOWN, [{"ticket": ticket("c"), **given} for given in decisions])
    assert any(text.startswith(surprise) for text in evening.surprises)
    assert "surprise" in bad(evening)
