"""Answers that never come, come in half, or ask for patience."""

import email.utils

from aiohttp import web

from .fault_language import Fault
from .times import now_milliseconds

CAPTIVE_PORTAL = b"<!doctype html><title>Welcome</title><p>Please accept the terms to use this network."


def hang_up(request: web.Request) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    # Never sent: the connection is gone.
    return web.Response(status=500)


async def break_off(request: web.Request, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(body)
    await response.prepare(request)
    await response.write(body[: len(body) // 2])
    if request.transport is not None:
        # close, not abort: the half that was written must still arrive.
        request.transport.close()
    return response


def retry_after(fault: Fault) -> dict[str, str]:
    """Seconds, or a date for a kind that ends in `-date` (RFC 9110 §10.2.3)."""
    seconds = int(fault.option("retry-after", 1))
    when = email.utils.formatdate(now_milliseconds() / 1000 + seconds, usegmt=True)
    return {"Retry-After": when if fault.kind.endswith("-date") else str(seconds)}
