"""The stream of a recipient: what followed the event that the client names last, then what happens."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from aiohttp import web

from ..serving import StoreThread
from ..times import now_milliseconds
from .faults import Drawn, InboxFaultPlan
from .feed import FeedEvent, FeedPage
from .pen import Pen, StreamBroken
from .store import InboxStore
from .tokens import Token


class Bells:
    """Wakes the streams of a recipient. A bell that rang while nobody waited is heard by the next who waits."""

    def __init__(self) -> None:
        self._bells: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def ring(self, recipients: Iterable[str]) -> None:
        for recipient in recipients:
            for bell in self._bells.get(recipient, ()):
                bell.set()

    def ring_all(self) -> None:
        self.ring(tuple(self._bells))

    @contextmanager
    def listening(self, recipient: str) -> Iterator[asyncio.Event]:
        bell = asyncio.Event()
        self._bells[recipient].add(bell)
        try:
            yield bell
        finally:
            self._bells[recipient].discard(bell)
            if not self._bells[recipient]:
                del self._bells[recipient]


class Updates:
    def __init__(self, store: InboxStore, thread: StoreThread, keep_alive: float, retry_milliseconds: int) -> None:
        self.bells = Bells()
        self._store = store
        self._thread = thread
        self._keep_alive = keep_alive
        self._retry_milliseconds = retry_milliseconds
        self._closing = False

    def close(self) -> None:
        self._closing = True
        self.bells.ring_all()

    async def stream(
        self, request: web.Request, token: Token, drawn: Drawn, plan: InboxFaultPlan
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        # Listening comes first: what happens from here on is in what is read, or rings.
        with self.bells.listening(token.recipient) as bell:
            beginning = await self._thread.run(
                partial(
                    self._store.begin_stream,
                    token.recipient,
                    request.headers.get("Last-Event-ID"),
                    now_milliseconds(),
                )
            )
            await response.prepare(request)
            pen = Pen(response, request, drawn.to_stream, plan.random)
            try:
                await self._begin(pen, beginning)
                await self._go_on(pen, request, token, beginning.position, bell)
                await response.write_eof()
            except (StreamBroken, ConnectionError):
                # The client went away, or was sent away; it comes back with the id of its last event.
                pass
        return response

    async def _begin(self, pen: Pen, beginning: FeedPage) -> None:
        event_id = self._store.event_id(beginning.position)
        await pen.begin(self._retry_milliseconds, None if beginning.lost else event_id)
        if beginning.lost:
            await pen.event(FeedEvent(event_id, "resync", "{}"))

    async def _go_on(self, pen: Pen, request: web.Request, token: Token, position: int, bell: asyncio.Event) -> None:
        while not self._closing:
            # Silenced before reading: what comes after this is in the page, or rings again.
            bell.clear()
            page = await self._thread.run(partial(self._store.continue_stream, token, position, now_milliseconds()))
            if page is None:
                return
            position = page.position
            if page.lost:
                # A slow reader was overtaken by the end of what is kept.
                await pen.event(FeedEvent(self._store.event_id(position), "resync", "{}"))
            for event in page.events:
                await pen.event(event)
            if page.events:
                continue
            if pen.seconds_left == 0 or request.transport is None or request.transport.is_closing():
                return
            await self._wait(pen, token, bell)

    async def _wait(self, pen: Pen, token: Token, bell: asyncio.Event) -> None:
        """Until something happened, or a comment is due, or the stream is to end."""
        life = (token.expires_at - now_milliseconds()) / 1000
        ends = self._keep_alive if pen.seconds_left is None else pen.seconds_left
        try:
            await asyncio.wait_for(bell.wait(), max(0.0, min(self._keep_alive, life, ends)))
        except TimeoutError:
            if self._keep_alive <= min(life, ends):
                await pen.keep_alive()
