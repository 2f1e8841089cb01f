"""Answers in place of the right one, and the right one spoilt."""

from aiohttp import web

from ..fault_language import Fault
from ..interruptions import CAPTIVE_PORTAL, break_off, hang_up, retry_after
from ..problems import Problem
from .faults import STREAM

_BAD_GATEWAY = b"<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>"
_NONSENSE = b'{"messages": [{"id": \xff\xfe'


async def answer_instead(request: web.Request, fault: Fault, right: web.StreamResponse | None) -> web.StreamResponse:
    """`right` is what would have been answered: there is none before storing, and none to a stream."""
    body = right.body if isinstance(right, web.Response) and isinstance(right.body, bytes) else b""
    match fault.kind.removeprefix(STREAM):
        case "drop":
            return hang_up(request)
        case "cut":
            return await break_off(request, body)
        case "nonsense":
            return web.Response(body=_NONSENSE, content_type="application/json")
        case "wrong-type" if right is not None:
            return web.Response(status=right.status, body=body, content_type="text/plain")
        case "html-200" | "wrong-type":
            return web.Response(body=CAPTIVE_PORTAL, content_type="text/html")
        case "html-502":
            return web.Response(status=502, body=_BAD_GATEWAY, content_type="text/html")
        case "204":
            return web.Response(status=204)
        case "redirect":
            return _redirect(request, int(fault.option("port", 0)))
        case "401":
            return token_problem("tokenExpired", "the token has expired").response()
        case "429" | "429-date":
            return Problem(429, "rateLimited", "slow down", retry_after(fault)).response()
        case "503":
            return Problem(503, "unavailable", "the service is unavailable", retry_after(fault)).response()
        case status:
            return Problem(int(status), "failed", "the service is out of order").response()


def token_problem(code: str, detail: str) -> Problem:
    # RFC 6750 §3.1: who brought no token is not told that it was a wrong one.
    challenge = "Bearer" if code == "tokenMissing" else 'Bearer error="invalid_token"'
    return Problem(401, code, detail, {"WWW-Authenticate": challenge})


def _redirect(request: web.Request, port: int) -> web.Response:
    # Another name of this machine is another origin, even on the same port.
    here = request.transport.get_extra_info("sockname")[1] if request.transport is not None else 0
    origin = f"http://127.0.0.1:{port}" if port else f"http://localhost:{here}"
    return web.Response(status=307, headers={"Location": origin + request.raw_path})
