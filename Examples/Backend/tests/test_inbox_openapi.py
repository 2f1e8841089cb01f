"""inbox-openapi.json is sound, its examples are true, and the service serves it."""

import re
from typing import Any

import pytest
from inbox import INBOX, MERGE_PATCH, Inbox, Recipient
from openapi_spec_validator import validate

OPERATIONS = [
    (method, path, operation)
    for path, methods in INBOX.document["paths"].items()
    for method, operation in methods.items()
]


def test_the_document_is_valid_openapi() -> None:
    validate(INBOX.document)


def test_the_service_serves_it(inbox: Inbox) -> None:
    assert inbox.call("GET", "/openapi.json").json == INBOX.document
    assert inbox.call("GET", "/v1/health").json["status"] == "ok"


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_the_service_knows_every_operation(inbox: Inbox, method: str, path: str, operation: dict[str, Any]) -> None:
    answer = inbox.raw(method.upper(), re.sub(r"\{\w+\}", "a", path))
    assert answer.status == (200 if operation.get("security") == [] else 401)


def test_its_examples_keep_to_its_schemas() -> None:
    checked = 0
    for _, _, operation in OPERATIONS:
        for media_type in _media_types(operation):
            for example in media_type.get("examples", {}).values():
                assert INBOX.schema_errors(media_type["schema"]["$ref"].rsplit("/", 1)[1], example["value"]) == []
                checked += 1
    assert checked >= 10


def test_the_service_takes_its_examples(inbox: Inbox) -> None:
    anna = inbox.recipient("anna")
    actions = [{"id": "open", "label": "Open", "kind": "open"}]
    message_id = anna.send(actions=actions)["id"]
    for method, path, operation in OPERATIONS:
        for content_type, media_type in operation.get("requestBody", {}).get("content", {}).items():
            for example in media_type["examples"].values():
                filled = path.replace("{id}", message_id).replace("{actionId}", "open")
                if path.startswith("/v1/operator"):
                    inbox.done(method.upper(), filled.removeprefix("/v1/operator"), example["value"])
                else:
                    answer = anna.call(method.upper(), filled.removeprefix("/v1/inbox"), example["value"], content_type)
                    assert answer.status in {200, 201}, answer.body


def test_a_merge_patch_is_the_only_patch() -> None:
    patch = INBOX.document["paths"]["/v1/inbox/preferences"]["patch"]
    assert list(patch["requestBody"]["content"]) == [MERGE_PATCH]


@pytest.mark.parametrize(
    "time",
    [
        "1969-12-31T23:59:59Z",
        "2026-07-04T18:00:00.1Z",
        "2026-07-04 18:00:00Z",
        "2026-07-04T18:00:00+00:00",
        "٢026-07-04T18:00:00Z",
    ],
)
def test_schema_and_service_refuse_the_same_times(anna: Recipient, time: str) -> None:
    assert INBOX.schema_errors("Time", time) != []
    assert anna.call("POST", "/messages/read-all", {"upTo": time}).status == 400


@pytest.mark.parametrize(
    "cursor", ["0_a", "999999999999_a.b:c-d", "01_a", "1_", "_a", "1_.a", "1000000000000_a", "1_a\n"]
)
def test_schema_and_service_agree_on_cursors(anna: Recipient, cursor: str) -> None:
    # $ matches before a last line feed in Python, and only at the end in ECMA-262, whose patterns JSON Schema has.
    valid = INBOX.schema_errors("PageCursor", cursor) == [] and not cursor.endswith("\n")
    answer = anna.call("GET", f"/messages?cursor={cursor}".replace("\n", "%0A"))
    assert answer.status == (200 if valid else 400)


def _media_types(operation: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [operation.get("requestBody", {}), *(INBOX.resolved(part) for part in operation["responses"].values())]
    return [media_type for part in parts for media_type in part.get("content", {}).values()]
