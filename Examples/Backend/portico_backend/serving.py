"""What the services share around their handlers: the loopback, the thread of the store, problems as answers."""

import asyncio
import logging
import signal
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from .problems import Problem

_log = logging.getLogger("portico_backend")
_T = TypeVar("_T")


async def serve_on_loopback(application: web.Application, port: int, *notes: str) -> None:
    """Serves on 127.0.0.1 until SIGTERM or SIGINT; prints where, then the notes. Raises OSError (the port)."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=2)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        print(f"listening on http://127.0.0.1:{runner.addresses[0][1]}", *notes, sep="\n", flush=True)
        await stopped.wait()
    finally:
        await runner.cleanup()


class StoreThread:
    """One thread: SQLite writes one transaction at a time anyway, and the event loop must not wait for a disk."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    async def run(self, work: Callable[[], _T]) -> _T:
        # Shielded: a client that goes away must not leave a transaction running beside the next one.
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        return await asyncio.shield(future)

    def close(self) -> None:
        self._thread.shutdown()


def problems_as_answers(codes: Mapping[int, str], store_failed: Problem) -> Middleware:
    """`codes` for what aiohttp refuses by itself, by status."""

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except Problem as problem:
            return problem.response()
        except web.HTTPException as error:
            headers = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else None
            return Problem(error.status, codes.get(error.status, "failed"), error.reason, headers).response()
        except sqlite3.Error:
            _log.exception("the store failed")
            return store_failed.response()
        except Exception:
            _log.exception("%s %s failed", request.method, request.path)
            return Problem(500, "failed", "the service failed; its log says why").response()

    return answer
