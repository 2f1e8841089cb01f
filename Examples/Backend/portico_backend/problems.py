"""Errors of a whole request, as RFC 9457 problem details."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from aiohttp import web


class Problem(Exception):  # noqa: N818 (the term of RFC 9457)
    """Ends a request with a status other than 200. `code` is stable, `detail` is for people."""

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = dict(headers or {})

    def response(self) -> web.Response:
        body = {
            "type": "about:blank",
            "title": _phrase(self.status),
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
        }
        return web.Response(
            status=self.status,
            body=json.dumps(body).encode(),
            content_type="application/problem+json",
            headers=self.headers,
        )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
