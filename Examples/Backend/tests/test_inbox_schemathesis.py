"""Schemathesis makes requests of inbox-openapi.json, good ones and bad ones, and must find nothing to object to."""

import os
import subprocess
import sys
from pathlib import Path

from inbox import KEY, Inbox
from process import BACKEND

TESTS = Path(__file__).parent


def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    # Streams end at once, so that a run ends. A seed repeats a run: what fails, fails again.
    inbox = Inbox("--faults", "stream-end@1-:ms=0")
    try:
        configuration = tmp_path / "schemathesis.toml"
        configuration.write_text(
            f'[auth.openapi.bearer]\nbearer = "{inbox.token("anna", 3600)}"\n'
            f'[auth.openapi.operatorKey]\napi_key = "{KEY}"\n',
            "utf-8",
        )
        finished = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration), "run"),
                *("--url", f"http://127.0.0.1:{inbox.port}", "--phases", "examples,coverage,fuzzing,stateful"),
                *("--max-examples", "30", "--seed", "7", "--generation-database", "none", "--continue-on-failure"),
                *("--request-timeout", "10", str(BACKEND / "inbox-openapi.json")),
            ],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(TESTS), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        assert "Tested: 26" in finished.stdout
    finally:
        errors = inbox.stop()
    # aiohttp tells of requests that are no HTTP; the service itself has nothing to tell.
    assert "/v1/" not in errors, errors
