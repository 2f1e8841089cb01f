"""Starting the service when something is in the way: one line that says what, and exit code 1."""

import subprocess
import sys
from pathlib import Path

import pytest
from process import BACKEND
from service import Service


def start(*options: str) -> tuple[int, list[str]]:
    command = [sys.executable, "-m", "portico_backend", "serve", *options]
    finished = subprocess.run(command, cwd=BACKEND, capture_output=True, text=True, timeout=30, check=False)
    assert finished.stdout == ""
    return finished.returncode, finished.stderr.splitlines()


def test_a_database_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    code, errors = start("--port", "0", "--database", str(tmp_path))
    assert (code, len(errors)) == (1, 1)
    assert errors[0].startswith("serve: ")
    assert str(tmp_path) in errors[0]


def test_a_file_that_is_no_database_is_said_and_left_alone(database: Path) -> None:
    database.write_text("the minutes of the last meeting, in plain words\n" * 100)
    code, errors = start("--port", "0", "--database", str(database))
    assert (code, len(errors)) == (1, 1)
    assert "not a database" in errors[0]
    assert database.read_text().startswith("the minutes")


def test_a_port_in_use_is_said(calm: Service, database: Path) -> None:
    code, errors = start("--port", str(calm.port), "--database", str(database))
    assert (code, len(errors)) == (1, 1)
    assert str(calm.port) in errors[0]


@pytest.mark.parametrize("faults", ["503=often", "weather=0.5"])
def test_faults_that_cannot_be_read_are_said(database: Path, faults: str) -> None:
    code, errors = start("--port", "0", "--database", str(database), "--faults", faults)
    assert (code, len(errors)) == (1, 1)
    assert faults in errors[0]
    assert not database.exists()
