"""Faults on demand."""

import email.utils
import http.client
import json
import time
from pathlib import Path
from typing import Any

import pytest
from service import Service, admitted, batch, schema_errors

from portico_backend.faults import FaultPlan


def raw_post(service: Service, device: str, *events: dict[str, Any]) -> tuple[int, str, bytes]:
    body = json.dumps(batch(device, *events)).encode()
    answer = service.raw("POST", "/v1/scans", body, {"Content-Type": "application/json"})
    return answer.status, answer.headers.get_content_type(), answer.body


@pytest.mark.parametrize(
    ("fault", "status", "stored"),
    [
        ("503@1", 503, False),
        ("500-after-store@1", 500, True),
        ("599@1", 599, False),
        ("429@1", 429, False),
        ("429-after-store@1", 429, True),
        ("html-200@1", 200, False),
        ("html-200-after-store@1", 200, True),
    ],
)
def test_an_answer_in_place_of_the_receipt(calm: Service, fault: str, status: int, stored: bool) -> None:
    device = fault.replace("@", "-")
    calm.set_faults(fault)
    event = admitted(device, 1, "a")
    got, content_type, _ = raw_post(calm, device, event)
    assert got == status
    assert content_type == ("text/html" if status == 200 else "application/problem+json")
    assert len(calm.scans(device)) == (1 if stored else 0)
    assert calm.upload(device, event)["results"][0]["result"] == ("duplicate" if stored else "accepted")


@pytest.mark.parametrize(("fault", "stored"), [("drop@1", False), ("drop-after-store@1", True), ("cut@1", True)])
def test_a_connection_that_breaks(calm: Service, fault: str, stored: bool) -> None:
    device = fault.replace("@", "-")
    calm.set_faults(fault)
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        raw_post(calm, device, admitted(device, 1, "a"))
    assert len(calm.scans(device)) == (1 if stored else 0)


def test_retry_after_comes_in_seconds_and_as_a_date(calm: Service) -> None:
    calm.set_faults("429@1:retry-after=7,429-date@2:retry-after=60")
    assert calm.post(batch("later")).headers["Retry-After"] == "7"
    answer = calm.post(batch("later"))
    when = email.utils.parsedate_to_datetime(answer.headers["Retry-After"]).timestamp()
    sent = email.utils.parsedate_to_datetime(answer.headers["Date"]).timestamp()
    assert 59 <= when - sent <= 61


def test_a_partial_receipt_leaves_out_a_share(calm: Service) -> None:
    calm.set_faults("partial@1:share=0.25")
    events = [admitted("partial", number, f"t{number}") for number in range(1, 9)]
    receipt = calm.upload("partial", *events)
    assert len(receipt["results"]) == 6
    assert len(calm.scans("partial")) == 8


def test_a_contradiction_gives_one_id_both_answers(calm: Service) -> None:
    calm.set_faults("contradict@1")
    receipt = calm.upload("contra", admitted("contra", 1, "a"))
    assert {result["result"] for result in receipt["results"]} == {"accepted", "refused"}
    assert len({result["id"] for result in receipt["results"]}) == 1


def test_foreign_ids_are_valid_and_were_never_sent(calm: Service) -> None:
    calm.set_faults("foreign@1")
    event = admitted("foreign", 1, "a")
    foreign = [result["id"] for result in calm.upload("foreign", event)["results"] if result["id"] != event["id"]]
    assert len(foreign) == 2
    assert all(schema_errors("EventId", identifier) == [] for identifier in foreign)


def test_hostile_redemptions_break_the_rules_and_flood(calm: Service) -> None:
    calm.set_faults("hostile-redemptions@1:rows=2000")
    status, _, body = raw_post(calm, "hostile")
    assert status == 200
    rows = json.loads(body)["redemptions"]
    assert sum(schema_errors("Redemption", row) != [] for row in rows[-2010:-2000]) >= 6
    assert any(row.get("deviceId") == "hostile" for row in rows)
    assert len(rows) >= 2010


def test_server_time_can_be_wrong(calm: Service) -> None:
    calm.set_faults("wrong-time@1:at=0,wrong-time@2:offset=86400")
    assert calm.upload("timed")["serverTime"] == "1970-01-01T00:00:00.000Z"
    tomorrow = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86400))
    assert calm.upload("timed")["serverTime"].startswith(tomorrow)


def test_a_slow_answer_is_late_and_right(calm: Service) -> None:
    calm.set_faults("slow@1:ms=200")
    started = time.monotonic()
    calm.upload("slow", admitted("slow", 1, "a"))
    assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize("mark", ["id", "ticketId", "claimed"])
def test_a_poisoned_event_spoils_its_batch_and_alone_itself(calm: Service, mark: str) -> None:
    device = f"poison-{mark}"
    bad = admitted(device, 2, f"bad-{mark}")
    if mark == "claimed":
        bad |= {"decision": "refused", "reason": "badSignature", "claimed": bad.pop("ticket")}
    good = admitted(device, 1, "good")
    calm.set_faults(f"poison={bad['id'] if mark == 'id' else f'bad-{mark}'}")
    assert calm.post(batch(device, good, bad)).status == 400
    assert calm.scans(device) == []
    assert calm.post(batch(device, bad)).status == 422
    assert calm.upload(device, good)["results"][0]["result"] == "accepted"


def test_requests_are_counted_from_one_and_ranges_may_be_open() -> None:
    plan = FaultPlan("503@1;3-4;7-")
    hits = [plan.draw().instead is not None for _ in range(9)]
    assert hits == [True, False, True, True, False, False, True, True, True]
    assert plan.injected == {"503": 6}


def test_a_seed_repeats_the_same_misfortunes_at_about_the_rate_that_was_asked() -> None:
    def run(seed: int) -> list[str]:
        plan = FaultPlan("503-after-store=0.3,drop=0.1,partial=0.2,slow=0.5:ms=0", seed)
        drawn = [plan.draw() for _ in range(2000)]
        return [one.instead.name if one.instead else "-".join(fault.kind for fault in one.in_receipt) for one in drawn]

    assert run(7) == run(7)
    assert run(7) != run(8)
    assert 520 <= run(7).count("503-after-store") <= 680


def test_the_first_of_the_list_that_hits_replaces_the_receipt() -> None:
    plan = FaultPlan("drop@1,503@1,partial@1")
    drawn = plan.draw()
    assert drawn.instead is not None
    assert drawn.instead.name == "drop"
    assert drawn.in_receipt == ()
    assert plan.injected == {"drop": 1}


@pytest.mark.parametrize(
    "specification",
    ["503", "404=1", "503=2", "503=x", "503@0", "drop=0.1:ms=3", "slow=1:ms=-1", "partial-after-store=1", "503=nan"],
)
def test_a_specification_that_cannot_be_read_is_refused(specification: str) -> None:
    with pytest.raises(ValueError, match="fault"):
        FaultPlan(specification)


def test_faults_are_controlled_only_where_that_was_allowed(calm: Service, database: Path) -> None:
    def put(service: Service, body: bytes) -> tuple[int, str]:
        answer = service.call("PUT", "/v1/faults", body, {"Content-Type": "application/json"})
        return answer.status, answer.json["code"]

    assert put(calm, b'{"faults":"404=1"}') == (400, "wrongFaults")
    assert put(calm, b'{"faults":7}') == (400, "wrongShape")
    with Service(database) as closed:
        assert put(closed, b'{"faults":""}') == (404, "notFound")


def test_injected_faults_are_counted(calm: Service) -> None:
    calm.set_faults("partial@1-2,slow@2:ms=0")
    calm.upload("counted")
    calm.upload("counted")
    assert calm.statistics()["faultsInjected"] == {"partial": 2, "slow": 1}
