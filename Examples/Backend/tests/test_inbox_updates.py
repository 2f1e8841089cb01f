"""The stream: what it tells, and that it tells it once and in order, whatever happens on the way."""

import concurrent.futures
import contextlib
import json
import re
import time

import pytest
from inbox import INBOX, Inbox, Recipient, told

OF_ANOTHER_DATABASE = "00000000-1"


def position(event_id: str) -> int:
    return int(event_id.partition("-")[2])


def test_it_begins_now_with_a_time_to_come_back_after_and_a_place_to_come_back_to(anna: Recipient) -> None:
    anna.send()
    with anna.updates() as stream:
        assert stream.status == 200
        assert stream.response.headers["Content-Type"] == "text/event-stream"
        assert stream.response.headers["Cache-Control"] == "no-store"
        assert stream.begins_after == anna.get("/messages")["lastEventId"]
        assert stream.blocks[0][0] == ("retry", "1000")
        assert stream.events == []


def test_the_time_to_come_back_after_is_an_option() -> None:
    with Inbox("--retry", "25") as inbox, inbox.recipient("anna").updates() as stream:
        assert stream.begins_after
        assert stream.blocks[0][0] == ("retry", "25")


def test_every_change_is_told_and_the_count_only_when_it_is_another(anna: Recipient) -> None:
    with anna.updates() as stream:
        message = anna.send(title="a")
        path = f"/messages/{message['id']}"
        for call in ("read", "read", "archive", "unread", "unarchive"):
            anna.post(f"{path}/{call}")
        anna.patch({"topics": {"offers": True}})
        anna.patch({"topics": {"offers": True}})
        anna.inbox.done("DELETE", path)
        events = stream.take(11)
    assert list(told(events)) == [
        ("message", ("a", 1)),
        ("unread", {"unread": 1}),
        ("message", ("a", 2)),
        ("unread", {"unread": 0}),
        ("message", ("a", 3)),
        ("message", ("a", 4)),
        ("message", ("a", 5)),
        ("unread", {"unread": 1}),
        ("preferences", anna.get("/preferences")),
        ("removed", {"id": message["id"]}),
        ("unread", {"unread": 0}),
    ]
    numbers = [position(event["id"]) for event in events]
    assert numbers == list(range(numbers[0], numbers[0] + 11))


def test_marking_all_read_tells_each_message_and_the_count_once(anna: Recipient) -> None:
    anna.send(title="a")
    anna.send(title="b")
    with anna.updates() as stream:
        assert stream.begins_after
        anna.post("/messages/read-all", {})
        assert list(told(stream.take(3))) == [
            ("message", ("a", 2)),
            ("message", ("b", 2)),
            ("unread", {"unread": 0}),
        ]


def test_others_are_not_told(inbox: Inbox, anna: Recipient) -> None:
    other = inbox.recipient(f"{anna.name}-other")
    with anna.updates() as stream:
        assert stream.begins_after
        other.send(title="theirs")
        anna.send(title="mine")
        assert list(told(stream.take(1))) == [("message", ("mine", 1))]


def test_a_message_that_expires_is_told(anna: Recipient) -> None:
    with anna.updates() as stream:
        assert stream.begins_after
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
        message = anna.send(title="a", expiresAt=soon)
        assert list(told(stream.take(4)))[1:] == [
            ("unread", {"unread": 1}),
            ("removed", {"id": message["id"]}),
            ("unread", {"unread": 0}),
        ]


# Coming back


def test_after_an_event_everything_later_comes_first(anna: Recipient) -> None:
    start = anna.get("/messages")["lastEventId"]
    anna.send(title="a")
    anna.send(title="b")
    with anna.updates(start) as stream:
        assert stream.begins_after == start
        anna.send(title="c")
        events = stream.take(6)
    assert [position(event["id"]) for event in events] == [1, 2, 3, 4, 5, 6]
    with anna.updates(events[3]["id"]) as stream:
        assert stream.take(2) == events[4:]


def test_the_place_of_a_list_is_the_place_where_a_stream_goes_on(anna: Recipient) -> None:
    anna.send(title="listed")
    page = anna.get("/messages")
    anna.send(title="told")
    with anna.updates(page["lastEventId"]) as stream:
        assert list(told(stream.take(1))) == [("message", ("told", 1))]


@pytest.mark.parametrize("last", [OF_ANOTHER_DATABASE, "", "nonsense", "{epoch}-99", "{epoch}-01", "{epoch}--1"])
def test_an_id_that_names_no_place_is_answered_by_a_resync(anna: Recipient, last: str) -> None:
    anna.send(title="a")
    place = anna.get("/messages")["lastEventId"]
    with anna.updates(last.replace("{epoch}", place.partition("-")[0])) as stream:
        [resync] = stream.take(1)
        assert resync == {"id": place, "event": "resync", "data": "{}"}
        assert stream.blocks[0] == [("retry", "1000")]
        anna.send(title="b")
        assert list(told(stream.take(2)[1:])) == [("message", ("b", 1))]


def test_the_newest_thousand_events_are_kept_and_no_more(anna: Recipient) -> None:
    anna.send_many(400)
    anna.post("/messages/read-all", {})
    place = anna.get("/messages")["lastEventId"]
    epoch, newest = place.partition("-")[0], position(place)
    assert newest == 400 * 2 + 400 + 1
    with anna.updates(f"{epoch}-{newest - 1000}") as stream:
        events = stream.take(1000)
        assert [position(event["id"]) for event in events] == list(range(newest - 999, newest + 1))
    with anna.updates(f"{epoch}-{newest - 1001}") as stream:
        assert stream.take(1)[0]["event"] == "resync"


def test_no_gap_and_no_repeat_while_others_write_and_the_reader_loses_its_connection(anna: Recipient) -> None:
    start = anna.get("/messages")["lastEventId"]
    anna.inbox.set_faults("stream-cut@1-:bytes=1500")
    seen: list[dict[str, str]] = []
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(anna.send_many, 20) for _ in range(4)]
        last = start
        while len(seen) < 160:
            with anna.updates(last) as stream:
                stream.rest()
                assert stream.broken
                for event in stream.events:
                    INBOX.check_event(event)
                seen += stream.events
                last = seen[-1]["id"] if seen else start
        for writer in writers:
            writer.result()
    assert [position(event["id"]) for event in seen] == list(range(1, len(seen) + 1))
    assert [data["unread"] for kind, data in told(seen) if kind == "unread"] == list(range(1, 81))


def test_many_readers_read_the_same(anna: Recipient) -> None:
    with contextlib.ExitStack() as open_streams:
        streams = [open_streams.enter_context(anna.updates()) for _ in range(5)]
        assert all(stream.begins_after for stream in streams)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: anna.send_many(10), range(3)))
        read = [stream.take(60) for stream in streams]
    assert all(events == read[0] for events in read)


# Silence and ends


def test_comments_come_while_nothing_happens(anna: Recipient) -> None:
    with anna.updates() as stream:
        assert stream.begins_after
        # A bell that stays rung would leave no pause for a comment.
        anna.send()
        stream.wait_for(lambda: stream.received.count(b": keep-alive\n\n") >= 3)
        assert len(stream.events) == 2


def test_a_stream_ends_in_order_when_its_token_expires(inbox: Inbox, anna: Recipient) -> None:
    anna.token = inbox.token(anna.name, 0.7)
    started = time.monotonic()
    with anna.updates() as stream:
        assert not stream.rest().broken
    assert 0.5 <= time.monotonic() - started < 3
    assert anna.call("GET", "/updates").json["code"] == "tokenExpired"


def test_nobody_waits_for_a_comment_to_be_told_or_sent_away() -> None:
    with Inbox("--keep-alive", "3600") as inbox:
        anna = inbox.recipient("anna")
        with anna.updates() as first, anna.updates() as second:
            assert first.begins_after == second.begins_after
            anna.send(title="a")
            assert first.take(2) == second.take(2)
            inbox.done("DELETE", "/tokens?recipient=anna")
            assert not first.rest().broken
            assert not second.rest().broken


def test_the_log_tells_of_a_stream_that_is_open_and_where_it_began(inbox: Inbox, anna: Recipient) -> None:
    with anna.updates(OF_ANOTHER_DATABASE) as stream:
        stream.take(1)
        [entry] = inbox.requests(anna.name)
        assert (entry["path"], entry["status"], entry["lastEventId"]) == (
            "/v1/inbox/updates",
            200,
            OF_ANOTHER_DATABASE,
        )


def test_the_data_are_json_in_one_line_of_utf_8(anna: Recipient) -> None:
    with anna.updates() as stream:
        assert stream.begins_after
        anna.send(title="line\nfeed\r\u2028é")
        event = stream.take(1)[0]
        assert json.loads(event["data"])["title"] == "line\nfeed\r\u2028é"
        assert "é".encode() in stream.received
        assert re.fullmatch(r"[0-9a-f]{8}-1", event["id"])
