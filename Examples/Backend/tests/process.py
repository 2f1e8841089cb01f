"""A service as a process of its own, and a client that holds every answer against the service's document."""

import http.client
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from description import Answer, Description

BACKEND = Path(__file__).parent.parent


class ServiceProcess:
    """Use with `with`: it ends the process that it started."""

    def __init__(self, description: Description, command: str, *options: str) -> None:
        self._description = description
        self._errors: str | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-m", "portico_backend", command, "--port", "0", *options],
            cwd=BACKEND,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if not line.startswith("listening on http://127.0.0.1:"):
            _, errors = self.process.communicate(timeout=10)
            raise AssertionError(f"the service did not start: {line!r} {errors}")
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        errors = self.stop()
        assert errors == "", errors

    def stop(self, number: signal.Signals = signal.SIGTERM) -> str:
        """What the service wrote to standard error."""
        if self._errors is None:
            self.process.send_signal(number)
            _, self._errors = self.process.communicate(timeout=10)
        return self._errors

    def raw(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def call(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        """As `raw`, and the answer must be one that the document describes."""
        answer = self.raw(method, path, body, headers)
        self._description.check(method, urlsplit(path).path, answer)
        return answer
