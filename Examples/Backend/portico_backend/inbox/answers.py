"""Answers as JSON in UTF-8: text of people goes out as they wrote it, so that a stream may break within a letter."""

import json

from aiohttp import web


def json_answer(value: object, status: int = 200) -> web.Response:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return web.Response(status=status, body=body, content_type="application/json")
