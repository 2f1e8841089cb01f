"""Reads what recipients and operators send. `inbox-openapi.json` says the same in JSON Schema."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from .. import strict_json
from ..checks import Check, integer, matching, members_complaint, object_of
from ..problems import Problem
from ..times import read_second
from .devices import Registration
from .messages import FILTERS, FIRST_PAGE, Cursor, Draft
from .preferences import patch_complaint

MAXIMUM_BODY = 1024 * 1024
MAXIMUM_MESSAGES_A_PAGE = 100
MESSAGES_A_PAGE = 20
LONGEST_TOKEN_LIFE = 366 * 86_400
MERGE_PATCH = "application/merge-patch+json"

_ID = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}"
_OWN_MEMBERS = ("readAt", "archivedAt", "revision")


@dataclass(frozen=True, slots=True)
class TokenRequest:
    recipient: str
    expires_in: float


# Bodies


def read_draft(body: Mapping[str, Any]) -> Draft:
    _demand(members_complaint(body, _DRAFT, required=("recipient", "kind", "title", "body")))
    apart = {"recipient", "id", "createdAt", "expiresAt", *_OWN_MEMBERS}
    content = {name: value for name, value in body.items() if name not in apart}
    content.setdefault("actions", [])
    return Draft(
        recipient=body["recipient"],
        id=body.get("id"),
        created_at=_second(body.get("createdAt")),
        expires_at=_second(body.get("expiresAt")),
        content=content,
    )


def read_token_request(body: Mapping[str, Any]) -> TokenRequest:
    _demand(members_complaint(body, _TOKEN_REQUEST, required=("recipient", "expiresIn")))
    return TokenRequest(body["recipient"], body["expiresIn"])


def read_web_push(body: Mapping[str, Any]) -> tuple[str, str]:
    """The recipient, and the name of the browser."""
    _demand(members_complaint(body, {"recipient": _id, "name": _name}, required=("recipient", "name")))
    return body["recipient"], body["name"]


def read_faults(body: Mapping[str, Any]) -> tuple[str, int]:
    """A specification and its seed."""
    _demand(members_complaint(body, {"faults": _text(0, 4096), "seed": integer(-(2**53) + 1)}, required=("faults",)))
    return body["faults"], body.get("seed", 0)


def read_registration(body: Mapping[str, Any]) -> Registration:
    required = ("connectionId", "installationId", "platform", "token", "marketingConsent")
    _demand(members_complaint(body, _REGISTRATION, required))
    if body["marketingConsent"] and "consentEvidence" not in body:
        raise bad_request("consentEvidence is missing: there is no marketing without evidence of the consent")
    return Registration(
        connection_id=body["connectionId"],
        installation_id=body["installationId"],
        platform=body["platform"],
        name=body.get("name"),
        push_token=body["token"],
        marketing_consent=body["marketingConsent"],
        consent_evidence=body.get("consentEvidence"),
    )


def read_up_to(body: Mapping[str, Any]) -> int | None:
    _demand(members_complaint(body, {"upTo": _time}, required=()))
    return _second(body.get("upTo"))


def check_action(body: Mapping[str, Any]) -> None:
    _demand(members_complaint(body, {"customId": _text(1, 256)}, required=()))


def check_patch(patch: object) -> None:
    _demand(patch_complaint(patch))


async def object_body(request: web.Request) -> dict[str, Any]:
    value = await json_body(request, "application/json")
    if not isinstance(value, dict):
        raise bad_request("the body must be an object")
    return value


async def json_body(request: web.Request, content_type: str) -> Any:
    if request.content_type != content_type:
        # RFC 5789 §3.1: which patches would be taken.
        headers = {"Accept-Patch": MERGE_PATCH} if request.method == "PATCH" else None
        raise Problem(415, "unsupportedMediaType", f"the body must be {content_type}", headers)
    try:
        value = strict_json.read(await request.read())
        # What cannot be written again must not be stored: lone surrogates, and numbers beyond the largest.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except web.RequestPayloadError as error:
        raise bad_request(f"the body cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise bad_request(f"the body is not JSON: {error}") from error
    return value


# Queries


def page_asked_for(request: web.Request) -> tuple[str, Cursor, int]:
    """The filter, the place after which the page begins, and how many messages it holds."""
    chosen = _parameter(request, "filter")
    if chosen is not None and chosen not in FILTERS:
        raise bad_request(f"filter must be one of {', '.join(FILTERS)}")
    limit = _parameter(request, "limit")
    if limit is not None and not (re.fullmatch(r"[1-9]\d{0,2}", limit, re.ASCII) and int(limit) <= 100):
        raise bad_request(f"limit must be an integer from 1 to {MAXIMUM_MESSAGES_A_PAGE}")
    text = _parameter(request, "cursor")
    cursor = FIRST_PAGE if text is None else Cursor.read(text)
    if cursor is None:
        raise bad_request("cursor must be one that an earlier page gave")
    return chosen or FILTERS[0], cursor, int(limit or MESSAGES_A_PAGE)


def recipient_asked_for(request: web.Request) -> str:
    recipient = _parameter(request, "recipient")
    if recipient is None:
        raise bad_request("recipient is missing")
    _demand(members_complaint({"recipient": recipient}, {"recipient": _id}, required=()))
    return recipient


def path_id(request: web.Request, name: str) -> str:
    """What cannot be an id names nothing."""
    value = request.match_info[name]
    if re.fullmatch(_ID, value, re.ASCII) is None:
        raise Problem(404, "notFound", f"{name} names nothing")
    return value


def bad_request(detail: str) -> Problem:
    return Problem(400, "badRequest", detail)


def _parameter(request: web.Request, name: str) -> str | None:
    values = request.query.getall(name, [])
    if len(values) > 1:
        raise bad_request(f"{name} must be given once")
    return values[0] if values else None


def _demand(complaint: str | None) -> None:
    if complaint is not None:
        raise bad_request(complaint)


def _second(time: str | None) -> int | None:
    return None if time is None else read_second(time)


# What members must be


def _text(low: int, high: int) -> Check:
    def check(value: object) -> str | None:
        return None if isinstance(value, str) and low <= len(value) <= high else f"must be {low} to {high} characters"

    return check


def _list(high: int, item: Check) -> Check:
    def check(value: object) -> str | None:
        if not (isinstance(value, list) and len(value) <= high):
            return f"must be an array of at most {high}"
        return next((f"[{i}] {c}" for i, each in enumerate(value) if (c := item(each)) is not None), None)

    return check


def _or_null(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _boolean(value: object) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _time(value: object) -> str | None:
    if isinstance(value, str) and read_second(value) is not None:
        return None
    return "must be a real RFC 3339 time in UTC without fraction, as 2026-07-04T18:00:00Z"


def _life(value: object) -> str | None:
    # bool is an int to Python, and not to JSON.
    if type(value) in {int, float} and isinstance(value, int | float) and 0 <= value <= LONGEST_TOKEN_LIFE:
        return None
    return f"must be a number of seconds from 0 to {LONGEST_TOKEN_LIFE}"


def _any_object(value: object) -> str | None:
    return None if isinstance(value, dict) else "must be an object"


_id = matching(_ID, "1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or a digit")
_name = _text(1, 128)
# Sets that grow: a word of tomorrow is taken, a sentence is not.
_word = matching(r"[A-Za-z][A-Za-z0-9._-]{0,63}", "a word of 1 to 64 of A-Z a-z 0-9 . _ -")
_url = matching(r"[A-Za-z][A-Za-z0-9+.-]{0,31}:[!-~]{1,2000}", "an absolute URL of ASCII")

_TOKEN_REQUEST: Mapping[str, Check] = {"recipient": _id, "expiresIn": _life}
_DRAFT: Mapping[str, Check] = {
    "recipient": _id,
    "id": _id,
    "kind": _word,
    "title": _text(1, 256),
    "body": _text(0, 65_536),
    "blocks": _list(100, object_of({"type": _word}, required=("type",))),
    "link": _url,
    "createdAt": _time,
    "expiresAt": _or_null(_time),
    "actions": _list(
        10,
        object_of({"id": _id, "label": _text(1, 128), "kind": _word, "url": _url}, required=("id", "label", "kind")),
    ),
    "data": _any_object,
}
_REGISTRATION: Mapping[str, Check] = {
    "connectionId": _id,
    "installationId": _id,
    "platform": _word,
    "name": _name,
    "token": _text(1, 4096),
    "marketingConsent": _boolean,
    "consentEvidence": _text(1, 4096),
}
