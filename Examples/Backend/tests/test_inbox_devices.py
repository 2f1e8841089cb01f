"""Devices, and the consent to marketing."""

from typing import Any

import pytest
from inbox import Inbox, Recipient

PHONE = {
    "connectionId": "apns",
    "installationId": "B2A7F0C4-5D3E-4F7A-9C7B-1E2D3C4B5A69",
    "platform": "ios",
    "name": "Anna's phone",
    "token": "8f3a",
    "marketingConsent": False,
}


def for_operators(anna: Recipient) -> Any:
    return anna.inbox.done("GET", f"/devices?recipient={anna.name}")["devices"]


def test_a_phone_is_registered_once_and_replaced_after(anna: Recipient) -> None:
    first = anna.call("POST", "/devices/mobile", PHONE)
    assert first.status == 201
    device = first.json
    assert {name: device[name] for name in PHONE if name != "token"} == {
        name: value for name, value in PHONE.items() if name != "token"
    }
    again = anna.call(
        "POST",
        "/devices/mobile",
        {**PHONE, "name": "New name", "token": "9b", "marketingConsent": True, "consentEvidence": "a switch"},
    )
    assert again.status == 200
    assert again.json == {**device, "name": "New name", "marketingConsent": True}
    assert anna.get("/devices") == {"devices": [again.json]}
    assert for_operators(anna) == [{**again.json, "token": "9b", "consentEvidence": "a switch"}]


def test_what_a_second_registration_leaves_out_is_gone(anna: Recipient) -> None:
    anna.post("/devices/mobile", {**PHONE, "marketingConsent": True, "consentEvidence": "a switch"})
    anna.post("/devices/mobile", {name: value for name, value in PHONE.items() if name != "name"})
    [device] = for_operators(anna)
    assert (device["name"], device["marketingConsent"], device["consentEvidence"]) == (None, False, None)


@pytest.mark.parametrize("change", [{"connectionId": "fcm"}, {"installationId": "other"}])
def test_another_connection_or_installation_is_another_device(anna: Recipient, change: dict[str, str]) -> None:
    anna.post("/devices/mobile", PHONE)
    assert anna.call("POST", "/devices/mobile", {**PHONE, **change}).status == 201
    assert len(anna.get("/devices")["devices"]) == 2


def test_recipients_share_an_installation_and_not_the_device(inbox: Inbox, anna: Recipient) -> None:
    berta = inbox.recipient(f"{anna.name}-berta")
    mine, theirs = anna.post("/devices/mobile", PHONE), berta.post("/devices/mobile", PHONE)
    assert mine["id"] != theirs["id"]
    assert anna.call("DELETE", f"/devices/mobile/{theirs['id']}").status == 404


@pytest.mark.parametrize(
    "change",
    [
        {"marketingConsent": True},
        {"marketingConsent": None},
        {"marketingConsent": "true"},
        {"platform": ""},
        {"token": ""},
        {"token": "t" * 4097},
        {"connectionId": "a b"},
        {"installationId": None},
        {"name": ""},
        {"consentEvidence": ""},
    ],
    ids=ascii,
)
def test_a_registration_of_another_shape_is_400(anna: Recipient, change: dict[str, Any]) -> None:
    assert anna.call("POST", "/devices/mobile", {**PHONE, **change}).status == 400
    assert anna.get("/devices") == {"devices": []}


@pytest.mark.parametrize("missing", ["connectionId", "installationId", "platform", "token", "marketingConsent"])
def test_a_registration_names_all_that_it_must(anna: Recipient, missing: str) -> None:
    registration = {name: value for name, value in PHONE.items() if name != missing}
    assert anna.call("POST", "/devices/mobile", registration).status == 400


def test_devices_are_removed_as_what_they_are(anna: Recipient) -> None:
    phone = anna.post("/devices/mobile", PHONE)["id"]
    browser = anna.inbox.done("POST", "/devices/web-push", {"recipient": anna.name, "name": "Firefox"})["id"]
    assert {device["type"] for device in anna.get("/devices")["devices"]} == {"mobile", "webPush"}
    assert anna.call("DELETE", f"/devices/web-push/{phone}").status == 404
    assert anna.call("DELETE", f"/devices/mobile/{browser}").status == 404
    assert [anna.call("DELETE", f"/devices/mobile/{phone}").status for _ in range(2)] == [204, 404]
    assert [anna.call("DELETE", f"/devices/web-push/{browser}").status for _ in range(2)] == [204, 404]
    assert anna.get("/devices") == {"devices": []}
