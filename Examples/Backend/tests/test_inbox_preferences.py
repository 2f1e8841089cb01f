"""Preferences, and the merge patches that change them."""

from typing import Any

import pytest
from inbox import MERGE_PATCH, Recipient

from portico_backend.inbox.preferences import merge_patch

INITIAL = {
    "channels": {"push": True, "email": True, "sms": True},
    "topics": {},
    "quietHours": None,
    "marketingLimit": None,
}
NIGHT = {"start": "22:00", "end": "07:00", "timeZone": "Europe/Berlin"}


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        # RFC 7396, appendix A.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_the_rfc(target: Any, patch: Any, result: Any) -> None:
    assert merge_patch(target, patch) == result


def test_what_is_absent_keeps_and_null_clears(anna: Recipient) -> None:
    assert anna.get("/preferences") == INITIAL
    assert anna.patch({"quietHours": NIGHT, "marketingLimit": {"count": 3, "period": "week"}})["quietHours"] == NIGHT
    kept = anna.patch({"channels": {"sms": False}, "topics": {"offers": True, "news": False}})
    assert kept == {
        "channels": {"push": True, "email": True, "sms": False},
        "topics": {"offers": True, "news": False},
        "quietHours": NIGHT,
        "marketingLimit": {"count": 3, "period": "week"},
    }
    cleared = anna.patch({"quietHours": None, "marketingLimit": None, "topics": {"news": None}})
    assert (cleared["quietHours"], cleared["marketingLimit"], cleared["topics"]) == (None, None, {"offers": True})
    assert anna.patch({}) == cleared == anna.get("/preferences")


def test_a_part_of_the_quiet_hours_is_merged(anna: Recipient) -> None:
    anna.patch({"quietHours": NIGHT})
    assert anna.patch({"quietHours": {"start": "23:30"}})["quietHours"] == {**NIGHT, "start": "23:30"}


def test_members_of_tomorrow_are_kept(anna: Recipient) -> None:
    anna.patch({"digest": {"at": "08:00"}, "channels": {"pigeon": True}})
    kept = anna.patch({"topics": {"offers": True}})
    assert kept["digest"] == {"at": "08:00"}
    assert kept["channels"]["pigeon"] is True
    assert "digest" not in anna.patch({"digest": None})


@pytest.mark.parametrize(
    "patch",
    [
        None,
        [],
        "quiet",
        {"channels": None},
        {"channels": {"push": None}},
        {"channels": {"push": 1}},
        {"channels": []},
        {"topics": None},
        {"topics": {"offers": "yes"}},
        {"quietHours": []},
        {"quietHours": {**NIGHT, "start": "24:00"}},
        {"quietHours": {**NIGHT, "start": "7:00"}},
        {"quietHours": {**NIGHT, "start": "07:60"}},
        {"quietHours": {**NIGHT, "start": "٠٧:٠٠"}},
        {"quietHours": {**NIGHT, "start": None}},
        {"quietHours": {**NIGHT, "start": "07:00"}},
        {"quietHours": {**NIGHT, "timeZone": "Europe/Atlantis"}},
        {"quietHours": {**NIGHT, "timeZone": "../etc/passwd"}},
        {"marketingLimit": {"count": 0, "period": "day"}},
        {"marketingLimit": {"count": 1001, "period": "day"}},
        {"marketingLimit": {"count": 1.5, "period": "day"}},
        {"marketingLimit": {"count": True, "period": "day"}},
        {"marketingLimit": {"count": 1, "period": "year"}},
    ],
    ids=ascii,
)
def test_a_patch_that_is_wrong_in_itself_is_400_and_changes_nothing(anna: Recipient, patch: Any) -> None:
    beside = {"topics": {"offers": True}, **patch} if isinstance(patch, dict) else patch
    body_of = anna.call("PATCH", "/preferences", beside, MERGE_PATCH) if patch is not None else _null(anna)
    assert (body_of.status, body_of.json["code"]) == (400, "badRequest")
    assert anna.get("/preferences") == INITIAL


def _null(anna: Recipient) -> Any:
    headers = {"Authorization": f"Bearer {anna.token}", "Content-Type": MERGE_PATCH}
    return anna.inbox.call("PATCH", "/v1/inbox/preferences", b"null", headers)


@pytest.mark.parametrize(
    ("before", "patch"),
    [
        (None, {"quietHours": {"start": "22:00"}}),
        (None, {"quietHours": {}}),
        (NIGHT, {"quietHours": {"start": "07:00"}}),
        (None, {"marketingLimit": {"count": 3}}),
    ],
    ids=ascii,
)
def test_a_sound_patch_that_does_not_fit_is_409_and_changes_nothing(anna: Recipient, before: Any, patch: Any) -> None:
    preferences = anna.patch({"quietHours": before})
    answer = anna.call("PATCH", "/preferences", {"topics": {"offers": True}, **patch}, MERGE_PATCH)
    assert (answer.status, answer.json["code"]) == (409, "conflict")
    assert anna.get("/preferences") == preferences


def test_a_patch_must_be_called_one(anna: Recipient) -> None:
    answer = anna.call("PATCH", "/preferences", {}, "application/json")
    assert (answer.status, answer.headers["Accept-Patch"]) == (415, MERGE_PATCH)
