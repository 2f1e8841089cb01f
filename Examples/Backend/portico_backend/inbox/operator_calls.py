"""What the host's backend calls, with its key."""

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from ..times import now_milliseconds, write_second
from . import wire
from .answers import json_answer
from .desk import Desk
from .faults import InboxFaultPlan

OperatorCall = Callable[[web.Request], Awaitable[web.StreamResponse]]


class OperatorCalls:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._store = desk.store

    def routes(self) -> list[tuple[str, str, OperatorCall]]:
        """Method, path, call; the paths without what all share."""
        return [
            ("POST", "/tokens", self.make_token),
            ("DELETE", "/tokens", self.expire_tokens),
            ("POST", "/messages", self.send_message),
            ("DELETE", "/messages/{id}", self.remove_message),
            ("POST", "/devices/web-push", self.add_web_push),
            ("GET", "/devices", self.list_devices),
            ("GET", "/requests", self.list_requests),
            ("GET", "/faults", self.get_faults),
            ("PUT", "/faults", self.set_faults),
        ]

    async def make_token(self, request: web.Request) -> web.Response:
        wanted = wire.read_token_request(await wire.object_body(request))
        expires_at = now_milliseconds() + round(wanted.expires_in * 1000)
        token = await self._desk.run(lambda: self._store.make_token(wanted.recipient, expires_at))
        return json_answer({"token": token, "expiresAt": write_second(expires_at // 1000)}, status=201)

    async def expire_tokens(self, request: web.Request) -> web.Response:
        recipient = wire.recipient_asked_for(request)
        await self._desk.run(lambda: self._store.expire_tokens(recipient, now_milliseconds()))
        return web.Response(status=204)

    async def send_message(self, request: web.Request) -> web.Response:
        draft = wire.read_draft(await wire.object_body(request))
        message = await self._desk.run(lambda: self._store.add(draft, now_milliseconds()))
        return json_answer(message.json(), status=201)

    async def remove_message(self, request: web.Request) -> web.Response:
        message_id = wire.path_id(request, "id")
        await self._desk.run(lambda: self._store.remove(message_id, now_milliseconds()))
        return web.Response(status=204)

    async def add_web_push(self, request: web.Request) -> web.Response:
        recipient, name = wire.read_web_push(await wire.object_body(request))
        device = await self._desk.run(lambda: self._store.add_web_push(recipient, name, now_milliseconds()))
        return json_answer(device.json(), status=201)

    async def list_devices(self, request: web.Request) -> web.Response:
        recipient = wire.recipient_asked_for(request)
        devices = await self._desk.run(lambda: self._store.devices(recipient))
        return json_answer({"devices": [device.json_for_operators() for device in devices]})

    async def list_requests(self, request: web.Request) -> web.Response:
        recipient = wire.recipient_asked_for(request)
        return json_answer({"requests": [entry.json() for entry in self._desk.log.of(recipient)]})

    async def get_faults(self, _: web.Request) -> web.Response:
        return json_answer(self._faults_in_force())

    async def set_faults(self, request: web.Request) -> web.Response:
        specification, seed = wire.read_faults(await wire.object_body(request))
        try:
            self._desk.faults = InboxFaultPlan(specification, seed)
        except ValueError as error:
            raise wire.bad_request(str(error)) from error
        return json_answer(self._faults_in_force())

    def _faults_in_force(self) -> dict[str, Any]:
        plan = self._desk.faults
        return {"faults": plan.specification, "seed": plan.seed, "injected": dict(plan.injected)}
