"""Messages: lists, states, counts."""

from typing import Any

import pytest
from inbox import Inbox, Recipient

FULL: dict[str, Any] = {
    "id": "full-1",
    "kind": "kind-of-tomorrow",
    "title": "t" * 256,
    "body": "",
    "blocks": [{"type": "text", "text": "a"}, {"type": "hologram", "depth": [1, None]}],
    "link": "shieldai://alert/123",
    "createdAt": "2024-02-29T23:59:59Z",
    "expiresAt": "9999-12-31T23:59:59Z",
    "actions": [{"id": "go", "label": "Go", "kind": "teleport", "url": "https://example.org/?q=1"}],
    "data": {"deep": {"number": 1.5, "text": "\u2028"}},
    "memberOfTomorrow": {"kept": True},
}


def ids(page: Any) -> list[str]:
    return [message["id"] for message in page["messages"]]


def test_a_message_arrives_as_it_was_sent(anna: Recipient) -> None:
    sent = anna.send(**FULL)
    states = {"readAt": None, "archivedAt": None, "revision": 1}
    assert sent == {**FULL, **states}
    assert anna.get("/messages/full-1") == sent
    assert anna.get("/messages")["messages"] == [sent]


def test_a_message_gets_what_it_lacks(anna: Recipient) -> None:
    message = anna.send()
    assert (message["actions"], message["expiresAt"]) == ([], None)
    assert "blocks" not in message
    assert "link" not in message


def test_what_is_the_services_cannot_be_sent(anna: Recipient) -> None:
    message = anna.send(readAt="2024-01-01T00:00:00Z", archivedAt="2024-01-01T00:00:00Z", revision=7)
    assert (message["readAt"], message["archivedAt"], message["revision"]) == (None, None, 1)


def test_an_id_is_given_once(anna: Recipient) -> None:
    message = anna.send()
    draft = {"recipient": anna.name, "id": message["id"], "kind": "order", "title": "t", "body": "b"}
    answer = anna.inbox.operator("POST", "/messages", draft)
    assert (answer.status, answer.json["code"]) == (409, "conflict")


@pytest.mark.parametrize(
    "changes",
    [
        {"recipient": None},
        {"recipient": "a b"},
        {"id": ".."},
        {"id": ""},
        {"kind": "two words"},
        {"title": ""},
        {"title": "t" * 257},
        {"body": 7},
        {"blocks": [{}]},
        {"blocks": {}},
        {"link": "no scheme"},
        {"createdAt": "2026-02-30T00:00:00Z"},
        {"createdAt": "2026-07-04T18:00:00.000Z"},
        {"createdAt": None},
        {"actions": [{"id": "a", "label": "A"}]},
        {"actions": [{"id": "a", "label": "A", "kind": "open"}] * 11},
        {"data": []},
    ],
    ids=ascii,
)
def test_a_draft_of_another_shape_is_400(anna: Recipient, changes: dict[str, Any]) -> None:
    draft = {"recipient": anna.name, "kind": "order", "title": "t", "body": "b", **changes}
    assert anna.inbox.operator("POST", "/messages", draft).status == 400
    assert anna.get("/messages")["messages"] == []


def test_pages_go_from_new_to_old_and_what_arrives_meanwhile_moves_nothing(anna: Recipient) -> None:
    wanted = anna.send_many(5)
    first = anna.get("/messages?limit=2")
    anna.send(title="meanwhile")
    second = anna.get(f"/messages?limit=2&cursor={first['nextCursor']}")
    third = anna.get(f"/messages?limit=2&cursor={second['nextCursor']}")
    assert ids(first) + ids(second) + ids(third) == wanted
    assert third["nextCursor"] is None
    assert (first["unread"], third["unread"]) == (5, 6)


def test_a_page_ends_in_a_second_without_losing_what_shares_it(anna: Recipient) -> None:
    sent = [anna.send(id=f"{anna.name}-{letter}", createdAt="2026-01-01T00:00:00Z")["id"] for letter in "bca"]
    older = anna.send(createdAt="2025-12-31T23:59:59Z")["id"]
    seen, cursor = [], ""
    for _ in range(4):
        page = anna.get(f"/messages?limit=1{cursor}")
        seen += ids(page)
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == [*sorted(sent, reverse=True), older]


def test_a_page_holds_20_and_at_most_100(anna: Recipient) -> None:
    anna.send_many(21)
    assert len(ids(anna.get("/messages"))) == 20
    for query in (
        "limit=0",
        "limit=101",
        "limit=1.0",
        "limit=",
        "limit=1&limit=2",
        "filter=all",
        "cursor=x",
        "cursor=",
    ):
        assert anna.call("GET", f"/messages?{query}").status == 400


def test_filters(anna: Recipient) -> None:
    plain, read, archived, both = (anna.send()["id"] for _ in range(4))
    for message_id, calls in ((read, ["read"]), (archived, ["archive"]), (both, ["read", "archive"])):
        for call in calls:
            anna.post(f"/messages/{message_id}/{call}")
    assert set(ids(anna.get("/messages?filter=inbox"))) == {plain, read}
    assert set(ids(anna.get("/messages?filter=unread"))) == {plain}
    assert set(ids(anna.get("/messages?filter=archived"))) == {archived, both}
    assert anna.get("/messages")["unread"] == 1


@pytest.mark.parametrize(
    ("there", "back", "member"), [("read", "unread", "readAt"), ("archive", "unarchive", "archivedAt")]
)
def test_a_state_is_set_and_unset_and_again_changes_nothing(
    anna: Recipient, there: str, back: str, member: str
) -> None:
    message = anna.send()
    path = f"/messages/{message['id']}"
    first = anna.post(f"{path}/{there}")
    assert first["message"][member] is not None
    assert (first["message"]["revision"], first["unread"]) == (2, 0)
    assert anna.post(f"{path}/{there}") == first
    undone = anna.post(f"{path}/{back}")
    assert undone == {"message": {**message, "revision": 3}, "unread": 1, "unreadRevision": 3}
    assert anna.post(f"{path}/{back}") == undone


def test_archiving_does_not_mark_read(anna: Recipient) -> None:
    message = anna.send()
    assert anna.post(f"/messages/{message['id']}/archive")["message"]["readAt"] is None
    assert anna.post(f"/messages/{message['id']}/unarchive")["unread"] == 1


def test_all_or_all_up_to_a_time_are_marked_read(anna: Recipient) -> None:
    for day in (1, 2, 3):
        anna.send(createdAt=f"2026-01-0{day}T00:00:00Z")
    for body, changed, unread, revision in (
        ({"upTo": "2026-01-02T00:00:00Z"}, 2, 1, 4),
        ({}, 1, 0, 5),
        ({}, 0, 0, 5),
    ):
        answer = anna.post("/messages/read-all", body)
        assert answer == {"changed": changed, "unread": unread, "unreadRevision": revision}
    assert {message["revision"] for message in anna.get("/messages")["messages"]} == {2}
    assert anna.call("POST", "/messages/read-all", {"upTo": "today"}).status == 400
    assert anna.call("POST", "/messages/read-all", []).status == 400


def test_an_action_marks_read(anna: Recipient) -> None:
    message = anna.send(actions=[{"id": "go", "label": "Go", "kind": "custom"}])
    done = anna.post(f"/messages/{message['id']}/actions/go", {"customId": "table-12"})
    assert done["message"]["readAt"] is not None
    assert (done["message"]["revision"], done["unread"]) == (2, 0)
    assert anna.post(f"/messages/{message['id']}/actions/go", {}) == done
    assert anna.call("POST", f"/messages/{message['id']}/actions/stay", {}).status == 404
    assert anna.call("POST", f"/messages/{message['id']}/actions/go", {"customId": ""}).status == 400


def test_a_message_of_another_is_not_there(inbox: Inbox, anna: Recipient) -> None:
    theirs = inbox.recipient(f"{anna.name}-other").send()["id"]
    for method, path in (("GET", ""), ("POST", "/read"), ("POST", "/archive")):
        answer = anna.call(method, f"/messages/{theirs}{path}")
        assert (answer.status, answer.json["code"]) == (404, "notFound")
    assert anna.call("GET", "/messages/%ff%00").status == 404


def test_a_message_that_was_taken_back_is_gone(anna: Recipient) -> None:
    message = anna.send()
    path = f"/messages/{message['id']}"
    assert anna.inbox.operator("DELETE", path).status == 204
    assert anna.inbox.operator("DELETE", path).status == 404
    assert anna.call("GET", path).status == 404
    assert anna.get("/messages")["unread"] == 0


def test_an_expired_message_is_gone_and_not_counted(anna: Recipient) -> None:
    message = anna.send(expiresAt="2026-01-01T00:00:00Z")
    page = anna.get("/messages")
    assert (page["messages"], page["unread"]) == ([], 0)
    assert anna.call("POST", f"/messages/{message['id']}/read").status == 404
