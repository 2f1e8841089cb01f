"""The HTTP service: who may call what, and what befalls the call."""

import asyncio
import contextlib
import hmac
import secrets
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from ..problems import Problem
from ..serving import problems_as_answers, serve_on_loopback
from ..times import now_milliseconds, write_milliseconds
from .desk import Desk
from .faults import Drawn, InboxFaultPlan
from .operator_calls import OperatorCall, OperatorCalls
from .recipient_calls import RecipientCall, RecipientCalls
from .spoiling import answer_instead, token_problem
from .store import InboxStore
from .tokens import Token
from .wire import MAXIMUM_BODY

OPENAPI = Path(__file__).parent.parent.parent / "inbox-openapi.json"
_SWEEP_SECONDS = 1.0

_answering = problems_as_answers(
    {400: "badRequest", 404: "notFound", 405: "methodNotAllowed", 413: "tooLarge"},
    store_failed=Problem(503, "unavailable", "the store failed; the log says why", {"Retry-After": "1"}),
)


@dataclass(frozen=True, slots=True)
class InboxSettings:
    database: Path | None = None
    port: int = 0
    api_key: str | None = None
    keep_alive: float = 15.0
    retry_milliseconds: int = 1000
    faults: InboxFaultPlan | None = None


async def serve_inbox(settings: InboxSettings) -> None:
    """Serves on 127.0.0.1 until SIGTERM or SIGINT. Raises OSError (the port, the file)."""
    key = settings.api_key or secrets.token_urlsafe(24)
    # A key that was given is known to who needs it, and printing it would only spread it.
    notes = () if settings.api_key else (f"operator key {key}",)
    await serve_on_loopback(_application(settings, key), settings.port, *notes)


def _application(settings: InboxSettings, key: str) -> web.Application:
    desk = Desk(
        InboxStore(settings.database),
        settings.faults or InboxFaultPlan(),
        settings.keep_alive,
        settings.retry_milliseconds,
    )
    service = _InboxService(desk, key)
    application = web.Application(client_max_size=MAXIMUM_BODY, middlewares=[_answering])
    application.add_routes(service.routes())
    application.on_response_prepare.append(desk.log.note_status)
    application.on_shutdown.append(service.end_streams)
    application.cleanup_ctx.append(service.running)
    return application


class _InboxService:
    def __init__(self, desk: Desk, key: str) -> None:
        self._desk = desk
        self._key = key.encode()

    def routes(self) -> list[web.RouteDef]:
        of_recipients = RecipientCalls(self._desk).routes()
        of_operators = OperatorCalls(self._desk).routes()
        return [
            *(_route(method, "/v1/inbox" + path, self._for_recipients(call)) for method, path, call in of_recipients),
            _route("GET", "/v1/inbox/updates", self.stream),
            *(_route(method, "/v1/operator" + path, self._for_operators(call)) for method, path, call in of_operators),
            _route("GET", "/v1/health", self.get_health),
            _route("GET", "/openapi.json", self.get_openapi),
        ]

    async def stream(self, request: web.Request) -> web.StreamResponse:
        token = await self._token(request)
        self._desk.log.begin(request, token)
        _refuse_expired(token)
        plan = self._desk.faults
        drawn = plan.draw_for_stream()
        await _delay(drawn)
        if drawn.instead is not None:
            return await answer_instead(request, drawn.instead, None)
        return await self._desk.updates.stream(request, token, drawn, plan)

    async def get_health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "serverTime": write_milliseconds(now_milliseconds())})

    async def get_openapi(self, _: web.Request) -> web.Response:
        return web.Response(body=OPENAPI.read_bytes(), content_type="application/json")

    # Its life

    async def running(self, _: web.Application) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(self._sweep())
        yield
        sweeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeping
        await self._desk.close()

    async def end_streams(self, _: web.Application) -> None:
        self._desk.updates.close()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            # A store that fails says so to who asks; this one asks again.
            with contextlib.suppress(sqlite3.Error):
                await self._desk.run(lambda: self._desk.store.expire_messages(now_milliseconds()))

    # Who calls

    def _for_recipients(self, call: RecipientCall) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            token = await self._token(request)
            entry = self._desk.log.begin(request, token)
            _refuse_expired(token)
            await self._desk.log.read_body(request, entry)
            drawn = self._desk.faults.draw()
            await _delay(drawn)
            if drawn.instead is None:
                return await call(request, token.recipient)
            if not drawn.comes_after_storing:
                return await answer_instead(request, drawn.instead, None)
            try:
                right: web.StreamResponse = await call(request, token.recipient)
            except Problem as problem:
                right = problem.response()
            return await answer_instead(request, drawn.instead, right)

        return handle

    def _for_operators(self, call: OperatorCall) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            key = request.headers.get("X-Api-Key", "").encode("utf-8", "surrogateescape")
            if not hmac.compare_digest(key, self._key):
                detail = "X-Api-Key is missing or wrong"
                raise Problem(401, "keyInvalid", detail, {"WWW-Authenticate": "ApiKey"})
            return await call(request)

        return handle

    async def _token(self, request: web.Request) -> Token:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not text.strip():
            raise token_problem("tokenMissing", "a bearer token is missing")
        token = await self._desk.run(lambda: self._desk.store.token(text.strip()))
        if token is None:
            raise token_problem("tokenInvalid", "the token was never given")
        return token


def _route(method: str, path: str, handler: Handler) -> web.RouteDef:
    # No HEAD beside GET: that of a stream would not end.
    return web.route(method, path, handler, **({"allow_head": False} if method == "GET" else {}))


def _refuse_expired(token: Token) -> None:
    if token.expires_at <= now_milliseconds():
        raise token_problem("tokenExpired", "the token has expired")


async def _delay(drawn: Drawn) -> None:
    if drawn.delay_milliseconds:
        await asyncio.sleep(drawn.delay_milliseconds / 1000)
