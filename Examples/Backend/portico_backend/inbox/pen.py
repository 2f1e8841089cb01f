"""Writes a stream of server-sent events (WHATWG HTML §9.2), well or as its faults have it."""

import asyncio
import random
import time
from collections.abc import Mapping

from aiohttp import web

from ..fault_language import Fault
from .feed import FeedEvent

_OF_TOMORROW = "colour: green\nevent: tomorrow\ndata: not JSON\ndata\n\n"
_RANDOM_CUT = 2000


class StreamBroken(Exception):  # noqa: N818 (not an error: what was asked for)
    """The connection was closed in the midst of the stream."""


class Pen:
    """Raises StreamBroken when a fault breaks the stream off."""

    def __init__(
        self, response: web.StreamResponse, request: web.Request, faults: Mapping[str, Fault], chance: random.Random
    ) -> None:
        self._response = response
        self._request = request
        self._faults = faults
        self._events = 0
        self._bytes = 0
        self._bytes_until_cut = self._length(chance)
        self._ends_at = time.monotonic() + faults["end"].option("ms", 0) / 1000 if "end" in faults else None
        self._line_end = b"\r\n" if "crlf" in faults else b"\r" if "cr" in faults else b"\n"

    @property
    def seconds_left(self) -> float | None:
        """Until the stream is to end in order; None: it is not to."""
        return None if self._ends_at is None else max(0.0, self._ends_at - time.monotonic())

    async def begin(self, retry_milliseconds: int, event_id: str | None) -> None:
        # An id without data makes no event, and is remembered (§9.2.6): a client that loses the connection before
        # its first event comes back to where it began.
        remembered = "" if event_id is None else f"id: {event_id}\n"
        await self._write(f"retry: {retry_milliseconds}\n{remembered}\n".encode())
        if "large" in self._faults:
            size = int(self._faults["large"].option("bytes", 1024 * 1024))
            await self._write(b"event: large\ndata: " + b"x" * size + b"\n\n")
        await self._break_off_after_events()

    async def event(self, event: FeedEvent) -> None:
        if self._is_silent:
            return
        if "unknown" in self._faults:
            await self._write(_OF_TOMORROW.encode())
        text = f"id: {event.id}\nevent: {event.type}\ndata: {event.data}\n\n".encode()
        await self._break_off_within(text)
        await self._write(text)
        if "repeat" in self._faults:
            await self._write(text)
        self._events += 1
        await self._break_off_after_events()

    async def keep_alive(self) -> None:
        if not self._is_silent:
            await self._write(b": keep-alive\n\n")

    # Faults

    @property
    def _is_silent(self) -> bool:
        return "silence" in self._faults and self._events >= self._faults["silence"].option("events", 0)

    def _length(self, chance: random.Random) -> int | None:
        cut = self._faults.get("cut")
        if cut is None or "events" in cut.options:
            return None
        return int(cut.option("bytes", chance.randrange(_RANDOM_CUT)))

    async def _break_off_after_events(self) -> None:
        cut = self._faults.get("cut")
        if cut is not None and self._events >= cut.option("events", float("inf")):
            await self._break_off()

    async def _break_off_within(self, text: bytes) -> None:
        within = self._faults.get("cut-within")
        if within is not None and self._events >= within.option("events", 0):
            await self._write(text[: len(text) // 2])
            await self._break_off()
        several = next((index for index, byte in enumerate(text) if byte >= 0xC0), None)
        if "cut-utf8" in self._faults and several is not None:
            await self._write(text[: several + 1])
            await self._break_off()

    async def _break_off(self) -> None:
        if self._request.transport is not None:
            # close, not abort: what was written must still arrive.
            self._request.transport.close()
        raise StreamBroken

    # Bytes

    async def _write(self, text: bytes) -> None:
        # The data is JSON in one line, so that every line feed here ends a line.
        text = text.replace(b"\n", self._line_end)
        left = None if self._bytes_until_cut is None else self._bytes_until_cut - self._bytes
        piece = text if left is None else text[:left]
        self._bytes += len(piece)
        if "bytewise" in self._faults:
            for index in range(len(piece)):
                await self._response.write(piece[index : index + 1])
                # One segment each: the loop must not gather them.
                await asyncio.sleep(0)
        elif piece:
            await self._response.write(piece)
        if left is not None and left <= len(text):
            await self._break_off()
