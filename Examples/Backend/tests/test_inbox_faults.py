"""Every fault of the inbox, and that nothing else goes wrong with it."""

import email.utils
import http.client
import json
import time

import pytest
from inbox import INBOX, Inbox, Recipient, told

from portico_backend.inbox.faults import InboxFaultPlan

# In place of an answer


@pytest.mark.parametrize(
    ("fault", "status", "done"),
    [
        ("401@1", 401, False),
        ("500@1", 500, False),
        ("503@1", 503, False),
        ("503-after-store@1", 503, True),
        ("599-after-store@1", 599, True),
        ("429@1", 429, False),
        ("429-date@1", 429, False),
        ("429-after-store@1", 429, True),
        ("html-200@1", 200, False),
        ("html-502@1", 502, False),
        ("html-502-after-store@1", 502, True),
        ("redirect@1", 307, False),
        ("nonsense@1", 200, True),
        ("wrong-type@1", 200, True),
    ],
)
def test_an_answer_in_place_of_the_right_one(anna: Recipient, fault: str, status: int, done: bool) -> None:
    message = anna.send()
    anna.inbox.set_faults(fault)
    answer = anna.raw("POST", f"/messages/{message['id']}/read")
    assert answer.status == status
    if status in {401, 429, 500, 503, 599}:
        INBOX.check("POST", "/v1/inbox/messages/a/read", answer)
    assert anna.get(f"/messages/{message['id']}")["revision"] == (2 if done else 1)
    assert anna.inbox.done("GET", "/faults")["injected"] == {fault.partition("@")[0]: 1}


@pytest.mark.parametrize(("fault", "done"), [("drop@1", False), ("drop-after-store@1", True), ("cut@1", True)])
def test_a_connection_that_breaks(anna: Recipient, fault: str, done: bool) -> None:
    message = anna.send()
    anna.inbox.set_faults(fault)
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        anna.raw("POST", f"/messages/{message['id']}/read")
    assert anna.get(f"/messages/{message['id']}")["revision"] == (2 if done else 1)
    logged = anna.inbox.requests(anna.name)[0]["status"]
    assert logged == (200 if fault == "cut@1" else None)


def test_what_is_spoilt_about_an_answer(anna: Recipient) -> None:
    anna.inbox.set_faults("html-200@1,html-502@2,nonsense@3,wrong-type@4,401@5")
    portal, proxy, nonsense, wrong, refused = (anna.raw("GET", "/preferences") for _ in range(5))
    assert portal.headers.get_content_type() == proxy.headers.get_content_type() == "text/html"
    assert nonsense.headers.get_content_type() == "application/json"
    with pytest.raises(ValueError, match=r"decode|Expecting"):
        json.loads(nonsense.body)
    assert (wrong.headers.get_content_type(), wrong.json) == ("text/plain", anna.get("/preferences"))
    assert (refused.json["code"], refused.headers["WWW-Authenticate"]) == (
        "tokenExpired",
        'Bearer error="invalid_token"',
    )


def test_retry_after_comes_in_seconds_and_as_a_date(anna: Recipient) -> None:
    anna.inbox.set_faults("429@1:retry-after=7,503@2:retry-after=0,429-date@3:retry-after=60")
    assert anna.call("GET", "/messages").headers["Retry-After"] == "7"
    assert anna.call("GET", "/messages").headers["Retry-After"] == "0"
    answer = anna.call("GET", "/messages")
    when = email.utils.parsedate_to_datetime(answer.headers["Retry-After"]).timestamp()
    sent = email.utils.parsedate_to_datetime(answer.headers["Date"]).timestamp()
    assert 59 <= when - sent <= 61


def test_a_redirect_leads_to_another_origin(anna: Recipient) -> None:
    anna.inbox.set_faults("redirect@1,redirect@2:port=9,stream-redirect@1:port=9")
    paths = [anna.raw("GET", "/messages?limit=1").headers["Location"] for _ in range(2)]
    assert paths == [
        f"http://localhost:{anna.inbox.port}/v1/inbox/messages?limit=1",
        "http://127.0.0.1:9/v1/inbox/messages?limit=1",
    ]
    with anna.updates() as stream:
        assert (stream.status, stream.response.headers["Location"]) == (307, "http://127.0.0.1:9/v1/inbox/updates")


def test_a_slow_answer_is_late_and_right(anna: Recipient) -> None:
    anna.inbox.set_faults("slow@1:ms=200,stream-slow@1:ms=200")
    for ask in (lambda: anna.get("/messages"), lambda: anna.updates().__exit__(None, None, None)):
        started = time.monotonic()
        ask()
        assert time.monotonic() - started >= 0.2


def test_operators_and_who_has_no_token_are_not_counted(inbox: Inbox, anna: Recipient) -> None:
    inbox.set_faults("503@1")
    inbox.call("GET", "/v1/inbox/messages")
    anna.send()
    with anna.updates() as stream:
        assert stream.status == 200
    assert anna.call("GET", "/messages").status == 503


# In place of a stream


@pytest.mark.parametrize(
    ("fault", "status", "content_type"),
    [
        ("stream-401", 401, "application/problem+json"),
        ("stream-500", 500, "application/problem+json"),
        ("stream-503", 503, "application/problem+json"),
        ("stream-429", 429, "application/problem+json"),
        ("stream-429-date", 429, "application/problem+json"),
        ("stream-wrong-type", 200, "text/html"),
    ],
)
def test_an_answer_in_place_of_a_stream(anna: Recipient, fault: str, status: int, content_type: str) -> None:
    anna.inbox.set_faults(f"{fault}@1")
    with anna.updates() as stream:
        assert (stream.status, stream.response.headers.get_content_type()) == (status, content_type)
        assert ("Retry-After" in stream.response.headers) == (status in {429, 503})
    with anna.updates() as stream:
        assert stream.begins_after


def test_a_stream_that_is_not_to_be_asked_for_again(anna: Recipient) -> None:
    anna.inbox.set_faults("stream-204@1")
    assert anna.call("GET", "/updates").status == 204


def test_a_stream_that_does_not_begin(anna: Recipient) -> None:
    anna.inbox.set_faults("stream-drop@1")
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        anna.updates()


# To a stream


def start_of(anna: Recipient) -> str:
    """A place before two events of the message `Grüße`."""
    place: str = anna.get("/messages")["lastEventId"]
    anna.send()
    return place


def test_a_stream_that_ends_in_order_ends_after_what_there_was(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-end@1:ms=0")
    with anna.updates(start) as stream:
        assert not stream.rest().broken
        assert len(stream.take(2)) == 2


def test_a_stream_that_breaks_off_after_events(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-cut@1:events=1,stream-cut@2:events=0")
    for count in (1, 0):
        with anna.updates(start) as stream:
            assert stream.rest().broken
            assert len(stream.events) == count
            assert stream.received.endswith(b"\n\n")


def test_a_stream_that_breaks_off_after_bytes(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-cut@1:bytes=0,stream-cut@2:bytes=77")
    for size in (0, 77):
        with anna.updates(start) as stream:
            assert stream.rest().broken
            assert len(stream.received) == size


def test_a_stream_that_breaks_off_at_random_does_so_again_by_its_seed(anna: Recipient) -> None:
    start = anna.get("/messages")["lastEventId"]
    anna.send(body="b" * 3000)
    sizes = []
    for _ in range(2):
        anna.inbox.set_faults("stream-cut@1-3", seed=7)
        for _ in range(3):
            with anna.updates(start) as stream:
                assert stream.rest().broken
                sizes.append(len(stream.received))
    assert sizes[:3] == sizes[3:]
    assert len(set(sizes)) == 3
    assert max(sizes) < 2000


def test_a_stream_that_breaks_off_within_an_event(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-cut-within@1:events=1")
    with anna.updates(start) as stream:
        assert stream.rest().broken
        assert len(stream.events) == 1
        assert not stream.received.endswith(b"\n\n")


def test_a_stream_that_breaks_off_within_a_character(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-cut-utf8@1")
    with anna.updates(start) as stream:
        assert stream.rest().broken
        assert stream.received.endswith(b"Gr" + "ü".encode()[:1])


def test_silence_is_not_an_end(anna: Recipient) -> None:
    start = start_of(anna)
    anna.token = anna.inbox.token(anna.name, 1)
    anna.inbox.set_faults("stream-silence@1:events=1")
    with anna.updates(start) as stream:
        assert not stream.rest().broken
        assert len(stream.events) == 1
        assert b"keep-alive" not in stream.received


def test_every_byte_travels_alone(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-bytewise@1")
    with anna.updates(start) as stream:
        assert len(stream.take(2)) == 2
        assert stream.pieces >= 0.9 * len(stream.received)


@pytest.mark.parametrize(("fault", "line_end"), [("stream-crlf", b"\r\n"), ("stream-cr", b"\r")])
def test_lines_end_otherwise(anna: Recipient, fault: str, line_end: bytes) -> None:
    start = start_of(anna)
    anna.inbox.set_faults(f"{fault}@1")
    with anna.updates(start) as stream:
        assert [kind for kind, _ in told(stream.take(2))] == ["message", "unread"]
        assert b"\n" not in stream.received.replace(line_end, b"")


def test_events_of_tomorrow_come_between(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-unknown@1")
    with anna.updates(start) as stream:
        stream.wait_for(lambda: len(stream.events) >= 4)
        assert [event["event"] for event in stream.events] == ["tomorrow", "message", "tomorrow", "unread"]
        assert ("colour", "green") in stream.blocks[1]


def test_events_come_twice(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-repeat@1")
    with anna.updates(start) as stream:
        first, again, second, _ = stream.take(4)
        assert first == again != second


def test_an_event_may_be_large(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-large@1:bytes=100000")
    with anna.updates(start) as stream:
        stream.wait_for(lambda: len(stream.events) >= 3)
        assert (stream.events[0]["event"], stream.events[0]["data"]) == ("large", "x" * 100_000)
        assert [event["event"] for event in stream.events[1:]] == ["message", "unread"]


def test_several_befall_one_stream(anna: Recipient) -> None:
    start = start_of(anna)
    anna.inbox.set_faults("stream-cr@1,stream-bytewise@1,stream-repeat@1,stream-cut@1:events=2,503@1")
    with anna.updates(start) as stream:
        assert stream.rest().broken
        assert len(stream.events) == 4
    assert anna.call("GET", "/messages").status == 503


# The language


def test_requests_and_streams_are_counted_apart() -> None:
    plan = InboxFaultPlan("503@2,stream-503@1")
    assert plan.draw().instead is None
    of_stream = plan.draw_for_stream().instead
    assert of_stream is not None
    assert of_stream.name == "stream-503"
    assert plan.draw().instead is not None
    assert plan.injected == {"503": 1, "stream-503": 1}


def test_only_the_first_that_replaces_an_answer_does() -> None:
    plan = InboxFaultPlan("nonsense@1,503@1,slow@1:ms=5,stream-204@1,stream-cr@1")
    drawn, of_stream = plan.draw(), plan.draw_for_stream()
    assert drawn.instead is not None
    assert (drawn.instead.kind, drawn.delay_milliseconds) == ("nonsense", 5)
    assert of_stream.instead is not None
    assert of_stream.to_stream == {}
    assert plan.injected == {"nonsense": 1, "slow": 1, "stream-204": 1}


@pytest.mark.parametrize(
    "specification",
    ["503", "404=1", "503=2", "stream-204-after-store@1", "nonsense-after-store@1", "drop@1:ms=3", "stream-cut@1:ms=1"],
)
def test_a_specification_that_cannot_be_read_is_refused(inbox: Inbox, specification: str) -> None:
    with pytest.raises(ValueError, match="fault"):
        InboxFaultPlan(specification)
    answer = inbox.operator("PUT", "/faults", {"faults": specification})
    assert (answer.status, answer.json["code"]) == (400, "badRequest")


def test_faults_that_were_chosen_at_the_start_are_in_force() -> None:
    with Inbox("--faults", "503@1", "--fault-seed", "3") as inbox:
        assert inbox.done("GET", "/faults") == {"faults": "503@1", "seed": 3, "injected": {}}
        assert inbox.recipient("anna").call("GET", "/messages").status == 503
