"""The HTTP service: `POST /v1/scans` and what tests and reports ask beside it."""

import asyncio
import hmac
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from .distortion import distort
from .fault_language import Fault
from .faults import Drawn, FaultPlan
from .interruptions import CAPTIVE_PORTAL, break_off, hang_up, retry_after
from .problems import Problem
from .serving import StoreThread, problems_as_answers, serve_on_loopback
from .store import Receipt, RedemptionRow, Result, ScanStore, Statistics
from .times import now_milliseconds, write_milliseconds
from .wire import MAXIMUM_BODY, MAXIMUM_EVENTS, Batch, read_batch, read_json

OPENAPI = Path(__file__).parent.parent / "openapi.json"
MAXIMUM_SCANS_A_PAGE = 1000

_answering = problems_as_answers(
    {404: "notFound", 405: "methodNotAllowed", 413: "bodyTooLarge"},
    store_failed=Problem(503, "storeFailed", "the store failed; the log says why"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    database: Path
    port: int = 0
    token: str | None = None
    faults: FaultPlan | None = None
    allows_fault_control: bool = False


async def serve(settings: Settings) -> None:
    """Serves on 127.0.0.1 until SIGTERM or SIGINT. Raises OSError (the port, the file)."""
    await serve_on_loopback(_application(settings), settings.port)


def _application(settings: Settings) -> web.Application:
    service = _Service(settings)
    application = web.Application(client_max_size=MAXIMUM_BODY, middlewares=[_answering, service.authorised])
    application.add_routes(
        [
            web.post("/v1/scans", service.post_scans),
            web.get("/v1/scans", service.get_scans),
            web.get("/v1/health", service.get_health),
            web.get("/v1/statistics", service.get_statistics),
            web.get("/openapi.json", service.get_openapi),
        ]
    )
    if settings.allows_fault_control:
        application.add_routes([web.put("/v1/faults", service.put_faults)])
    application.on_cleanup.append(service.close)
    return application


class _Service:
    def __init__(self, settings: Settings) -> None:
        self._token = settings.token
        self._faults = settings.faults or FaultPlan()
        self._store = ScanStore(settings.database)
        self._thread = StoreThread()

    async def close(self, _: web.Application) -> None:
        await self._thread.run(self._store.close)
        self._thread.close()

    @web.middleware
    async def authorised(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self._token is not None and request.path not in {"/v1/health", "/openapi.json"}:
            scheme, _, token = request.headers.get("Authorization", "").partition(" ")
            right = hmac.compare_digest(token.strip().encode(), self._token.encode())
            if scheme.lower() != "bearer" or not right:
                raise Problem(401, "unauthorised", "a bearer token is missing or wrong", {"WWW-Authenticate": "Bearer"})
        return await handler(request)

    async def post_scans(self, request: web.Request) -> web.StreamResponse:
        batch = read_batch(await _json_body(request))
        self._refuse_poisoned(batch)
        drawn = self._faults.draw()
        if drawn.delay_milliseconds:
            await asyncio.sleep(drawn.delay_milliseconds / 1000)
        if drawn.instead is not None and not drawn.instead.after_store:
            return await _answer_instead(request, drawn.instead, b"")

        now = now_milliseconds()
        receipt = await self._thread.run(lambda: self._store.take(batch, now))
        body = self._receipt_body(receipt, now, batch, drawn)
        if drawn.instead is not None:
            return await _answer_instead(request, drawn.instead, body)
        return web.Response(body=body, content_type="application/json")

    async def get_scans(self, request: web.Request) -> web.Response:
        device_id = request.query.get("deviceId")
        if not device_id:
            raise Problem(400, "wrongParameter", "deviceId is missing")
        after = _number(request, "after", 0, 0, 2**53 - 1)
        limit = _number(request, "limit", MAXIMUM_EVENTS, 1, MAXIMUM_SCANS_A_PAGE)
        events, more = await self._thread.run(lambda: self._store.scans(device_id, after, limit))
        # The events are JSON already, and go out as they came in.
        text = f'{{"events":[{",".join(events)}],"more":{json.dumps(more)}}}'
        return web.Response(body=text.encode(), content_type="application/json")

    async def get_statistics(self, _: web.Request) -> web.Response:
        statistics = await self._thread.run(self._store.statistics)
        return web.json_response(_statistics_json(statistics, dict(self._faults.injected)))

    async def get_health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "serverTime": write_milliseconds(now_milliseconds())})

    async def get_openapi(self, _: web.Request) -> web.Response:
        return web.Response(body=OPENAPI.read_bytes(), content_type="application/json")

    async def put_faults(self, request: web.Request) -> web.Response:
        wanted = read_json(await _json_body(request))
        if not isinstance(wanted, dict):
            raise Problem(400, "wrongShape", "the body must be an object")
        specification, seed = wanted.get("faults"), wanted.get("seed", 0)
        if not isinstance(specification, str) or type(seed) is not int:
            raise Problem(400, "wrongShape", "faults must be a string, and seed an integer or absent")
        try:
            self._faults = FaultPlan(specification, seed)
        except ValueError as error:
            raise Problem(400, "wrongFaults", str(error)) from error
        return web.json_response({"faults": specification, "seed": seed})

    # Answering

    def _refuse_poisoned(self, batch: Batch) -> None:
        if not any(self._faults.poisons(marks) for marks in batch.marks):
            return
        self._faults.injected["poison"] += 1
        if len(batch.events) > 1:
            raise Problem(400, "poisoned", "an event in this batch cannot be processed")
        raise Problem(422, "poisoned", "this event cannot be processed")

    def _receipt_body(self, receipt: Receipt, now: int, batch: Batch, drawn: Drawn) -> bytes:
        answer = _receipt_json(receipt, now)
        for fault in drawn.in_receipt:
            distort(answer, fault, batch.device_id, self._faults.random)
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


# Requests


async def _json_body(request: web.Request) -> bytes:
    if request.content_type != "application/json":
        raise Problem(415, "wrongContentType", "the body must be application/json")
    try:
        return await request.read()
    except web.RequestPayloadError as error:
        raise Problem(400, "notJSON", f"the body cannot be read: {error}") from error


def _number(request: web.Request, name: str, default: int, low: int, high: int) -> int:
    text = request.query.get(name)
    if text is None:
        return default
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 16 else -1
    if not low <= value <= high:
        raise Problem(400, "wrongParameter", f"{name} must be an integer from {low} to {high}")
    return value


# Answers


def _receipt_json(receipt: Receipt, now: int) -> dict[str, Any]:
    return {
        "serverTime": write_milliseconds(now),
        "highestSequence": receipt.highest_sequence,
        "results": [_result_json(result) for result in receipt.results],
        "redemptions": [_redemption_json(row) for row in receipt.page.rows],
        "cursor": receipt.page.cursor,
        "more": receipt.page.more,
    }


def _result_json(result: Result) -> dict[str, Any]:
    return _without_absent({"id": result.id, "result": result.result, "code": result.code, "message": result.message})


def _redemption_json(row: RedemptionRow) -> dict[str, Any]:
    redemption = row.redemption
    return _without_absent(
        {
            "id": row.scan_id,
            "eventId": redemption.event_id,
            "ticketId": redemption.ticket_id,
            "deviceId": row.device_id,
            "gateId": redemption.gate_id,
            "zoneId": redemption.zone_id,
            "count": redemption.count,
            "at": redemption.at,
            "contentHash": redemption.content_hash,
        }
    )


def _without_absent(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _statistics_json(statistics: Statistics, injected: dict[str, int]) -> dict[str, Any]:
    return {
        "events": statistics.events,
        "distinctIds": statistics.distinct_ids,
        "received": statistics.received,
        "duplicatesReceived": statistics.duplicates,
        "divergentDuplicates": statistics.divergent_duplicates,
        "refused": statistics.refused,
        "redemptions": statistics.redemptions,
        "doubleAdmissions": statistics.double_admissions,
        "excessAdmissions": statistics.excess_admissions,
        "devices": [
            {"deviceId": tally.device_id, "events": tally.events, "highestSequence": tally.highest_sequence}
            for tally in statistics.devices
        ],
        "faultsInjected": injected,
    }


# Faults in place of a receipt


async def _answer_instead(request: web.Request, fault: Fault, receipt: bytes) -> web.StreamResponse:
    match fault.kind:
        case "html-200":
            return web.Response(body=CAPTIVE_PORTAL, content_type="text/html")
        case "drop":
            return hang_up(request)
        case "cut":
            return await break_off(request, receipt)
        case "429" | "429-date":
            return Problem(429, "tooManyRequests", "slow down", retry_after(fault)).response()
        case status:
            return Problem(int(status), "outOfOrder", "the service is out of order").response()
