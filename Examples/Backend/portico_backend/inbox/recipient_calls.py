"""What recipients call. Each answers the recipient whose token came with the request."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from ..times import LATEST_SECOND, now_milliseconds
from . import wire
from .answers import json_answer
from .desk import Desk
from .store import Changed

RecipientCall = Callable[[web.Request, str], Awaitable[web.StreamResponse]]
"""The string is the recipient."""


class RecipientCalls:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._store = desk.store

    def routes(self) -> list[tuple[str, str, RecipientCall]]:
        """Method, path, call; the paths without what all share."""
        return [
            ("GET", "/messages", self.list_messages),
            ("POST", "/messages/read-all", self.mark_all_read),
            # Not the path above by another name: it has no GET, and says so.
            ("GET", "/messages/{id:(?!read-all$)[^/]+}", self.get_message),
            *(
                ("POST", f"/messages/{{id}}/{name}", self._marking(column, marked))
                for name, column, marked in (
                    ("read", "read_at", True),
                    ("unread", "read_at", False),
                    ("archive", "archived_at", True),
                    ("unarchive", "archived_at", False),
                )
            ),
            ("POST", "/messages/{id}/actions/{actionId}", self.act),
            ("GET", "/preferences", self.get_preferences),
            ("PATCH", "/preferences", self.patch_preferences),
            ("GET", "/devices", self.list_devices),
            ("POST", "/devices/mobile", self.register),
            ("DELETE", "/devices/mobile/{id}", self._unregistering("mobile")),
            ("DELETE", "/devices/web-push/{id}", self._unregistering("webPush")),
        ]

    # Messages

    async def list_messages(self, request: web.Request, recipient: str) -> web.Response:
        chosen, cursor, limit = wire.page_asked_for(request)
        page = await self._desk.run(lambda: self._store.page(recipient, chosen, cursor, limit, now_milliseconds()))
        return json_answer(
            {
                "messages": [message.json() for message in page.messages],
                "nextCursor": page.next_cursor,
                **page.unread.json(),
                "lastEventId": page.last_event_id,
            }
        )

    async def get_message(self, request: web.Request, recipient: str) -> web.Response:
        message_id = wire.path_id(request, "id")
        message = await self._desk.run(lambda: self._store.message(recipient, message_id, now_milliseconds()))
        return json_answer(message.json())

    def _marking(self, column: str, marked: bool) -> RecipientCall:
        async def mark(request: web.Request, recipient: str) -> web.Response:
            message_id = wire.path_id(request, "id")
            changed = await self._desk.run(
                lambda: self._store.mark(recipient, message_id, column, marked, now_milliseconds())
            )
            return _changed_answer(changed)

        return mark

    async def mark_all_read(self, request: web.Request, recipient: str) -> web.Response:
        up_to = wire.read_up_to(await wire.object_body(request))
        last = LATEST_SECOND if up_to is None else up_to
        changed, unread = await self._desk.run(lambda: self._store.mark_all_read(recipient, last, now_milliseconds()))
        return json_answer({"changed": changed, **unread.json()})

    async def act(self, request: web.Request, recipient: str) -> web.Response:
        wire.check_action(await wire.object_body(request))
        message_id, action_id = wire.path_id(request, "id"), wire.path_id(request, "actionId")
        changed = await self._desk.run(lambda: self._store.act(recipient, message_id, action_id, now_milliseconds()))
        return _changed_answer(changed)

    # Preferences

    async def get_preferences(self, _: web.Request, recipient: str) -> web.Response:
        return json_answer(await self._desk.run(lambda: self._store.preferences(recipient)))

    async def patch_preferences(self, request: web.Request, recipient: str) -> web.Response:
        patch = await wire.json_body(request, wire.MERGE_PATCH)
        wire.check_patch(patch)
        return json_answer(
            await self._desk.run(lambda: self._store.patch_preferences(recipient, patch, now_milliseconds()))
        )

    # Devices

    async def list_devices(self, _: web.Request, recipient: str) -> web.Response:
        devices = await self._desk.run(lambda: self._store.devices(recipient))
        return json_answer({"devices": [device.json() for device in devices]})

    async def register(self, request: web.Request, recipient: str) -> web.Response:
        wanted = wire.read_registration(await wire.object_body(request))
        device, is_new = await self._desk.run(lambda: self._store.register(recipient, wanted, now_milliseconds()))
        return json_answer(device.json(), status=201 if is_new else 200)

    def _unregistering(self, device_type: str) -> RecipientCall:
        async def unregister(request: web.Request, recipient: str) -> web.Response:
            device_id = wire.path_id(request, "id")
            await self._desk.run(lambda: self._store.unregister(recipient, device_type, device_id))
            return web.Response(status=204)

        return unregister


def _changed_answer(changed: Changed) -> web.Response:
    return json_answer({"message": changed.message.json(), **changed.unread.json()})
