"""Who may call what; bodies that are none; starting the service."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from inbox import KEY, MERGE_PATCH, Inbox, Recipient
from process import BACKEND

RECIPIENT_CALLS = [
    ("GET", "/messages"),
    ("GET", "/messages/a"),
    ("POST", "/messages/read-all"),
    *(("POST", f"/messages/a/{call}") for call in ("read", "unread", "archive", "unarchive", "actions/go")),
    ("GET", "/preferences"),
    ("PATCH", "/preferences"),
    ("GET", "/devices"),
    ("POST", "/devices/mobile"),
    ("DELETE", "/devices/mobile/a"),
    ("DELETE", "/devices/web-push/a"),
    ("GET", "/updates"),
]
OPERATOR_CALLS = [
    ("POST", "/tokens"),
    ("DELETE", "/tokens?recipient=a"),
    ("POST", "/messages"),
    ("DELETE", "/messages/a"),
    ("POST", "/devices/web-push"),
    ("GET", "/devices?recipient=a"),
    ("GET", "/requests?recipient=a"),
    ("GET", "/faults"),
    ("PUT", "/faults"),
]


@pytest.mark.parametrize(("method", "path"), RECIPIENT_CALLS)
def test_recipients_bring_a_token_that_holds(inbox: Inbox, method: str, path: str) -> None:
    expired = inbox.token("late", 0)
    for authorization, code, challenge in (
        (None, "tokenMissing", "Bearer"),
        ("Bearer", "tokenMissing", "Bearer"),
        (f"Basic {expired}", "tokenMissing", "Bearer"),
        ("Bearer nobody's", "tokenInvalid", 'Bearer error="invalid_token"'),
        (f"Bearer {KEY}", "tokenInvalid", 'Bearer error="invalid_token"'),
        (f"Bearer {expired}", "tokenExpired", 'Bearer error="invalid_token"'),
    ):
        headers = {"Authorization": authorization} if authorization is not None else {}
        answer = inbox.call(method, f"/v1/inbox{path}", None, headers)
        assert (answer.status, answer.json["code"], answer.headers["WWW-Authenticate"]) == (401, code, challenge)


@pytest.mark.parametrize(("method", "path"), OPERATOR_CALLS)
def test_operators_bring_the_key(inbox: Inbox, method: str, path: str) -> None:
    for key in ("", "wrong", KEY + "x", "é"):
        answer = inbox.operator(method, path, key=key)
        assert (answer.status, answer.json["code"]) == (401, "keyInvalid")


def test_a_token_expires_by_itself_and_by_its_operator(inbox: Inbox, anna: Recipient) -> None:
    other = inbox.token(anna.name)
    inbox.done("DELETE", f"/tokens?recipient={anna.name}")
    for token in (anna.token, other):
        anna.token = token
        assert anna.call("GET", "/messages").json["code"] == "tokenExpired"
    anna.token = inbox.token(anna.name)
    assert anna.call("GET", "/messages").status == 200


@pytest.mark.parametrize(
    "request_body",
    [{}, {"recipient": "a"}, {"recipient": "a", "expiresIn": -1}, {"recipient": "a", "expiresIn": True}],
    ids=ascii,
)
def test_a_token_for_nobody_or_no_time_is_400(inbox: Inbox, request_body: dict[str, object]) -> None:
    assert inbox.operator("POST", "/tokens", request_body).status == 400


@pytest.mark.parametrize(
    "path", ["/tokens", "/tokens?recipient=", "/tokens?recipient=a%20b", "/tokens?recipient=a&recipient=b"]
)
def test_a_query_names_one_recipient(inbox: Inbox, path: str) -> None:
    assert inbox.operator("DELETE", path).status == 400


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"\xff", b"[" * 100_000, b'{"a":1,"a":1}', b'{"a":NaN}', b'{"a":1e999}', b'{"a":"\\ud800"}'],
    ids=lambda body: ascii(body[:12]),
)
def test_a_body_that_is_no_json_is_400(anna: Recipient, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {anna.token}"}
    for method, path, content_type in (
        ("PATCH", "/preferences", MERGE_PATCH),
        ("POST", "/devices/mobile", "application/json"),
        ("POST", "/messages/read-all", "application/json"),
    ):
        answer = anna.inbox.call(method, f"/v1/inbox{path}", body, {**headers, "Content-Type": content_type})
        assert (answer.status, answer.json["code"]) == (400, "badRequest")


def test_a_body_over_one_mebibyte_is_413_and_one_of_another_name_is_415(anna: Recipient) -> None:
    large = anna.call("POST", "/devices/mobile", "x" * 1024 * 1024)
    assert (large.status, large.json["code"]) == (413, "tooLarge")
    other = anna.call("POST", "/devices/mobile", {}, "text/plain")
    assert (other.status, other.json["code"]) == (415, "unsupportedMediaType")


def test_other_paths_and_methods_are_problems_too(inbox: Inbox) -> None:
    for method, path, status, code in (
        ("GET", "/v1/inbox", 404, "notFound"),
        ("PUT", "/v1/inbox/messages", 405, "methodNotAllowed"),
        ("HEAD", "/v1/inbox/updates", 405, None),
        ("GET", "/v1/inbox/messages/read-all", 405, "methodNotAllowed"),
    ):
        answer = inbox.raw(method, path)
        assert (answer.status, answer.headers.get_content_type()) == (status, "application/problem+json")
        assert code is None or answer.json["code"] == code
    assert inbox.raw("GET", "/v1/inbox/messages/read-all").headers["Allow"] == "POST"


def test_the_log_tells_what_a_recipient_asked_byte_for_byte(inbox: Inbox, anna: Recipient) -> None:
    headers = {"Authorization": f"Bearer {anna.token}", "Content-Type": MERGE_PATCH}
    inbox.call("PATCH", "/v1/inbox/preferences", b'{ "quietHours":null }', headers)
    anna.call("GET", "/messages?limit=0")
    inbox.done("DELETE", f"/tokens?recipient={anna.name}")
    anna.call("POST", "/messages/a/read")
    absent = {"lastEventId": None, "contentType": None, "body": None}
    assert inbox.requests(anna.name) == [
        {
            **absent,
            "method": "PATCH",
            "path": "/v1/inbox/preferences",
            "status": 200,
            "contentType": MERGE_PATCH,
            "body": '{ "quietHours":null }',
        },
        {**absent, "method": "GET", "path": "/v1/inbox/messages?limit=0", "status": 400},
        {**absent, "method": "POST", "path": "/v1/inbox/messages/a/read", "status": 401},
    ]


# Starting


def test_a_database_keeps_what_was_answered_through_a_kill(database: Path) -> None:
    with Inbox("--database", str(database)) as first:
        anna = first.recipient("anna")
        message = anna.send()
        position = anna.get("/messages")["lastEventId"]
        first.stop(signal.SIGKILL)
    with Inbox("--database", str(database)) as again:
        anna = Recipient(again, "anna", anna.token)
        assert anna.get("/messages") == {
            "messages": [message],
            "nextCursor": None,
            "unread": 1,
            "unreadRevision": 1,
            "lastEventId": position,
        }


def test_a_key_is_made_and_printed_where_none_was_given() -> None:
    command = [sys.executable, "-m", "portico_backend", "inbox", "--port", "0"]
    with subprocess.Popen(command, cwd=BACKEND, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline(), process.stdout.readline()]
        process.terminate()
    assert re.fullmatch(r"listening on http://127\.0\.0\.1:\d+\n", lines[0])
    assert re.fullmatch(r"operator key [A-Za-z0-9_-]{32}\n", lines[1])


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--database", str(BACKEND)), str(BACKEND)), (("--faults", "weather=0.5"), "weather=0.5")],
)
def test_what_is_in_the_way_of_a_start_is_said(options: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "portico_backend", "inbox", "--port", "0", *options]
    finished = subprocess.run(command, cwd=BACKEND, capture_output=True, text=True, timeout=30, check=False)
    assert (finished.returncode, finished.stdout, len(finished.stderr.splitlines())) == (1, "", 1)
    assert finished.stderr.startswith("inbox: ")
    assert said in finished.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_service_and_its_streams_in_order(number: signal.Signals) -> None:
    with Inbox() as inbox, inbox.recipient("anna").updates() as stream:
        assert stream.begins_after
        assert inbox.stop(number) == ""
        assert inbox.process.returncode == 0
        assert not stream.rest().broken
